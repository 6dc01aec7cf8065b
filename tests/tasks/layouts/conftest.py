"""A small release of the made-up build with its scores, for every layout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from claimrag.tasks.layouts.source import ReleaseRows
from claimrag.tasks.release import ReleaseContent, make_release


def content_of(made_up: Any) -> ReleaseContent:
    return ReleaseContent(
        acts=made_up.acts,
        all_units=made_up.units,
        all_context_units=made_up.context_units,
        all_questions=made_up.questions,
        all_occurrences=made_up.occurrences,
        all_claims=made_up.claims,
        runs=made_up.runs,
        all_chunks=made_up.chunks,
        all_answers=made_up.scored_answers,
        all_retrievals=made_up.retrievals,
    )


@pytest.fixture
def release_of(tmp_path: Path) -> Callable[..., ReleaseRows]:
    """The release of a made-up build; `changes` replace what its source holds."""

    def made(made_up: Any, **changes: Any) -> ReleaseRows:
        result = make_release(tmp_path / "releases", replace(content_of(made_up), **changes))
        return ReleaseRows.at(result.folder)

    return made


@pytest.fixture
def release(release_of: Callable[..., ReleaseRows], made_up_build: Any) -> ReleaseRows:
    return release_of(made_up_build)
