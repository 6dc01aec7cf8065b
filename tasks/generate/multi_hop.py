"""Multi-hop questions: a window of consecutive context units, at least two of which the answer needs.

That two are needed is asked for, then seen in the evidence, then tested: with any one of the quoted units
alone the question must not be fully answerable. ClaimRAG-LAW asks for it only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import prompts
from schemas.act import Act
from schemas.context import ContextUnit
from schemas.question import Category, Question
from schemas.settings import GenerateSettings
from tasks.generate.desk import Desk, IdentifyLanguage
from tasks.generate.drafts import citing, finished, read_draft
from tasks.generate.filters import check_each_contributes, check_evidence, check_wording, drop_duplicates
from tasks.generate.links import linked_statements
from tasks.generate.model_checks import check_necessity, check_support
from tasks.generate.pace import in_order
from tasks.generate.provisions import quoted_from_window, shown_sentences, shown_together, window_numbers
from tasks.generate.reasons import ItemRejectedError, Reason
from tasks.generate.seeds import choose_persona
from tasks.generate.selection import choose_windows
from tasks.llm import Gateway
from tasks.store.outcome import Outcome

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
    outcome = Outcome.joined(await in_order(work, on_progress))
    distinct = drop_duplicates(outcome.kept)
    return Outcome(distinct.kept, [*outcome.rejected, *distinct.rejected])


async def _window_outcome(desk: Desk, window: Sequence[ContextUnit]) -> Outcome[Question]:
    item = "+".join(context.id for context in window)
    try:
        return Outcome([await _write_question(desk, window, item)], [])
    except ItemRejectedError as given_up:
        return Outcome([], [given_up.row(item)])


async def _write_question(desk: Desk, window: Sequence[ContextUnit], item: str) -> Question:
    persona = choose_persona(desk.settings.seed, item)
    provisions = shown_together(window, desk.text)
    linked = linked_statements(window, desk.text, desk.settings.seed)
    focus = [
        sentence
        for position, statement in linked
        for sentence in shown_sentences(statement.sentences, desk.text, f"{position}.")
    ]
    numbers = [str(sentence["number"]) for sentence in focus] or window_numbers(window)
    schema = citing(prompts.load(MULTI_HOP, desk.act.language).schema, numbers)
    answer = await desk.ask(
        MULTI_HOP, item, schema, law=desk.law, provisions=provisions, persona=persona.value, focus=focus
    )
    draft = read_draft(answer)
    check_wording(desk, draft)
    leading = [f"{position}.{number}" for position, statement in linked for number in statement.lead_ins]
    cited = [str(mark) for mark in draft.cited]
    evidence = quoted_from_window(window, cited, desk.text)
    if len({one.context_unit_id for one in evidence}) < 2:
        raise ItemRejectedError(
            Reason.SINGLE_UNIT_EVIDENCE, "The evidence lies in one provision only.", draft.raw
        )
    evidence = quoted_from_window(window, [*leading, *cited], desk.text)
    check_evidence(desk, draft, window, evidence)
    check_each_contributes(draft, evidence)
    await check_support(desk, item, draft, evidence, with_question=True)
    await check_necessity(desk, item, window, evidence, draft)
    return finished(desk, draft, window, evidence, category=Category.GENERAL_RESEARCH, persona=persona)
