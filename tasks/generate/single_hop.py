"""Single-hop questions: one context unit, one question per suitable category (ClaimRAG-LAW, CG1 to CG4).

Every unit and category is accounted for: a question is kept, or a row says why there is none. The calls of
one unit follow one another, so that a model server that caches prefixes reads its words once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import prompts
from schemas.act import Act
from schemas.context import ContextUnit
from schemas.question import Category, Question
from schemas.rejected import Rejected
from schemas.settings import GenerateSettings
from tasks.generate.alteration import Alteration, choose_alteration, has_checkable_fact
from tasks.generate.desk import Desk, IdentifyLanguage
from tasks.generate.drafts import citing, finished, read_draft
from tasks.generate.filters import check_premise, check_wording, drop_duplicates
from tasks.generate.model_checks import check_support
from tasks.generate.pace import in_order
from tasks.generate.provisions import quoted, shown_alone
from tasks.generate.reasons import ItemRejectedError, Reason
from tasks.generate.seeds import choose_persona, rank
from tasks.generate.selection import choose_units
from tasks.generate.suitability import assess_suitability, require
from tasks.llm import Gateway
from tasks.store.outcome import Outcome


@dataclass(frozen=True)
class Item:
    """One question to write: a category of a context unit, and the sentence to ask about, if any."""

    category: Category
    name: str
    focus: int | None = None
    alteration: Alteration | None = None


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

    `on_progress` gets the number of finished units and their total. Raises ModelRefusedError,
    ModelUnavailableError or BudgetExceededError when no further request can succeed; replies that were
    received lie in the request cache, so that a rerun asks only for the rest.
    """
    desk = Desk(act, act_text, gateway, settings, identify_language)
    chosen = choose_units(contexts, settings.units_per_act)
    work = [_unit_outcome(desk, context) for context in chosen]
    outcome = Outcome.joined(await in_order(work, on_progress))
    distinct = drop_duplicates(outcome.kept)
    return Outcome(distinct.kept, [*outcome.rejected, *distinct.rejected])


async def _unit_outcome(desk: Desk, context: ContextUnit) -> Outcome[Question]:
    kept: list[Question] = []
    rejected: list[Rejected] = []
    items = planned_items(desk, context)
    try:
        verdicts = await assess_suitability(desk, context, desk.settings.categories)
    except ItemRejectedError as given_up:
        return Outcome([], [given_up.row(item.name) for item in items])
    for item in items:
        try:
            reason = require(verdicts[item.category])
            kept.append(await _write_question(desk, context, item, reason))
        except ItemRejectedError as given_up:
            rejected.append(given_up.row(item.name))
    return Outcome(kept, rejected)


def planned_items(desk: Desk, context: ContextUnit) -> list[Item]:
    """What is considered for a unit: each category once, factual recall once per chosen sentence."""
    items: list[Item] = []
    for category in desk.settings.categories:
        name = f"{context.id}/{category.value}"
        if category is Category.FACTUAL_RECALL:
            focuses = _factual_sentences(desk, context) or [None]
            items.extend(Item(category, f"{name}/{focus}" if focus else name, focus) for focus in focuses)
        elif category is Category.FALSE_PREMISE:
            alteration = choose_alteration(context, desk.text, desk.settings.seed)
            items.append(Item(category, name, alteration.sentence if alteration else None, alteration))
        else:
            items.append(Item(category, name))
    return items


def _factual_sentences(desk: Desk, context: ContextUnit) -> list[int | None]:
    """Sentences that state a number with its unit, or a date; as many as are wanted, drawn by seed."""
    stating = [
        sentence.number
        for sentence in context.sentences
        if has_checkable_fact(desk.text[sentence.start : sentence.end], context.language)
    ]
    stating.sort(key=lambda number: rank(desk.settings.seed, context.id, str(number)))
    return [*sorted(stating[: desk.settings.factual_per_unit])]


async def _write_question(desk: Desk, context: ContextUnit, item: Item, reason: str) -> Question:
    persona = choose_persona(desk.settings.seed, item.name)
    prompt_id = f"generate/{item.category.value}"
    provisions = shown_alone(context, desk.text)
    numbers = [sentence.number for sentence in context.sentences]
    schema = citing(prompts.load(prompt_id, desk.act.language).schema, numbers)
    values = {"persona": persona.value, **_details(item)}
    draft = read_draft(await desk.ask(prompt_id, item.name, provisions, schema=schema, **values))
    check_wording(desk, draft)
    if item.alteration is not None:
        check_premise(draft, item.alteration)
    cited = draft.cited if item.focus is None or item.focus in draft.cited else (*draft.cited, item.focus)
    evidence = quoted(context, cited, desk.text)
    await check_support(desk, item.name, provisions, draft)
    return finished(
        desk,
        draft,
        [context],
        evidence,
        category=item.category,
        persona=persona,
        suitability_reason=reason,
        false_premise=item.alteration.record if item.alteration else None,
    )


def _details(item: Item) -> dict[str, int | str | None]:
    if item.category is Category.FACTUAL_RECALL:
        return {"focus": item.focus}
    if item.category is not Category.FALSE_PREMISE:
        return {}
    if item.alteration is None:
        raise ItemRejectedError(Reason.UNSUITABLE, "By rule: no fact of the provision can be altered.")
    return {
        "focus": item.alteration.sentence,
        "original": item.alteration.original,
        "altered": item.alteration.altered,
        "truth": item.alteration.truth,
        "belief": item.alteration.belief,
    }
