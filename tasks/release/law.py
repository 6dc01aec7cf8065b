"""A law in one language with all its versions, and the rows that a release holds of it.

Questions and claims are items: one row each, with the newest version in which they hold; texts are one row per
version. What an expert rejected, and what holds in no version of the release, is left out and counted. A row that
points to nothing is an error, never dropped in silence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from claimrag.schemas.act import Act
from claimrag.schemas.base import ActId, ClaimId, ContextUnitId, LawId, QuestionId
from claimrag.schemas.claim import Claim
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.errors import StoreError
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.question import Question, ReviewStatus
from claimrag.tasks.release.law_rows import ClaimRow, ContextUnitRow, CorpusRow, OccurrenceRow, QaRow
from claimrag.tasks.release.rows import CORPUS_KINDS, columns
from claimrag.tasks.release.source import ReleaseSource
from claimrag.tasks.run.versions import expression_of, newest_first

REMEDY = "run `claimrag build` again"


@dataclass(frozen=True)
class Law:
    """The items of a law in one language, and where they hold.

    `acts` are its versions, the newest first. `occurrences` are by question, in the order of `acts`. `claims` are by
    question, in the order of the answer.
    """

    acts: tuple[Act, ...]
    questions: dict[QuestionId, Question]
    occurrences: dict[QuestionId, list[Occurrence]]
    claims: dict[QuestionId, list[Claim]]

    @property
    def released(self) -> dict[QuestionId, Question]:
        """The questions that hold in some version and that no expert rejected."""
        return {
            question_id: question
            for question_id, question in self.questions.items()
            if question_id in self.occurrences and question.review is not ReviewStatus.EXPERT_REJECTED
        }


@dataclass(frozen=True)
class LeftOut:
    """How many items are not in the release, and why."""

    questions_rejected: int = 0
    questions_without_version: int = 0
    claims_rejected: int = 0

    def __add__(self, other: LeftOut) -> LeftOut:
        return LeftOut(
            self.questions_rejected + other.questions_rejected,
            self.questions_without_version + other.questions_without_version,
            self.claims_rejected + other.claims_rejected,
        )


def versions_by_law(acts: Iterable[Act]) -> list[tuple[Act, ...]]:
    """The acts by law and language, in this order; of each the versions, the newest first."""
    by_id = {act.id: act for act in acts}
    groups: defaultdict[tuple[LawId, str], list[ActId]] = defaultdict(list)
    for act_id in by_id:
        groups[expression_of(act_id)].append(act_id)
    return [tuple(by_id[act_id] for act_id in newest_first(groups[key])) for key in sorted(groups)]


def read_law(source: ReleaseSource, acts: tuple[Act, ...]) -> Law:
    """The items of these versions of one law; of an item in the tables of two versions, the newer one's row is taken.

    Raises StoreError for an occurrence or a claim whose question is not given, and for an occurrence in another act.
    """
    questions: dict[QuestionId, Question] = {}
    occurrences: defaultdict[QuestionId, list[Occurrence]] = defaultdict(list)
    for act in acts:
        for question in source.questions(act.id):
            questions.setdefault(question.id, question)
        for occurrence in source.occurrences(act.id):
            if occurrence.act_id != act.id:
                raise StoreError(
                    f"an occurrence of {occurrence.act_id} lies with those of {act.id}; {REMEDY}"
                )
            occurrences[occurrence.question_id].append(occurrence)
    absent = occurrences.keys() - questions.keys()
    if absent:
        raise StoreError(f"question {min(absent)} occurs in {acts[0].id} but is not in the release; {REMEDY}")
    return Law(acts, questions, dict(occurrences), _read_claims(source, acts, questions))


def _read_claims(
    source: ReleaseSource, acts: tuple[Act, ...], questions: dict[QuestionId, Question]
) -> dict[QuestionId, list[Claim]]:
    claims: dict[ClaimId, Claim] = {}
    for act in acts:
        for claim in source.claims(act.id):
            claims.setdefault(claim.id, claim)
    by_question: defaultdict[QuestionId, list[Claim]] = defaultdict(list)
    for claim in sorted(claims.values(), key=lambda claim: (claim.order, claim.id)):
        if claim.question_id not in questions:
            raise StoreError(
                f"claim {claim.id} belongs to question {claim.question_id}, which is not in the release; {REMEDY}"
            )
        by_question[claim.question_id].append(claim)
    return dict(by_question)


def left_out(law: Law) -> LeftOut:
    """How many items of a law the release does not hold; claims are counted where their question is released."""
    rejected = [one.review is ReviewStatus.EXPERT_REJECTED for one in law.questions.values()]
    return LeftOut(
        questions_rejected=sum(rejected),
        questions_without_version=len(law.questions) - sum(rejected) - len(law.released),
        claims_rejected=sum(
            claim.review is ReviewStatus.EXPERT_REJECTED
            for question_id in law.released
            for claim in law.claims.get(question_id, ())
        ),
    )


def item_rows(law: Law, act: Act, source: ReleaseSource) -> Iterator[tuple[QaRow, list[ClaimRow]]]:
    """The questions whose newest version is `act`, in the order of its text, each with its claims.

    Raises StoreError where a context unit of a question is not in the act.
    """
    newest = [
        (question, law.occurrences[question_id])
        for question_id, question in law.released.items()
        if law.occurrences[question_id][0].act_id == act.id
    ]
    context = {unit.id: unit for unit in source.context_units(act.id)} if newest else {}
    for question, occurrences in sorted(newest, key=lambda pair: _place(pair[0], pair[1][0], context)):
        row = _qa_row(law, question, occurrences, context)
        yield (
            row,
            [
                _claim_row(claim, row)
                for claim in law.claims.get(question.id, ())
                if claim.review is not ReviewStatus.EXPERT_REJECTED
            ],
        )


def _place(
    question: Question, occurrence: Occurrence, context: dict[ContextUnitId, ContextUnit]
) -> tuple[int, QuestionId]:
    """Where its first quotation stands, or its first context unit where nothing is quoted."""
    starts = [evidence.start for evidence in occurrence.evidence]
    starts = starts or [unit.start for unit in _units_of(question, occurrence.act_id, context)]
    return min(starts, default=0), question.id


def _units_of(
    question: Question, act_id: ActId, context: dict[ContextUnitId, ContextUnit]
) -> Iterator[ContextUnit]:
    for unit_id in question.context_unit_ids:
        if unit_id not in context:
            raise StoreError(
                f"question {question.id} names context unit {unit_id}, which is not in {act_id}; {REMEDY}"
            )
        yield context[unit_id]


def _qa_row(
    law: Law,
    question: Question,
    occurrences: Sequence[Occurrence],
    context: dict[ContextUnitId, ContextUnit],
) -> QaRow:
    acts = {act.id: act for act in law.acts}
    newest, oldest_first = occurrences[0], list(reversed(occurrences))
    own = {
        "act_id": newest.act_id,
        "evidence": newest.evidence,
        "versions": tuple(one.act_id for one in oldest_first),
        "in_force": newest.act_id == law.acts[0].id,
        "context": "\n\n".join(unit.text for unit in _units_of(question, newest.act_id, context)),
        "occurrences": tuple(
            OccurrenceRow(**columns(OccurrenceRow, one, acts[one.act_id])) for one in oldest_first
        ),
    }
    return QaRow(**columns(QaRow, question, question.generated_by, acts[newest.act_id], **own))


def _claim_row(claim: Claim, row: QaRow) -> ClaimRow:
    own = {
        "unit_ids": tuple(dict.fromkeys(evidence.unit_id for evidence in row.evidence)),
        "extracted_by": claim.extracted_by.model,
        "labelled_by": claim.labelled_by.model,
        "label_prompt_id": claim.labelled_by.prompt_id,
    }
    return ClaimRow(**columns(ClaimRow, claim, row, **own))


def corpus_rows(act: Act, source: ReleaseSource, *, newest_version: bool) -> list[CorpusRow]:
    """The articles, recitals and annexes of an act, in the order of its text."""
    units = [unit for unit in source.units(act.id) if unit.kind in CORPUS_KINDS]
    return [
        CorpusRow(**columns(CorpusRow, unit, act, unit_id=unit.id, newest_version=newest_version))
        for unit in sorted(units, key=lambda unit: (unit.order, unit.id))
    ]


def context_rows(act: Act, source: ReleaseSource, *, newest_version: bool) -> list[ContextUnitRow]:
    """The context units of an act, in the order of its text."""
    return [
        ContextUnitRow(**columns(ContextUnitRow, unit, act, newest_version=newest_version))
        for unit in sorted(source.context_units(act.id), key=lambda unit: (unit.order, unit.id))
    ]
