"""Binds questions to one version of an act: offsets in the act's text for quotations measured in a context unit.

Promises: `act_text[evidence.start:evidence.end] == evidence.quotation` wherever the context units belong to the
act's text, and the same rows for the same questions in any order. No model is used, no question is changed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from claimrag.schemas.act import Act
from claimrag.schemas.base import ContextUnitId, QuestionId, UnitId
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.errors import SourceError
from claimrag.schemas.occurrence import Evidence, Occurrence
from claimrag.schemas.question import Question, Quotation
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected
from claimrag.tasks.store.outcome import Outcome

STAGE = "occurrences"


def bind_questions(
    questions: Iterable[Question], act: Act, context_units: Sequence[ContextUnit]
) -> Outcome[Occurrence]:
    """One occurrence per question that holds in `act`, in the order of its text (first quotation), then by id.

    A question holds where all its context units, which are known by their words, are among `context_units`.
    The others are rejected (`not_in_this_version`; `raw` is the first context unit that is absent), in the order
    given. One question in the tables of two versions is one question, counted once: its first row is taken.
    Raises SourceError for a context unit of another act, and for a quotation that is not in its context unit.
    """
    for context in context_units:
        if context.act_id != act.id:
            raise SourceError(
                f"context unit {context.id} is of {context.act_id}, not of {act.id}: segment the act again"
            )
    by_id = {context.id: context for context in context_units}
    placed: list[tuple[int, Occurrence]] = []
    rejected: list[Rejected] = []
    for question in _distinct(questions):
        absent = next((one for one in _needed(question) if one not in by_id), None)
        if absent is not None:
            rejected.append(_not_in(act, question, absent))
            continue
        evidence = tuple(_placed(question, one, by_id[one.context_unit_id]) for one in question.quotations)
        starts = [one.start for one in evidence] or [by_id[one].start for one in question.context_unit_ids]
        occurrence = Occurrence(question_id=question.id, act_id=act.id, evidence=evidence)
        placed.append((min(starts, default=0), occurrence))
    placed.sort(key=lambda pair: (pair[0], pair[1].question_id))
    return Outcome([occurrence for _, occurrence in placed], rejected)


def _distinct(questions: Iterable[Question]) -> Iterable[Question]:
    first: dict[QuestionId, Question] = {}
    for question in questions:
        first.setdefault(question.id, question)
    return first.values()


def _needed(question: Question) -> Iterable[ContextUnitId]:
    yield from question.context_unit_ids
    yield from (one.context_unit_id for one in question.quotations)


def _placed(question: Question, quotation: Quotation, context: ContextUnit) -> Evidence:
    if context.text[quotation.start : quotation.end] != quotation.text:
        raise SourceError(
            f"question {question.id}: its quotation {quotation.start}:{quotation.end} does not stand in context "
            f"unit {context.id}: generate its questions again"
        )
    start = context.start + quotation.start
    return Evidence(
        context_unit_id=context.id,
        unit_id=_unit_at(context, start),
        sentence=quotation.sentence,
        start=start,
        end=context.start + quotation.end,
        quotation=quotation.text,
    )


def _unit_at(context: ContextUnit, position: int) -> UnitId:
    """The unit of the sentence that holds `position`; between two sentences, that of the one before."""
    index = bisect_right(context.sentences, position, key=lambda sentence: sentence.start) - 1
    return context.sentences[index].unit_id if index >= 0 else context.unit_ids[0]


def _not_in(act: Act, question: Question, absent: ContextUnitId) -> Rejected:
    return Rejected(
        stage=STAGE,
        item=question.id,
        reason=Reason.NOT_IN_THIS_VERSION,
        detail=f"{act.id} does not hold the words of context unit {absent}.",
        raw=absent,
    )
