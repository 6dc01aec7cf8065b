"""What is asked of a build is looked at when it is asked, not when it is used."""

from __future__ import annotations

import datetime as dt

import pytest
from pydantic import ValidationError

from claimrag.schemas.build import BuildRequest


@pytest.mark.parametrize(
    "version", ["v1", "1", "1.0", "1.0.0.0", "01.0.0", "1.0.0-rc1", "1.0.0\n", "", "١.٠.٠"]
)
def test_what_is_no_version_is_refused(version: str) -> None:
    with pytest.raises(ValidationError, match="three numbers as in"):
        BuildRequest(release_version=version)


@pytest.mark.parametrize("version", ["0.0.1", "1.2.0", "10.20.30", None])
def test_a_version_or_none_is_taken(version: str | None) -> None:
    assert BuildRequest(release_version=version).release_version == version


def test_every_field_of_a_request_is_described_for_the_form_that_prefect_shows() -> None:
    assert all(field.description for field in BuildRequest.model_fields.values())


@pytest.mark.parametrize("value", ["2024-1-3", "2024-02-31", "20240131", "31.1.2024", "", "\u0662024-01-31"])
def test_a_date_is_year_month_and_day_or_one_sentence(value: str) -> None:
    with pytest.raises(ValidationError, match=r"is not a date; write year, month and day as in 2024-01-31"):
        BuildRequest.model_validate({"date": value})
    assert BuildRequest.model_validate({"date": "2024-01-31"}).date == dt.date(2024, 1, 31)


@pytest.mark.parametrize("field", ["title", "licence"])
def test_blank_words_are_refused(field: str) -> None:
    with pytest.raises(ValidationError, match="it is blank"):
        BuildRequest.model_validate({field: " \t"})
