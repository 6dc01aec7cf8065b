"""Means in percent with 95 % bootstrap intervals, each saying over how many questions.

"Not scored" (None) never enters a mean and is never 0. Intervals are percentile bootstrap over questions,
seeded: the same rows give the same interval, in whatever order they come. Of each row only its numbers are
kept, so that the rows of a corpus may come act by act.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from claimrag.schemas.base import ActId, RunId
from claimrag.schemas.errors import InputError
from claimrag.schemas.run import MeanScore, RagSystem, Run, ScoredAnswer
from claimrag.tasks.evaluate.metrics import CLAIM_METRICS
from claimrag.tasks.evaluate.retrieval_metrics import RETRIEVAL_METRICS

METRICS = (*(metric.name for metric in CLAIM_METRICS), *(metric.name for metric in RETRIEVAL_METRICS))
"""The metrics by the names of their fields, in the order of the tables."""

_INTERVAL = (2.5, 97.5)
_DRAWN_AT_ONCE = 500_000
_NOT_SCORED = math.nan


def run_of(
    run_id: RunId,
    system: RagSystem,
    language: str,
    acts: Iterable[ActId],
    rows: Iterable[ScoredAnswer],
    total: int,
    resamples: int,
    seed: int,
) -> Run:
    """The run with its means over `rows`, which are read once; `total` is how many questions there were.

    Raises InputError for a row of another run, or more rows than questions.
    """
    scores = mean_scores(_rows_of(run_id, rows), total=total, resamples=resamples, seed=seed)
    return Run(
        id=run_id,
        system=system,
        language=language,
        acts=tuple(sorted(set(acts))),
        questions=total,
        scores=scores,
    )


def mean_scores(
    rows: Iterable[ScoredAnswer], *, total: int, resamples: int, seed: int
) -> tuple[MeanScore, ...]:
    """One mean per metric, in the order of `METRICS`; `rows` in any order, read once."""
    keys: list[str] = []
    columns = {metric: array("d") for metric in METRICS}
    for row in rows:
        keys.append(f"{row.question_id} {row.act_id}")
        for metric, column in columns.items():
            value = getattr(row, metric)
            column.append(_NOT_SCORED if value is None else value)
    if len(keys) > total:
        raise InputError(f"{len(keys)} scored rows for {total} questions: a question is scored once in a run")
    order = np.argsort(np.array(keys, dtype=np.str_), kind="stable")
    return tuple(
        _mean(metric, np.asarray(column, dtype=np.float64)[order], total, resamples, seed)
        for metric, column in columns.items()
    )


def mean_score(
    metric: str, values: Sequence[float | None], *, total: int, resamples: int, seed: int
) -> MeanScore:
    """The mean of the values that are scored, in percent to one decimal, and its interval."""
    numbers = np.array([_NOT_SCORED if value is None else value for value in values], dtype=np.float64)
    return _mean(metric, numbers, total, resamples, seed)


def _rows_of(run_id: RunId, rows: Iterable[ScoredAnswer]) -> Iterable[ScoredAnswer]:
    for row in rows:
        if row.run_id != run_id:
            raise InputError(
                f"a row of run {row.run_id} among those of {run_id}: give the rows of one run alone"
            )
        yield row


def _mean(metric: str, values: NDArray[np.float64], total: int, resamples: int, seed: int) -> MeanScore:
    scored = values[~np.isnan(values)]
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


def _bootstrap_interval(values: NDArray[np.float64], resamples: int, seed: int) -> tuple[float, float]:
    random = np.random.default_rng(seed)
    means = np.full(resamples, np.nan)
    at_once = max(1, _DRAWN_AT_ONCE // len(values))  # bounded memory, however many questions
    for start in range(0, resamples, at_once):
        count = min(at_once, resamples - start)
        drawn = random.integers(0, len(values), size=(count, len(values)))
        means[start : start + count] = values[drawn].mean(axis=1)
    low, high = np.percentile(means, _INTERVAL)
    return float(low), float(high)


def _percent(fraction: float) -> float:
    return round(fraction * 100, 1)
