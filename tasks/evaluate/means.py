"""Means in percent with 95 % bootstrap intervals, each saying over how many questions.

"Not scored" (None) never enters a mean and is never 0. Intervals are percentile bootstrap over questions,
seeded: the same rows give the same interval, in whatever order they come.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from claimrag.schemas.run import MeanScore, ScoredAnswer
from claimrag.tasks.evaluate.metrics import CLAIM_METRICS

RETRIEVAL_METRICS = ("unit_recall", "unit_mrr", "character_recall", "character_precision")
METRICS = (*CLAIM_METRICS, *RETRIEVAL_METRICS)

_INTERVAL = (2.5, 97.5)
_RESAMPLES_AT_ONCE = 64


def mean_scores(
    rows: Sequence[ScoredAnswer], *, total: int, resamples: int, seed: int
) -> tuple[MeanScore, ...]:
    """One mean per metric, in the order of `METRICS`; `total` is how many questions there were."""
    ordered = sorted(rows, key=lambda row: row.question_id)
    return tuple(
        mean_score(
            metric, [getattr(row, metric) for row in ordered], total=total, resamples=resamples, seed=seed
        )
        for metric in METRICS
    )


def mean_score(
    metric: str, values: Sequence[float | None], *, total: int, resamples: int, seed: int
) -> MeanScore:
    """The mean of the values that are scored, in percent to one decimal, and its interval."""
    scored = np.array([value for value in values if value is not None], dtype=np.float64)
    if not len(scored):
        return MeanScore(metric=metric, mean=None, low=None, high=None, scored=0, total=total)
    low, high = _bootstrap_interval(scored, resamples, seed)
    return MeanScore(
        metric=metric,
        mean=_percent(float(scored.mean())),
        low=_percent(low),
        high=_percent(high),
        scored=len(scored),
        total=total,
    )


def _bootstrap_interval(values: np.ndarray, resamples: int, seed: int) -> tuple[float, float]:
    random = np.random.default_rng(seed)
    means = np.empty(resamples)
    for start in range(0, resamples, _RESAMPLES_AT_ONCE):  # bounded memory, however many questions
        count = min(_RESAMPLES_AT_ONCE, resamples - start)
        drawn = random.integers(0, len(values), size=(count, len(values)))
        means[start : start + count] = values[drawn].mean(axis=1)
    low, high = np.percentile(means, _INTERVAL)
    return float(low), float(high)


def _percent(fraction: float) -> float:
    return round(fraction * 100, 1)
