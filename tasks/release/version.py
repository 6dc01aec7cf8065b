"""Versions: what changed since the last release, and the semantic version that follows from it.

Major: a configuration or column is gone or has another type, so that readers break. Minor: rows or columns
came, went or changed. Patch: only the card's facts did (counts, licences). Below 1.0.0 a breaking
change raises the minor number, as semantic versioning allows.
"""

from __future__ import annotations

import re

from claimrag.schemas.base import Noun
from claimrag.schemas.errors import InputError

FIRST_VERSION = "0.1.0"
_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", re.ASCII)


class ConfigurationChanges(Noun):
    """Rows of one configuration that are new, gone, or the same id with another content."""

    added: int = 0
    removed: int = 0
    changed: int = 0

    @property
    def any(self) -> bool:
        """Whether any row differs."""
        return bool(self.added or self.removed or self.changed)


class Changes(Noun):
    """What differs from the previous release. `breaking` says in words what readers would stumble on."""

    configurations: dict[str, ConfigurationChanges]
    new_columns: tuple[str, ...] = ()
    breaking: tuple[str, ...] = ()

    @property
    def any_row(self) -> bool:
        """Whether a row of any configuration differs."""
        return any(each.any for each in self.configurations.values())


def parse_version(version: str) -> tuple[int, int, int]:
    """Major, minor, patch; InputError for anything else, a leading `v` included."""
    match = _VERSION.fullmatch(version)
    if match is None:
        raise InputError(f"{version!r} is not a version; write three numbers as in 1.2.0, without a v")
    major, minor, patch = (int(number) for number in match.groups())
    return major, minor, patch


def next_version(previous: str | None, changes: Changes | None) -> str:
    """The version after `previous`; the first one is 0.1.0."""
    return _following(previous, changes)[0]


def why_version(version: str, previous: str | None, changes: Changes | None) -> str:
    """A sentence that says why a release has its version."""
    following, why = _following(previous, changes)
    if version == following:
        return f"The number is {version} because {why}."
    return f"The number {version} was chosen; from what changed it would be {following}, because {why}."


def _following(previous: str | None, changes: Changes | None) -> tuple[str, str]:
    """The version after `previous`, and the rule that gives it."""
    if previous is None:
        return FIRST_VERSION, "it is the first release"
    major, minor, patch = parse_version(previous)
    next_minor = f"{major}.{minor + 1}.0"
    if changes is None:
        return next_minor, f"the rows of {previous} were damaged or not at hand, so that any may have changed"
    if changes.breaking:
        breaking = "a configuration or a column that readers may use is gone or has another type"
        if major > 0:
            return f"{major + 1}.0.0", breaking
        return next_minor, f"{breaking}, which below 1.0.0 raises the minor number"
    if changes.any_row or changes.new_columns:
        return next_minor, "rows or columns came, went or changed"
    return f"{major}.{minor}.{patch + 1}", "no row changed, only facts that the card states"
