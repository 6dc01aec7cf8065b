"""Occurrence: a question bound to one version of an act, with its quotations at their place in that version's text."""

from __future__ import annotations

from claimrag.schemas.base import ActId, ContextUnitId, Noun, QuestionId, UnitId


class Evidence(Noun):
    """A quotation at its place in one version of an act: `act_text[start:end] == quotation`, byte for byte."""

    context_unit_id: ContextUnitId
    unit_id: UnitId
    sentence: int | None
    start: int
    end: int
    quotation: str


class Occurrence(Noun):
    """A question holds in this version of the act: all its context units stand there, word for word.

    `evidence[i]` is the place of `question.quotations[i]`. One occurrence per question and act.
    """

    question_id: QuestionId
    act_id: ActId
    evidence: tuple[Evidence, ...]
