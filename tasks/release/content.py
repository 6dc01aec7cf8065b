"""ReleaseContent: the tables a release is made of, and the flat rows made from them.

Rows come out sorted, whatever the order of the input. A question that an expert rejected is left out with
its claims; the card says how many. A row that points to nothing is an error, never dropped in silence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from claimrag.schemas.act import Act
from claimrag.schemas.base import ActId, ContextUnitId, Noun, QuestionId
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.claim import Claim
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.errors import EmptyStageError, StoreError
from claimrag.schemas.question import Question, ReviewStatus
from claimrag.schemas.rejected import StageCounts
from claimrag.schemas.run import Run
from claimrag.schemas.unit import Unit
from claimrag.tasks.release.rows import (
    CONFIGURATIONS,
    CORPUS_KINDS,
    ClaimRow,
    ContextUnitRow,
    CorpusRow,
    EvidenceRow,
    QaRow,
)


@dataclass(frozen=True)
class ReleaseContent:
    """Tables of a finished build; `counts` are those of each stage, by its name."""

    acts: Sequence[Act]
    units: Sequence[Unit]
    context_units: Sequence[ContextUnit]
    questions: Sequence[Question]
    claims: Sequence[Claim]
    chunks: Sequence[Chunk] = ()
    runs: Sequence[Run] = ()
    counts: Mapping[str, StageCounts] = field(default_factory=dict)


Rows = dict[str, list[Noun]]
"""The rows of each configuration, in the order they are written."""


def release_rows(content: ReleaseContent) -> Rows:
    """The rows of every configuration.

    Raises StoreError when a row refers to something that is not in the content, and EmptyStageError when a
    configuration would have no row.
    """
    acts = {act.id: act for act in content.acts}
    context = {(unit.act_id, unit.id): unit for unit in content.context_units}
    kept = [q for q in content.questions if q.review is not ReviewStatus.EXPERT_REJECTED]
    all_questions = {question.id: question for question in content.questions}
    questions = {question.id: question for question in kept}
    rows: Rows = {
        "qa": [_qa_row(q, acts, context) for q in sorted(kept, key=lambda q: (q.act_id, q.id))],
        "claims": [_claim_row(claim, questions) for claim in _claims(content, all_questions)],
        "corpus": [_corpus_row(unit, acts) for unit in _corpus_units(content)],
        "context_units": [
            _context_row(unit, acts)
            for unit in sorted(context.values(), key=lambda u: (u.act_id, u.order, u.id))
        ],
    }
    for name in CONFIGURATIONS:
        if not rows[name]:
            raise EmptyStageError(
                f"the release has no row for {name!r}: nothing is published without it. "
                "The counts of the stages say why rows were rejected"
            )
    return rows


def _claims(content: ReleaseContent, questions: Mapping[QuestionId, Question]) -> list[Claim]:
    kept = []
    for claim in sorted(content.claims, key=lambda c: (c.act_id, c.question_id, c.order, c.id)):
        question = questions.get(claim.question_id)
        if question is None:
            raise StoreError(f"claim {claim.id} belongs to question {claim.question_id}, which is not there")
        if ReviewStatus.EXPERT_REJECTED not in (claim.review, question.review):
            kept.append(claim)
    return kept


def _corpus_units(content: ReleaseContent) -> list[Unit]:
    units = [unit for unit in content.units if unit.kind in CORPUS_KINDS]
    return sorted(units, key=lambda unit: (unit.act_id, unit.order, unit.id))


def _act(acts: Mapping[ActId, Act], act_id: ActId, whose: str) -> Act:
    act = acts.get(act_id)
    if act is None:
        raise StoreError(f"{whose} belongs to act {act_id}, which is not in the release")
    return act


Context = Mapping[tuple[ActId, ContextUnitId], ContextUnit]
"""Context units by act and id: versions of an act that leave a text unchanged share its id."""


def _qa_row(row: Question, acts: Mapping[ActId, Act], context: Context) -> QaRow:
    act = _act(acts, row.act_id, f"question {row.id}")
    missing = [unit_id for unit_id in row.context_unit_ids if (row.act_id, unit_id) not in context]
    if missing:
        raise StoreError(f"question {row.id} names context unit {missing[0]}, which is not in the release")
    evidence = [e.model_dump(include=set(EvidenceRow.model_fields)) for e in row.evidence]
    return QaRow(
        id=row.id,
        question=row.question,
        answer=row.answer,
        rationale=row.rationale,
        category=row.category,
        persona=row.persona,
        hop=row.hop,
        language=row.language,
        act_id=row.act_id,
        celex=act.celex,
        eli=act.eli,
        title=act.title,
        version_date=act.version_date,
        context_unit_ids=row.context_unit_ids,
        context="\n\n".join(context[row.act_id, unit_id].text for unit_id in row.context_unit_ids),
        evidence=tuple(EvidenceRow.model_validate(each) for each in evidence),
        false_premise=row.false_premise,
        model=row.generated_by.model,
        temperature=row.generated_by.temperature,
        temperature_note=row.generated_by.temperature_note,
        seed=row.generated_by.seed,
        prompt_id=row.generated_by.prompt_id,
        prompt_hash=row.generated_by.prompt_hash,
        review=row.review,
    )


def _claim_row(row: Claim, questions: Mapping[QuestionId, Question]) -> ClaimRow:
    shared = set(ClaimRow.model_fields) & set(Claim.model_fields) - {"extracted_by", "labelled_by"}
    return ClaimRow(
        **row.model_dump(include=shared),
        question=questions[row.question_id].question,
        extracted_by=row.extracted_by.model,
        labelled_by=row.labelled_by.model,
    )


def _corpus_row(row: Unit, acts: Mapping[ActId, Act]) -> CorpusRow:
    act = _act(acts, row.act_id, f"unit {row.id}")
    shared = set(CorpusRow.model_fields) & set(Unit.model_fields)
    return CorpusRow(
        **row.model_dump(include=shared),
        unit_id=row.id,
        celex=act.celex,
        eli=act.eli,
        title=act.title,
        language=act.language,
        version_date=act.version_date,
    )


def _context_row(row: ContextUnit, acts: Mapping[ActId, Act]) -> ContextUnitRow:
    _act(acts, row.act_id, f"context unit {row.id}")
    return ContextUnitRow.model_validate(row.model_dump(include=set(ContextUnitRow.model_fields)))
