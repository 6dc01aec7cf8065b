"""The legend of reasons: what each code under which rows were rejected means."""

from __future__ import annotations

from collections.abc import Iterable

from claimrag.schemas.build import StageSummary
from claimrag.schemas.reason import Reason


def legend(stages: Iterable[StageSummary]) -> list[str]:
    """A line per reason that occurs, in the order of the enumeration; a malfunction is marked. None: no line."""
    codes = {code for stage in stages for code in stage.counts.rejected}
    lines = [
        f"  {reason.value}: {reason.meaning}{' (malfunction)' if reason.is_malfunction else ''}"
        for reason in Reason
        if reason.value in codes
    ]
    return ["rejected because:", *lines] if lines else []
