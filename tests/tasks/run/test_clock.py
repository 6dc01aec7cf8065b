"""The clock of a build, and what stops it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from claimrag.schemas.errors import SettingsError
from claimrag.tasks.run.clock import utc_now, wall_clock


def test_the_clock_stands_where_source_date_epoch_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert utc_now() == datetime(1970, 1, 2, tzinfo=UTC)
    assert wall_clock() > datetime(2025, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("value", [None, ""])
def test_the_clock_runs_where_nothing_stops_it(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    if value is not None:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
    assert abs(utc_now() - wall_clock()) < timedelta(seconds=5)


@pytest.mark.parametrize("value", ["abc", "9" * 20, "1.5", "-" + "9" * 20])
def test_an_epoch_that_is_no_time_is_a_sentence(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
    with pytest.raises(SettingsError, match="SOURCE_DATE_EPOCH"):
        utc_now()
