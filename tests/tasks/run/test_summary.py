"""The verdict of a build: rows lost to malfunctions count, rows that the filters took do not."""

from __future__ import annotations

import pytest
from made_up_system import rag_system

from claimrag.schemas.build import StageSummary
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import StageCounts
from claimrag.schemas.run import MeanScore, Run
from claimrag.tasks.run.summary import judge_build

MALFUNCTIONS = [reason for reason in Reason if reason.is_malfunction]
JUDGEMENTS = [reason for reason in Reason if not reason.is_malfunction]


def stage(rejected: dict[str, int], kept: int = 8) -> StageSummary:
    counts = StageCounts(considered=kept + sum(rejected.values()), kept=kept, rejected=rejected)
    return StageSummary(stage="claims", counts=counts, seconds=1.0)


def run_with(scored: int) -> Run:
    system = rag_system()
    mean = 50.0 if scored else None
    low_high = (40.0, 60.0) if scored else (None, None)
    score = MeanScore(
        metric="precision", mean=mean, low=low_high[0], high=low_high[1], scored=scored, total=22
    )
    return Run(
        id="run_1", system=system, language="en", acts=("a/b/2099-01-01/en",), questions=22, scores=(score,)
    )


@pytest.mark.parametrize("reason", MALFUNCTIONS)
def test_more_malfunctions_than_allowed_make_a_build_partial_and_the_verdict_names_them(
    reason: Reason,
) -> None:
    assert judge_build((stage({reason.value: 2}),), (), 0.2) == (0, "complete")
    code, verdict = judge_build((stage({reason.value: 3}),), (), 0.2)
    assert code == 3
    assert (
        verdict.startswith("partial: stage claims lost 27% of its 11 items")
        and f"{reason.value}: 3" in verdict
    )


def test_malfunctions_of_several_kinds_add_up() -> None:
    code, verdict = judge_build((stage({"model_refused": 2, "length": 1, "duplicate": 3}),), (), 0.2)
    assert code == 3 and "length: 1, model_refused: 2" in verdict and "duplicate" not in verdict


@pytest.mark.parametrize("reason", JUDGEMENTS)
def test_what_the_filters_reject_is_no_malfunction(reason: Reason) -> None:
    assert judge_build((stage({reason.value: 80}),), (), 0.2) == (0, "complete")
    assert judge_build((stage({reason.value: 80}, kept=0),), (), 0.2) == (0, "complete")


def test_a_baseline_without_a_scored_answer_is_never_complete() -> None:
    assert judge_build((stage({}),), (run_with(1),), 0.2) == (0, "complete")
    code, verdict = judge_build((stage({}),), (run_with(1), run_with(0)), 0.2)
    assert (code, verdict) == (
        3,
        "partial: no answer of bm25 + a-model (en) could be scored, of 22 questions",
    )


def test_there_are_reasons_of_both_kinds_and_each_says_what_it_means() -> None:
    assert len(MALFUNCTIONS) >= 9 and len(JUDGEMENTS) >= 20
    assert all(reason.meaning and not reason.meaning.endswith(".") for reason in Reason)
    assert not [reason for reason in JUDGEMENTS if reason.asked_again]
