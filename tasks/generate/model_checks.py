"""Checks that ask the model, at temperature 0 and with one word as its answer.

`check_support`: is the answer supported by the provisions. `check_necessity`: does a multi-hop question
fail when each of its provisions is shown alone. Both put the law first, so that the server's prefix cache
serves it; neither makes a row expert-validated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.context import ContextUnit
from schemas.question import Evidence
from tasks.generate.desk import Desk
from tasks.generate.drafts import Draft
from tasks.generate.provisions import shown_alone
from tasks.generate.reasons import ItemRejectedError, Reason

SUPPORT = "generate/support"
NECESSITY = "generate/necessity"


async def check_support(desk: Desk, item: str, provisions: Sequence[Mapping[str, Any]], draft: Draft) -> None:
    """Raises ItemRejectedError (`not_supported`, `contradicted`) unless the law's words carry the answer."""
    if not desk.settings.support_check:
        return
    answer = await desk.ask(SUPPORT, item, provisions, question=draft.question, answer=draft.answer)
    verdict = answer.parsed["verdict"]
    if verdict == "contradicted":
        raise ItemRejectedError(
            Reason.CONTRADICTED, "The check finds the answer contradicted by the law.", draft.raw
        )
    if verdict != "supported":
        raise ItemRejectedError(
            Reason.NOT_SUPPORTED, "The check does not find all of the answer in the law.", draft.raw
        )


async def check_necessity(
    desk: Desk, item: str, contexts: Sequence[ContextUnit], evidence: Sequence[Evidence], draft: Draft
) -> None:
    """Raises ItemRejectedError (`answerable_from_one_unit`) where one quoted provision alone suffices."""
    if not desk.settings.necessity_check:
        return
    quoted = {one.context_unit_id for one in evidence}
    for context in contexts:
        if context.id not in quoted:
            continue
        alone = shown_alone(context, desk.text)
        answer = await desk.ask(NECESSITY, f"{item}/{context.id}", alone, question=draft.question)
        if answer.parsed["answerable"] == "fully":
            detail = f"The check finds the question answerable from {context.heading} alone."
            raise ItemRejectedError(Reason.ANSWERABLE_FROM_ONE_UNIT, detail, draft.raw)
