"""The rows of a published dataset: flat, typed, readable without knowing claimrag's own tables.

One noun per configuration. Offsets stay offsets into the act's canonical text, as everywhere; subtract the
`start` of the context unit to find a quotation in its `text`.
"""

from __future__ import annotations

from datetime import date

from claimrag.schemas.base import ActId, ClaimId, ContextUnitId, Noun, QuestionId, UnitId
from claimrag.schemas.claim import ClaimOrigin, Label
from claimrag.schemas.context import ContextStrategy, Sentence
from claimrag.schemas.question import Category, Hop, Persona, ReviewStatus
from claimrag.schemas.unit import UnitKind, UnitStatus


class EvidenceRow(Noun):
    """A quotation of the act that supports an answer."""

    context_unit_id: ContextUnitId
    unit_id: UnitId
    start: int
    end: int
    quotation: str


class QaRow(Noun):
    """A question with its reference answer, the law it is asked about, and how it was made.

    `context` is the text of the context units, joined by a blank line.
    """

    id: QuestionId
    question: str
    answer: str
    rationale: str
    category: Category
    persona: Persona
    hop: Hop
    language: str
    act_id: ActId
    celex: str | None
    eli: str | None
    title: str
    version_date: date
    context_unit_ids: tuple[ContextUnitId, ...]
    context: str
    evidence: tuple[EvidenceRow, ...]
    false_premise: str | None
    model: str
    temperature: float | None
    temperature_note: str
    seed: int | None
    prompt_id: str
    prompt_hash: str
    review: ReviewStatus


class ClaimRow(Noun):
    """A triplet from a reference answer, and how the law's text relates to it."""

    id: ClaimId
    question_id: QuestionId
    question: str
    act_id: ActId
    language: str
    order: int
    subject: str
    predicate: str
    object: str
    sentence: str
    label: Label
    origin: ClaimOrigin
    extracted_by: str
    labelled_by: str
    review: ReviewStatus


class CorpusRow(Noun):
    """An article, recital or annex: what a retriever may index."""

    unit_id: UnitId
    act_id: ActId
    celex: str | None
    eli: str | None
    title: str
    language: str
    version_date: date
    kind: UnitKind
    number: str | None
    label: str | None
    heading: str | None
    path: tuple[str, ...]
    status: UnitStatus
    start: int
    end: int
    text: str


class ContextUnitRow(Noun):
    """What a question's generator saw, with its numbered sentences."""

    id: ContextUnitId
    act_id: ActId
    language: str
    strategy: ContextStrategy
    order: int
    heading: str
    unit_ids: tuple[UnitId, ...]
    start: int
    end: int
    tokens: int
    text: str
    sentences: tuple[Sentence, ...]


CONFIGURATIONS: dict[str, type[Noun]] = {
    "qa": QaRow,
    "claims": ClaimRow,
    "corpus": CorpusRow,
    "context_units": ContextUnitRow,
}
"""The configurations of the dataset, the default one first."""
SPLIT = "test"
CORPUS_KINDS = (UnitKind.ARTICLE, UnitKind.RECITAL, UnitKind.ANNEX)
