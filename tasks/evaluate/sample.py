"""Which questions get model answers, and which claims those are held against.

The sample is seeded: the same on every machine, in whatever order the questions come.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterable

from claimrag.schemas.base import QuestionId
from claimrag.schemas.claim import Claim, ClaimOrigin
from claimrag.schemas.question import ReviewStatus


def sample_questions(
    candidates: Collection[QuestionId], size: int | None, seed: int
) -> frozenset[QuestionId]:
    """`size` of the candidates, or all of them when `size` is None or larger."""
    ordered = sorted(set(candidates))
    if size is None or size >= len(ordered):
        return frozenset(ordered)
    return frozenset(random.Random(seed).sample(ordered, size))  # noqa: S311 - a sample, not a secret


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
