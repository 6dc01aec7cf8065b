"""What is asked of a build is looked at when it is asked, not when it is used."""

from __future__ import annotations

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
