"""Question: a question about a law, its reference answer, and the exact quotations that support it."""

from __future__ import annotations

from enum import StrEnum

from claimrag.schemas.base import ActId, ContextUnitId, Noun, QuestionId, UnitId


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


class Evidence(Noun):
    """A quotation: `act_text[start:end] == quotation`, byte for byte."""

    context_unit_id: ContextUnitId
    unit_id: UnitId
    sentence: int | None
    start: int
    end: int
    quotation: str


class ModelTrace(Noun):
    """Which model wrote a row, and with what. `temperature` is None when none was sent to the model."""

    model: str
    temperature: float | None
    temperature_note: str = "sent"
    seed: int | None
    prompt_id: str
    prompt_hash: str
    request_key: str


class Question(Noun):
    """A question-answer pair. The id is a hash of act, context, hop, category, question and answer."""

    id: QuestionId
    act_id: ActId
    context_unit_ids: tuple[ContextUnitId, ...]
    context_sha256: str
    hop: Hop
    category: Category
    persona: Persona
    language: str
    question: str
    answer: str
    rationale: str
    evidence: tuple[Evidence, ...]
    false_premise: str | None = None
    suitability_reason: str | None = None
    generated_by: ModelTrace
    review: ReviewStatus = ReviewStatus.UNREVIEWED
