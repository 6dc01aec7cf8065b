"""The verdict of a build: rows lost to malfunctions count, rows that the filters took do not."""

from __future__ import annotations

import pytest

from claimrag.schemas.build import StageSummary
from claimrag.schemas.rejected import StageCounts
from claimrag.tasks.build.summary import MALFUNCTIONS, judge_build


def stage(rejected: dict[str, int], kept: int = 8) -> StageSummary:
    counts = StageCounts(considered=kept + sum(rejected.values()), kept=kept, rejected=rejected)
    return StageSummary(stage="claims", counts=counts, seconds=1.0)


@pytest.mark.parametrize("reason", ["malformed_triplet", "malformed_reply", "length"])
def test_more_malfunctions_than_allowed_make_a_build_partial_and_the_verdict_names_them(reason: str) -> None:
    assert reason in MALFUNCTIONS
    assert judge_build((stage({reason: 2}),), 0.2) == (0, "complete")
    code, verdict = judge_build((stage({reason: 3}),), 0.2)
    assert code == 3
    assert verdict.startswith("partial: stage claims lost 27% of its 11 items") and f"{reason}: 3" in verdict


def test_what_the_filters_reject_is_no_malfunction() -> None:
    assert judge_build((stage({"duplicate": 40, "unsuitable": 40}),), 0.2) == (0, "complete")
    assert judge_build((stage({}, kept=0),), 0.2) == (0, "complete")
