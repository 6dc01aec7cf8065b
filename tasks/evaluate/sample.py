"""Which questions get model answers, and which claims those are held against.

The sample is seeded: the same on every machine, in whatever order the questions come. A question more or less changes
one place of it at most, so that what was answered for the others is not asked anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from claimrag.schemas.base import QuestionId
from claimrag.schemas.canonical import sha256_text
from claimrag.schemas.claim import Claim, ClaimOrigin
from claimrag.schemas.question import ReviewStatus


def sample_questions(
    candidates: Collection[QuestionId], size: int | None, seed: int
) -> frozenset[QuestionId]:
    """`size` of the candidates, or all of them when `size` is None or larger."""
    if size is None:
        return frozenset(candidates)
    return frozenset(sorted(set(candidates), key=lambda one: (sha256_text(f"{seed} {one}"), one))[:size])


def reference_claims(claims: Iterable[Claim]) -> dict[QuestionId, tuple[Claim, ...]]:
    """The claims of the reference answers by question, in the order of the answer.

    Not the edited ones, nor those that an expert rejected. A question without any has no entry: it cannot be
    scored, so it is no candidate for the sample.
    """
    by_question: defaultdict[QuestionId, list[Claim]] = defaultdict(list)
    for claim in claims:
        if claim.origin is ClaimOrigin.EXTRACTED and claim.review is not ReviewStatus.EXPERT_REJECTED:
            by_question[claim.question_id].append(claim)
    return {
        question_id: tuple(sorted(of_one, key=lambda claim: (claim.order, claim.id)))
        for question_id, of_one in by_question.items()
    }
