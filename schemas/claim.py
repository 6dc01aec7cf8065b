"""Claim: one triplet taken from a reference answer, with its relation to the words the question rests on.

A claim is an item, as its question is: it holds in every version of the act in which the question occurs.
"""

from __future__ import annotations

from enum import StrEnum

from claimrag.schemas.base import ClaimId, LawId, Noun, QuestionId
from claimrag.schemas.question import ModelTrace, ReviewStatus


class Label(StrEnum):
    """How the reference text relates to the claim (RefChecker's three labels)."""

    ENTAILMENT = "Entailment"
    NEUTRAL = "Neutral"
    CONTRADICTION = "Contradiction"


class ClaimOrigin(StrEnum):
    """Extracted from an answer, or made by a controlled edit of an extracted claim."""

    EXTRACTED = "extracted"
    EDITED = "edited"


class Claim(Noun):
    """Subject, predicate, object; `sentence` reads them as one. The id hashes question and triplet."""

    id: ClaimId
    question_id: QuestionId
    law_id: LawId
    language: str
    order: int
    subject: str
    predicate: str
    object: str
    sentence: str
    origin: ClaimOrigin
    label: Label
    extracted_by: ModelTrace
    labelled_by: ModelTrace
    review: ReviewStatus = ReviewStatus.UNREVIEWED
