"""Means say over how many, and their intervals are the same on every run."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from claimrag.schemas.errors import InputError
from claimrag.schemas.run import ScoredAnswer
from claimrag.tasks.evaluate import means
from claimrag.tasks.evaluate.means import METRICS, mean_score, mean_scores, run_of


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


def _rows(build: Any, count: int = 20) -> list[ScoredAnswer]:
    first = build.scored_answers[0]
    return [
        first.model_copy(update={"question_id": f"q{n:03}", "precision": n / count, "recall": None})
        for n in range(count)
    ]


def test_each_mean_is_that_of_its_own_field(made_up_build: Any) -> None:
    row = made_up_build.scored_answers[0]
    values = {metric: (n + 1) / 100 for n, metric in enumerate(METRICS)}
    scores = mean_scores([row.model_copy(update=values)], total=1, resamples=100, seed=1)
    assert [score.mean for score in scores] == [n + 1.0 for n in range(len(METRICS))]
    assert {(score.scored, score.total) for score in scores} == {(1, 1)}


def test_a_run_reads_rows_once_and_in_any_order(made_up_build: Any) -> None:
    rows, system = _rows(made_up_build), made_up_build.runs[0].system

    def one_by_one(given: list[ScoredAnswer]) -> Iterator[ScoredAnswer]:
        yield from given

    def run(given: list[ScoredAnswer], seed: int = 13) -> Any:
        acts = ["b", "a", "b"]
        return run_of(rows[0].run_id, system, "en", acts, one_by_one(given), 25, 200, seed)  # type: ignore[arg-type]

    result = run(rows)
    assert run(rows[::-1]) == run(rows[5:] + rows[:5]) == result
    assert (result.id, result.system, result.language) == (rows[0].run_id, system, "en")
    assert (result.acts, result.questions) == (("a", "b"), 25)
    precision, recall, *_ = result.scores
    assert (precision.mean, precision.scored, precision.total) == (47.5, 20, 25)
    assert (recall.mean, recall.scored, recall.total) == (None, 0, 25)
    values = [row.precision for row in rows]
    assert precision == mean_score("precision", values, total=25, resamples=200, seed=13)
    assert precision != run(rows, seed=14).scores[0]


def test_the_same_question_in_two_acts_stands_in_the_order_of_the_acts(made_up_build: Any) -> None:
    one, other = (row.model_copy(update={"question_id": "q"}) for row in _rows(made_up_build, 2))
    pair = [one.model_copy(update={"act_id": "b"}), other.model_copy(update={"act_id": "a"})]
    rows = [*pair, *_rows(made_up_build, 3)]
    assert mean_scores(rows, total=9, resamples=100, seed=1) == mean_scores(
        rows[::-1], total=9, resamples=100, seed=1
    )


def test_rows_of_another_run_and_more_rows_than_questions_are_refused(made_up_build: Any) -> None:
    rows, system = _rows(made_up_build), made_up_build.runs[0].system
    with pytest.raises(InputError, match="rows of one run"):
        run_of("run_other", system, "en", [], rows, 20, 100, 1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="20 scored rows for 19 questions"):
        run_of(rows[0].run_id, system, "en", [], rows, 19, 100, 1)
    run_of(rows[0].run_id, system, "en", [], rows, 20, 100, 1)


@pytest.mark.parametrize("at_once", [1, 23, 7 * 23, 250, 10**9])
def test_an_interval_does_not_depend_on_how_many_values_are_drawn_at_once(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    values = np.random.default_rng(3).random(23).tolist()
    expected = _mean(values)
    monkeypatch.setattr(means, "_DRAWN_AT_ONCE", at_once)
    assert _mean(values) == expected


def test_an_interval_leaves_two_and_a_half_percent_of_resampled_means_on_either_side() -> None:
    values = (np.random.default_rng(5).random(9) ** 3).tolist()
    random = np.random.default_rng(13)
    resampled = np.array(values)[random.integers(0, 9, size=(500, 9))].mean(axis=1)
    low, high = np.percentile(resampled, (2.5, 97.5))
    assert _mean(values)[1:3] == (round(low * 100, 1), round(high * 100, 1))
    for other in ((1.5, 97.5), (3.5, 97.5), (2.5, 96.5), (2.5, 98.5)):
        assert np.abs(np.percentile(resampled, other) - (low, high)).max() > 0.002
