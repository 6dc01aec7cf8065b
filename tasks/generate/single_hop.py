"""Single-hop questions: one context unit, one question per suitable category (ClaimRAG-LAW, CG1 to CG4).

Every unit and category is accounted for: a question is kept, or a row says why there is none. The calls of
one unit follow one another, so that a model server that caches prefixes reads its words once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from claimrag import prompts
from claimrag.schemas.act import Act
from claimrag.schemas.asked import Work
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import Category, Question
from claimrag.schemas.rejected import Rejected
from claimrag.schemas.settings import GenerateSettings
from claimrag.tasks.generate.desk import Desk, IdentifyLanguage
from claimrag.tasks.generate.drafts import build_question, read_draft, with_evidence_among
from claimrag.tasks.generate.duplicates import drop_duplicates
from claimrag.tasks.generate.filters import (
    check_asks_no_reason,
    check_detail,
    check_evidence,
    check_premise,
    check_wording,
    with_belief,
)
from claimrag.tasks.generate.legal_marks import opening_of
from claimrag.tasks.generate.model_checks import check_support
from claimrag.tasks.generate.planning import Item, plan_items
from claimrag.tasks.generate.provisions import quoted, shown_alone, shown_sentences
from claimrag.tasks.generate.reasons import ItemRejectedError
from claimrag.tasks.generate.selection import choose_units
from claimrag.tasks.generate.statements import Statement
from claimrag.tasks.generate.suitability import assess_suitability, require
from claimrag.tasks.llm import Gateway
from claimrag.tasks.llm.asked import WorkItem, note_kept, working_on
from claimrag.tasks.store.outcome import Outcome
from claimrag.tasks.together import together


async def generate_single_hop(
    act: Act,
    act_text: str,
    contexts: Sequence[ContextUnit],
    gateway: Gateway,
    settings: GenerateSettings,
    identify_language: IdentifyLanguage,
    on_progress: Callable[[int, int], None] | None = None,
) -> Outcome[Question]:
    """Questions about `contexts`, in the order of the text; at most `settings.units_per_act` units are used.

    `on_progress` gets the number of units done and their total. Raises ModelRefusedError,
    ModelUnavailableError or BudgetExceededError when no further request can succeed; replies that were
    received lie in the request cache, so that a rerun asks only for the rest.
    """
    desk = Desk(act, act_text, gateway, settings, identify_language)
    chosen = choose_units(contexts, settings.units_per_act)
    work = [_unit_outcome(desk, context) for context in chosen]
    outcome = Outcome.joined(await together(work, gateway.max_in_flight, on_progress))
    distinct = await asyncio.to_thread(drop_duplicates, outcome.kept)
    return Outcome(distinct.kept, [*outcome.rejected, *distinct.rejected])


async def _unit_outcome(desk: Desk, context: ContextUnit) -> Outcome[Question]:
    items = await asyncio.to_thread(plan_items, desk, context)
    language = desk.act.language
    asked = sum(item.statement is not None for item in items)
    pieces = tuple(desk.text[sentence.start : sentence.end] for sentence in context.sentences)
    with working_on(WorkItem(Work.SINGLE_HOP, language, context.id, asked, pieces)):
        outcome = await _items_outcome(desk, context, items)
        note_kept(len(outcome.kept))
    return outcome


async def _items_outcome(desk: Desk, context: ContextUnit, items: Sequence[Item]) -> Outcome[Question]:
    kept: list[Question] = []
    rejected: list[Rejected] = []
    try:
        verdicts = await assess_suitability(desk, context, items)
    except ItemRejectedError as rejection:
        return Outcome([], [rejection.row(item.name) for item in items])
    for item in items:
        try:
            reason = require(verdicts[item.category])
            if item.statement is not None:
                kept.append(await _write_question(desk, item, item.statement, reason))
        except ItemRejectedError as rejection:
            rejected.append(rejection.row(item.name))
    return Outcome(kept, rejected)


async def _write_question(desk: Desk, item: Item, statement: Statement, reason: str) -> Question:
    context = statement.context
    prompt_id = f"generate/{item.category.value}"
    schema = with_evidence_among(prompts.load(prompt_id, desk.act.language).schema, statement.numbers)
    answer = await desk.ask(prompt_id, item.name, schema, **_values(desk, item, statement))
    draft = read_draft(desk, answer)
    premise = item.false_premise
    if premise is not None:
        draft = with_belief(draft, premise)
    quotations = quoted(context, statement.completed(draft.cited))
    check_wording(desk, draft)
    if premise is not None:
        check_premise(draft, premise)
    else:
        check_asks_no_reason(desk, draft)
    check_detail(draft, item.detail)
    check_evidence(desk, draft, [context], quotations)
    await check_support(desk, item.name, draft, quotations, with_question=premise is None)
    return build_question(
        desk,
        draft,
        [context],
        quotations,
        category=item.category,
        persona=item.persona,
        suitability_reason=reason,
        false_premise=premise,
    )


def _values(desk: Desk, item: Item, statement: Statement) -> dict[str, Any]:
    """What the category's prompt needs: the law, the statement to ask about, and the category's own."""
    values: dict[str, Any] = {
        "law": desk.law,
        "provisions": shown_alone(statement.context, desk.text),
        "persona": item.persona.value,
    }
    if item.false_premise is not None:
        return values | item.false_premise.model_dump(include={"original", "altered", "belief"})
    values["focus"] = shown_sentences(statement.sentences, desk.text)
    if item.category is Category.GENERAL_RESEARCH:
        values["opening"] = opening_of(statement.text(desk.text), desk.act.language)
    elif item.category is Category.FACTUAL_RECALL:
        values["detail"] = item.detail
    return values
