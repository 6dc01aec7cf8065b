"""Question: a question about a law, its reference answer, and the exact quotations that support it.

A question is an item: its id and everything in it depend on the words of the law that it rests on, never on a
version of the act. Where it holds is an Occurrence (schemas/occurrence.py). Decisions hang on the item.
"""

from __future__ import annotations

from enum import StrEnum

from claimrag.schemas.base import ContextUnitId, LawId, Noun, QuestionId


class Hop(StrEnum):
    """Whether one context unit suffices to answer."""

    SINGLE = "single"
    MULTI = "multi"


class Category(StrEnum):
    """The four categories of ClaimRAG-LAW (arXiv 2605.21071, CG1 to CG4)."""

    GENERAL_RESEARCH = "general_research"
    FACTUAL_RECALL = "factual_recall"
    FALSE_PREMISE = "false_premise"
    JURISDICTION_TIME = "jurisdiction_time"


class Persona(StrEnum):
    """Who asks (ClaimRAG-LAW, P1 to P3)."""

    CITIZEN = "citizen"
    CIVIL_OFFICER = "civil_officer"
    LEGAL_EXPERT = "legal_expert"


class ReviewStatus(StrEnum):
    """Who vouches for a row. Only an expert's decision ever makes it `expert_validated`."""

    UNREVIEWED = "unreviewed"
    EXPERT_VALIDATED = "expert_validated"
    EXPERT_REJECTED = "expert_rejected"


class Quotation(Noun):
    """Words of a context unit that support an answer: `context_unit.text[start:end] == text`, byte for byte.

    `sentence` is the number of the quoted sentence in its context unit; None for words the model quoted itself.
    """

    context_unit_id: ContextUnitId
    sentence: int | None
    start: int
    end: int
    text: str


class AlterationKind(StrEnum):
    """What was altered to make a false premise; the order is that of preference."""

    NUMBER = "number"
    DATE = "date"
    ADDRESSEE = "addressee"
    MODALITY = "modality"


class FalsePremise(Noun):
    """One fact of one sentence, as the law has it and as the mistaken person has it.

    `original` and `altered` are the words that differ; `truth` and `belief` the sentence (white space on one line)
    with either, so that `truth` with `original` replaced by `altered` in one place is `belief`.
    """

    kind: AlterationKind
    sentence: int
    original: str
    altered: str
    truth: str
    belief: str


IMPORTED = "imported"
"""What stands where a row that others published does not say how it was made."""


class ModelTrace(Noun):
    """Which model wrote a row, and with what. `temperature` is None when none was sent to the model."""

    model: str
    temperature: float | None
    temperature_note: str = "sent"
    seed: int | None
    prompt_id: str
    prompt_hash: str
    request_key: str

    @property
    def is_imported(self) -> bool:
        """Whether the row was published by others, who do not say how it was made."""
        return self.temperature_note == IMPORTED


class Question(Noun):
    """A question-answer pair. The id is a hash of context units, hop, category, question and answer.

    The ids of context units hash the law, its language and the words, so that the same question about the same
    words is one item, however many versions of the law hold them. `context_sha256` is the hash of the context
    unit's text, or of the list of their hashes where there are several.
    """

    id: QuestionId
    law_id: LawId
    context_unit_ids: tuple[ContextUnitId, ...]
    context_sha256: str
    hop: Hop
    category: Category
    persona: Persona
    language: str
    question: str
    answer: str
    rationale: str
    quotations: tuple[Quotation, ...]
    false_premise: FalsePremise | None = None
    suitability_reason: str | None = None
    generated_by: ModelTrace
    review: ReviewStatus = ReviewStatus.UNREVIEWED
