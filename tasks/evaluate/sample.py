"""Which questions get model answers: a seeded sample, the same on every machine."""

from __future__ import annotations

import random
from collections.abc import Collection

from claimrag.schemas.base import QuestionId


def sample_questions(
    candidates: Collection[QuestionId], size: int | None, seed: int
) -> frozenset[QuestionId]:
    """`size` of the candidates, or all of them when `size` is None or larger."""
    ordered = sorted(candidates)
    if size is None or size >= len(ordered):
        return frozenset(ordered)
    return frozenset(random.Random(seed).sample(ordered, size))  # noqa: S311 - a sample, not a secret
