"""Versions follow from what changed."""

from __future__ import annotations

import pytest

from claimrag.schemas.errors import InputError
from claimrag.tasks.release.version import (
    Changes,
    ConfigurationChanges,
    next_version,
    parse_version,
    why_version,
)

NOTHING = Changes(configurations={"qa": ConfigurationChanges()})
ROWS = Changes(configurations={"qa": ConfigurationChanges(), "claims": ConfigurationChanges(changed=1)})
COLUMN = Changes(configurations={}, new_columns=("qa.new",))
BREAKING = Changes(configurations={}, breaking=("column qa.old is gone",))


@pytest.mark.parametrize(
    ("previous", "changes", "following"),
    [
        (None, None, "0.1.0"),
        ("0.1.0", None, "0.2.0"),
        ("0.1.0", NOTHING, "0.1.1"),
        ("0.1.9", ROWS, "0.2.0"),
        ("1.2.3", NOTHING, "1.2.4"),
        ("1.2.3", ROWS, "1.3.0"),
        ("1.2.3", COLUMN, "1.3.0"),
        ("1.2.3", BREAKING, "2.0.0"),
        ("0.9.3", BREAKING, "0.10.0"),
    ],
)
def test_the_next_version_follows_from_the_changes(previous, changes, following):
    assert next_version(previous, changes) == following


@pytest.mark.parametrize(
    ("version", "previous", "changes", "sentence"),
    [
        ("0.1.0", None, None, "The number is 0.1.0 because it is the first release."),
        ("0.2.0", "0.1.0", None, "The number is 0.2.0 because the rows of 0.1.0 were damaged or not at hand, so that "
         "any may have changed."),
        ("0.1.1", "0.1.0", NOTHING, "The number is 0.1.1 because no row changed, only facts that the card states."),
        ("1.3.0", "1.2.3", COLUMN, "The number is 1.3.0 because rows or columns came, went or changed."),
        ("2.0.0", "1.2.3", BREAKING, "The number is 2.0.0 because a configuration or a column that readers may use is "
         "gone or has another type."),
        ("0.10.0", "0.9.3", BREAKING, "The number is 0.10.0 because a configuration or a column that readers may use "
         "is gone or has another type, which below 1.0.0 raises the minor number."),
        ("3.0.0", "1.2.3", ROWS, "The number 3.0.0 was chosen; from what changed it would be 1.3.0, because rows or "
         "columns came, went or changed."),
    ],
)  # fmt: skip
def test_the_reason_of_a_version_is_the_rule_that_gives_it(version, previous, changes, sentence):
    assert why_version(version, previous, changes) == sentence


def test_versions_compare_as_numbers():
    assert sorted(["0.10.0", "0.9.0", "0.9.10"], key=parse_version) == ["0.9.0", "0.9.10", "0.10.0"]


@pytest.mark.parametrize("version", ["", "1", "1.2", "v1.2.3", "1.2.3-rc1", "01.2.3", "1.2.3\n", "1.2.x"])
def test_anything_else_is_no_version(version):
    with pytest.raises(InputError, match="three numbers"):
        parse_version(version)
