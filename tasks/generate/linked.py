"""Multi-hop questions about a small window: two linked rules, one checked question on each, joined in code.

A small model that is asked for both things at once mixes them up; asked for one detail of one rule at a time
it is mostly right. Each half passes the checks of a single-hop question, and the joined question those of a
multi-hop one: each provision contributes, and none of them alone entails the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from claimrag import prompts
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import Category, Persona, Question, Quotation
from claimrag.tasks.generate.desk import Desk
from claimrag.tasks.generate.drafts import Draft, build_question, read_draft, with_evidence_among
from claimrag.tasks.generate.filters import (
    check_detail,
    check_each_contributes,
    check_evidence,
    check_wording,
)
from claimrag.tasks.generate.languages import ByLanguage
from claimrag.tasks.generate.model_checks import check_necessity, check_support
from claimrag.tasks.generate.provisions import quoted, shown_alone, shown_sentences
from claimrag.tasks.generate.quantities import quantities_in
from claimrag.tasks.generate.seeds import choose_persona
from claimrag.tasks.generate.statements import Statement

HALF = "generate/factual_recall"
_JOINTS = ByLanguage("joints of two questions", {"en": ", and ", "fr": ", et "})


@dataclass(frozen=True)
class _Half:
    draft: Draft
    quotations: tuple[Quotation, ...]


async def write_linked_question(
    desk: Desk, window: Sequence[ContextUnit], item: str, linked: Sequence[tuple[int, Statement]]
) -> Question:
    """One question that needs both `linked` statements; raises ItemRejectedError when a check fails."""
    persona = choose_persona(desk.settings.seed, item)
    halves = [
        await _write_half(desk, statement, f"{item}/{position}", persona) for position, statement in linked
    ]
    draft = _joined(desk, [half.draft for half in halves])
    quotations = tuple(one for half in halves for one in half.quotations)
    check_wording(desk, draft)
    check_each_contributes(draft, quotations)
    await check_necessity(desk, item, window, quotations, draft)
    return build_question(desk, draft, window, quotations, category=Category.FACTUAL_RECALL, persona=persona)


async def _write_half(desk: Desk, statement: Statement, item: str, persona: Persona) -> _Half:
    facts = quantities_in(statement.text(desk.text), desk.act.language)
    detail = facts[-1] if facts else None
    answer = await desk.ask(
        HALF,
        item,
        with_evidence_among(prompts.load(HALF, desk.act.language).schema, statement.numbers),
        law=desk.law,
        provisions=shown_alone(statement.context, desk.text),
        persona=persona.value,
        focus=shown_sentences(statement.sentences, desk.text),
        detail=detail,
    )
    draft = read_draft(desk, answer)
    quotations = quoted(statement.context, statement.completed(draft.cited))
    check_wording(desk, draft)
    check_detail(draft, detail)
    check_evidence(desk, draft, [statement.context], quotations)
    await check_support(desk, item, draft, quotations, with_question=True)
    return _Half(draft, quotations)


def _joined(desk: Desk, halves: Sequence[Draft]) -> Draft:
    """One question of two halves, and one answer; the trace is that of the first half."""
    first, second = halves
    joint = _JOINTS[desk.act.language]
    return replace(
        first,
        question=f"{first.question.rstrip(' ?!.')}{joint}{second.question[:1].lower()}{second.question[1:]}",
        answer=f"{_sentence(first.answer)} {_sentence(second.answer)}",
        rationale=f"{_sentence(first.rationale)} {_sentence(second.rationale)}",
        raw=f"{first.raw}\n{second.raw}",
    )


def _sentence(words: str) -> str:
    return words if words.endswith((".", "!", "?", "»", "…")) else f"{words}."
