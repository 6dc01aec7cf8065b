"""Means say over how many, and their intervals are the same on every run."""

import pytest

from claimrag.tasks.evaluate.means import METRICS, mean_score, mean_scores
from claimrag.tasks.evaluate.sample import sample_questions


def _mean(values: list[float | None], seed: int = 13) -> tuple[object, ...]:
    score = mean_score("precision", values, total=9, resamples=500, seed=seed)
    return score.mean, score.low, score.high, score.scored, score.total


def test_what_is_not_scored_is_no_zero() -> None:
    assert _mean([1.0, None, 0.5, None])[0] == 75.0
    assert _mean([1.0, None, 0.5, None])[3:] == (2, 9)


def test_nothing_scored_has_no_mean() -> None:
    assert _mean([None, None]) == (None, None, None, 0, 9)
    assert _mean([]) == (None, None, None, 0, 9)


def test_one_value_is_its_own_interval() -> None:
    assert _mean([1 / 3]) == (33.3, 33.3, 33.3, 1, 9)


def test_the_interval_holds_the_mean_and_repeats_with_its_seed() -> None:
    values = [0.0, 0.2, 0.9, 1.0, 0.4] * 10
    mean, low, high, *_ = _mean(values)
    assert low < mean < high  # type: ignore[operator]
    assert _mean(values) == _mean(values)
    # sd of the mean is 0.385 / sqrt(50) = 5.4 points: the interval is about 21 points wide
    assert high - low == pytest.approx(21.3, abs=4)  # type: ignore[operator]


def test_every_metric_has_a_mean_whatever_the_order_of_the_rows(made_up_build: object) -> None:
    rows = list(made_up_build.scored_answers)  # type: ignore[attr-defined]
    scores = mean_scores(rows, total=50, resamples=100, seed=1)
    assert [score.metric for score in scores] == list(METRICS)
    assert mean_scores(rows[::-1], total=50, resamples=100, seed=1) == scores


def test_a_sample_depends_on_its_seed_alone() -> None:
    names = [f"q{n}" for n in range(50)]
    one = sample_questions(names, 5, 13)  # type: ignore[arg-type]
    assert one == sample_questions(names[::-1], 5, 13)  # type: ignore[arg-type]
    assert len(one) == 5
    assert one != sample_questions(names, 5, 14)  # type: ignore[arg-type]
    assert sample_questions(names, None, 13) == sample_questions(names, 99, 13) == frozenset(names)  # type: ignore[arg-type]
