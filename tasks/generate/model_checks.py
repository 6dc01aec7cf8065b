"""Checks that ask the model, at temperature 0 and with one word as its answer.

`check_support`: do the quoted words entail the answer. `check_necessity`: does a multi-hop answer fail when
only one of its provisions is known. Neither makes a row expert-validated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import Quotation
from claimrag.schemas.reason import Reason
from claimrag.tasks.generate.desk import Desk
from claimrag.tasks.generate.drafts import Draft
from claimrag.tasks.generate.reasons import ItemRejectedError
from claimrag.tasks.generate.wording import is_number, stems
from claimrag.tasks.segment import split_sentences

ENTAILMENT = "generate/entailment"
_SPOKEN_START = re.compile(r"^(?:No|Yes|Non|Oui)\b[\s,;:.–—-]*", re.IGNORECASE)


async def check_support(
    desk: Desk, item: str, draft: Draft, quotations: Sequence[Quotation], *, with_question: bool
) -> None:
    """Raises ItemRejectedError (`not_supported`, `contradicted`) unless the quoted words entail the answer.

    `with_question` puts the question before the answer, which often completes it; a question with a false
    premise must not be part of what is to be entailed.
    """
    if not desk.settings.support_check:
        return
    hypothesis = (
        f"{draft.question} {as_statement(draft.answer)}" if with_question else as_statement(draft.answer)
    )
    verdict = await _verdict(desk, item, " ".join(one.text for one in quotations), hypothesis)
    if verdict == "contradiction":
        raise ItemRejectedError(
            Reason.CONTRADICTED, "The check finds the answer contradicted by its evidence.", draft.raw
        )
    if verdict != "entailment":
        raise ItemRejectedError(
            Reason.NOT_SUPPORTED, "The check does not find the answer entailed by its evidence.", draft.raw
        )


async def check_necessity(
    desk: Desk, item: str, contexts: Sequence[ContextUnit], quotations: Sequence[Quotation], draft: Draft
) -> None:
    """Raises ItemRejectedError (`answerable_from_one_unit`) where one quoted provision alone gives the answer.

    A provision gives the answer only if it gives the part that is most foreign to it, so that part is
    what is tested. A number that the provision does not state settles it without a model.
    """
    if not desk.settings.necessity_check:
        return
    quoted = {one.context_unit_id for one in quotations}
    for context in contexts:
        if context.id not in quoted:
            continue
        alone = f"{context.heading} {context.text}"
        part = most_foreign_part(draft.answer, alone)
        if any(is_number(word) for word in stems(part) - stems(alone)):
            continue
        if await _verdict(desk, f"{item}/{context.id}", alone, as_statement(part)) == "entailment":
            detail = f"The check finds the question answered by {context.heading} alone."
            raise ItemRejectedError(Reason.ANSWERABLE_FROM_ONE_UNIT, detail, draft.raw)


def most_foreign_part(answer: str, text: str) -> str:
    """The sentence of `answer` that shares the smallest part of its words with `text`."""
    known = stems(text)
    parts = [answer[start:end] for start, end in split_sentences(answer)]
    return min(parts, key=lambda part: len(stems(part) & known) / max(1, len(stems(part))), default=answer)


def as_statement(answer: str) -> str:
    """The answer as a statement: without the "No," or "Yes," that speaks to the question."""
    plain = _SPOKEN_START.sub("", answer) or answer
    return plain[:1].upper() + plain[1:]


async def _verdict(desk: Desk, item: str, premise: str, hypothesis: str) -> str:
    premise = desk.named(" ".join(premise.split()))
    answer = await desk.ask(ENTAILMENT, item, premise=premise, hypothesis=hypothesis)
    return str(answer.parsed["verdict"])
