"""Multi-hop questions: a window of consecutive context units, at least two of which the answer needs.

That two are needed is asked for, then seen in the evidence, then tested: any one of the quoted units alone
must not entail the answer. ClaimRAG-LAW asks for it only. In a window of two or three units two linked rules
are asked about one by one and joined (`linked`); in a larger window the model chooses itself, as in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from claimrag import prompts
from claimrag.schemas.act import Act
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import Category, Evidence, Question
from claimrag.schemas.reason import Reason
from claimrag.schemas.settings import GenerateSettings
from claimrag.tasks.generate.desk import Desk, IdentifyLanguage
from claimrag.tasks.generate.drafts import Draft, citing, finished, read_draft
from claimrag.tasks.generate.filters import (
    check_each_contributes,
    check_evidence,
    check_wording,
    drop_duplicates,
)
from claimrag.tasks.generate.linked import write_linked_question
from claimrag.tasks.generate.links import linked_statements
from claimrag.tasks.generate.model_checks import check_necessity, check_support
from claimrag.tasks.generate.pace import in_order
from claimrag.tasks.generate.provisions import quoted_from_window, shown_together, window_numbers
from claimrag.tasks.generate.reasons import ItemRejectedError
from claimrag.tasks.generate.seeds import choose_persona
from claimrag.tasks.generate.selection import choose_windows
from claimrag.tasks.llm import Gateway
from claimrag.tasks.store.outcome import Outcome

MULTI_HOP = "generate/multi_hop"


async def generate_multi_hop(
    act: Act,
    act_text: str,
    contexts: Sequence[ContextUnit],
    gateway: Gateway,
    settings: GenerateSettings,
    identify_language: IdentifyLanguage,
    on_progress: Callable[[int, int], None] | None = None,
) -> Outcome[Question]:
    """One question per window, in the order of the text; see `generate_single_hop` for what it raises.

    A window holds as many units as fit into `window_tokens` less `reserved_tokens`.
    """
    desk = Desk(act, act_text, gateway, settings, identify_language)
    windows = choose_windows(
        contexts,
        limit=settings.windows_per_act,
        units_in_window=settings.units_in_window,
        room=settings.window_tokens - settings.reserved_tokens,
        seed=settings.seed,
    )
    work = [_window_outcome(desk, window) for window in windows]
    outcome = Outcome.joined(await in_order(work, on_progress, at_once=gateway.max_in_flight))
    distinct = drop_duplicates(outcome.kept)
    return Outcome(distinct.kept, [*outcome.rejected, *distinct.rejected])


async def _window_outcome(desk: Desk, window: Sequence[ContextUnit]) -> Outcome[Question]:
    item = "+".join(context.id for context in window)
    try:
        return Outcome([await _write_question(desk, window, item)], [])
    except ItemRejectedError as given_up:
        return Outcome([], [given_up.row(item)])


async def _write_question(desk: Desk, window: Sequence[ContextUnit], item: str) -> Question:
    linked = linked_statements(window, desk.text, desk.settings.seed)
    if linked:
        return await write_linked_question(desk, window, item, linked)
    persona = choose_persona(desk.settings.seed, item)
    answer = await desk.ask(
        MULTI_HOP,
        item,
        citing(prompts.load(MULTI_HOP, desk.act.language).schema, window_numbers(window)),
        law=desk.law,
        provisions=shown_together(window, desk.text),
        persona=persona.value,
    )
    draft = read_draft(desk, answer)
    evidence = _evidence(desk, window, draft)
    check_wording(desk, draft)
    check_evidence(desk, draft, window, evidence)
    check_each_contributes(draft, evidence)
    await check_support(desk, item, draft, evidence, with_question=True)
    await check_necessity(desk, item, window, evidence, draft)
    return finished(desk, draft, window, evidence, category=Category.GENERAL_RESEARCH, persona=persona)


def _evidence(desk: Desk, window: Sequence[ContextUnit], draft: Draft) -> tuple[Evidence, ...]:
    """What the model cites, from two provisions at least."""
    cited = [str(mark) for mark in draft.cited]
    if len({mark.partition(".")[0] for mark in cited}) < 2:
        raise ItemRejectedError(
            Reason.SINGLE_UNIT_EVIDENCE, "The evidence lies in one provision only.", draft.raw
        )
    return quoted_from_window(window, cited, desk.text)
