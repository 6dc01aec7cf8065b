"""Multi-hop questions: a window of consecutive context units, at least two of which the answer needs.

That two are needed is asked for, then seen in the evidence, then tested: any one of the quoted units alone
must not entail the answer. ClaimRAG-LAW asks for it only. In a window of two or three units two linked rules
are asked about one by one and joined (`linked`); in a larger window the model chooses itself, as in the paper.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from claimrag import prompts
from claimrag.schemas.act import Act
from claimrag.schemas.asked import Work
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.errors import SettingsError
from claimrag.schemas.question import Category, Question, Quotation
from claimrag.schemas.reason import Reason
from claimrag.schemas.settings import GenerateSettings
from claimrag.tasks.generate.desk import Desk, IdentifyLanguage
from claimrag.tasks.generate.drafts import Draft, build_question, read_draft, with_evidence_among
from claimrag.tasks.generate.duplicates import drop_duplicates
from claimrag.tasks.generate.filters import (
    check_each_contributes,
    check_evidence,
    check_wording,
)
from claimrag.tasks.generate.linked import write_linked_question
from claimrag.tasks.generate.links import linked_statements
from claimrag.tasks.generate.model_checks import check_necessity, check_support
from claimrag.tasks.generate.provisions import quoted_from_window, shown_together, window_numbers
from claimrag.tasks.generate.reasons import ItemRejectedError
from claimrag.tasks.generate.seeds import choose_persona
from claimrag.tasks.generate.selection import choose_windows
from claimrag.tasks.llm import Gateway
from claimrag.tasks.llm.asked import WorkItem, note_kept, working_on
from claimrag.tasks.store.outcome import Outcome
from claimrag.tasks.together import together

MULTI_HOP = "generate/multi_hop"
_INSTRUCTION_TOKENS = 1_200
"""More than the prompt has around the law, in either language."""
_SHOWN_PER_TOKEN = 1.75
"""What a token of law takes with the numbers of its sentences and the list of them in the schema; measured on short
sentences, where both are longest."""


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

    A window holds as many units as fit into `window_tokens` less `reserved_tokens`, and into the model's
    context with the instructions and the answer. Raises SettingsError where neither leaves any room.
    """
    desk = Desk(act, act_text, gateway, settings, identify_language)
    windows = await asyncio.to_thread(
        choose_windows,
        contexts,
        limit=settings.windows_per_act,
        units_in_window=settings.units_in_window,
        room=_room(settings, getattr(gateway, "context_tokens", None)),
        seed=settings.seed,
    )
    work = [_window_outcome(desk, window) for window in windows]
    outcome = Outcome.joined(await together(work, gateway.max_in_flight, on_progress))
    distinct = await asyncio.to_thread(drop_duplicates, outcome.kept)
    return Outcome(distinct.kept, [*outcome.rejected, *distinct.rejected])


def _room(settings: GenerateSettings, context_tokens: int | None) -> int:
    """The tokens of law that a window may hold."""
    room = settings.window_tokens - settings.reserved_tokens
    if context_tokens is not None:
        left = context_tokens - settings.max_tokens - _INSTRUCTION_TOKENS
        room = min(room, int(left / _SHOWN_PER_TOKEN))
    if room <= 0:
        raise SettingsError(
            f"a window of {settings.window_tokens} tokens (generate.window_tokens) has no room for a law: less "
            f"{settings.reserved_tokens} tokens (generate.reserved_tokens), in a context of "
            f"{context_tokens or 'any number of'} tokens: reserve less, or set generate.multi_hop = false"
        )
    return room


async def _window_outcome(desk: Desk, window: Sequence[ContextUnit]) -> Outcome[Question]:
    item = "+".join(context.id for context in window)
    sentences = (sentence for context in window for sentence in context.sentences)
    pieces = tuple(desk.text[sentence.start : sentence.end] for sentence in sentences)
    with working_on(WorkItem(Work.MULTI_HOP, desk.act.language, item, pieces=pieces)):
        try:
            question = await _write_question(desk, window, item)
        except ItemRejectedError as rejection:
            return Outcome([], [rejection.row(item)])
        note_kept(1)
        return Outcome([question], [])


async def _write_question(desk: Desk, window: Sequence[ContextUnit], item: str) -> Question:
    linked = await asyncio.to_thread(linked_statements, window, desk.text, desk.settings.seed)
    if linked:
        return await write_linked_question(desk, window, item, linked)
    persona = choose_persona(desk.settings.seed, item)
    answer = await desk.ask(
        MULTI_HOP,
        item,
        with_evidence_among(prompts.load(MULTI_HOP, desk.act.language).schema, window_numbers(window)),
        law=desk.law,
        provisions=shown_together(window, desk.text),
        persona=persona.value,
    )
    draft = read_draft(desk, answer)
    quotations = _quotations(window, draft)
    check_wording(desk, draft)
    await asyncio.to_thread(check_evidence, desk, draft, window, quotations)  # reads the words of the window
    check_each_contributes(draft, quotations)
    await check_support(desk, item, draft, quotations, with_question=True)
    await check_necessity(desk, item, window, quotations, draft)
    return build_question(
        desk, draft, window, quotations, category=Category.GENERAL_RESEARCH, persona=persona
    )


def _quotations(window: Sequence[ContextUnit], draft: Draft) -> tuple[Quotation, ...]:
    """What the model cites, from two provisions at least."""
    cited = [str(mark) for mark in draft.cited]
    if len({mark.partition(".")[0] for mark in cited}) < 2:
        raise ItemRejectedError(
            Reason.SINGLE_UNIT_EVIDENCE, "The evidence lies in one provision only.", draft.raw
        )
    return quoted_from_window(window, cited)
