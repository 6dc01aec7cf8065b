"""Multi-hop questions: a window of consecutive context units, at least two of which the answer needs.

That two are needed is asked for, then seen in the evidence, then tested: any one of the quoted units alone
must not entail the answer. ClaimRAG-LAW asks for it only. In a window of two or three units the model gets
two linked rules and asks one thing of each; in a larger window it chooses itself, as in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import prompts
from schemas.act import Act
from schemas.context import ContextUnit
from schemas.question import Category, Evidence, Question
from schemas.settings import GenerateSettings
from tasks.generate.alteration import checkable_facts
from tasks.generate.desk import Desk, IdentifyLanguage
from tasks.generate.drafts import Draft, citing, finished, read_draft, read_joined
from tasks.generate.filters import (
    check_detail,
    check_each_contributes,
    check_evidence,
    check_wording,
    drop_duplicates,
)
from tasks.generate.links import linked_statements
from tasks.generate.model_checks import check_necessity, check_support
from tasks.generate.pace import in_order
from tasks.generate.provisions import quoted_from_window, shown_sentences, shown_together, window_numbers
from tasks.generate.reasons import ItemRejectedError, Reason
from tasks.generate.seeds import choose_persona
from tasks.generate.selection import choose_windows
from tasks.generate.statements import Statement
from tasks.llm import Gateway
from tasks.store.outcome import Outcome

MULTI_HOP = "generate/multi_hop"
LINKED_RULES = "generate/linked_rules"


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
    linked = linked_statements(window, desk.text, desk.settings.seed)
    rules = [_Rule.of(desk, position, statement) for position, statement in linked]
    values = {"law": desk.law, "provisions": shown_together(window, desk.text), "persona": persona.value}
    if rules:
        values["rules"] = [{"sentences": rule.shown, "detail": rule.detail} for rule in rules]
    numbers = [number for rule in rules for number in rule.numbers] or window_numbers(window)
    prompt_id = LINKED_RULES if rules else MULTI_HOP
    schema = citing(prompts.load(prompt_id, desk.act.language).schema, numbers)
    answer = await desk.ask(prompt_id, item, schema, **values)
    draft = read_joined(desk, answer) if rules else read_draft(desk, answer)
    evidence = _evidence(desk, window, draft, rules)
    check_wording(desk, draft)
    for rule in rules:
        check_detail(draft, rule.detail)
    check_evidence(desk, draft, window, evidence)
    check_each_contributes(draft, evidence)
    await check_support(desk, item, draft, evidence, with_question=True)
    await check_necessity(desk, item, window, evidence, draft)
    return finished(desk, draft, window, evidence, category=Category.GENERAL_RESEARCH, persona=persona)


@dataclass(frozen=True)
class _Rule:
    """One of the two statements to join: its sentences as shown, its lead-ins, and the detail it states."""

    shown: list[dict[str, Any]]
    lead_ins: list[str]
    detail: str | None

    @classmethod
    def of(cls, desk: Desk, position: int, statement: Statement) -> _Rule:
        facts = checkable_facts(statement.text(desk.text), desk.act.language)
        return cls(
            shown=shown_sentences(statement.sentences, desk.text, f"{position}."),
            lead_ins=[f"{position}.{number}" for number in sorted(statement.lead_ins)],
            detail=facts[-1] if facts else None,
        )

    @property
    def numbers(self) -> list[str]:
        return [str(sentence["number"]) for sentence in self.shown]


def _evidence(
    desk: Desk, window: Sequence[ContextUnit], draft: Draft, rules: Sequence[_Rule]
) -> tuple[Evidence, ...]:
    """What the model cites and the lead-ins of it; from two provisions at least."""
    cited = [str(mark) for mark in draft.cited]
    if len({mark.partition(".")[0] for mark in cited}) < 2:
        raise ItemRejectedError(
            Reason.SINGLE_UNIT_EVIDENCE, "The evidence lies in one provision only.", draft.raw
        )
    return quoted_from_window(window, [*(one for rule in rules for one in rule.lead_ins), *cited], desk.text)
