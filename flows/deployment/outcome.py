"""Outcome: what was done to one thing on the Prefect server, for the table that `claimrag deploy` prints."""

from __future__ import annotations

from typing import Any, Literal

from claimrag.schemas.base import Noun

Done = Literal["created", "updated", "unchanged", "removed"]


class Outcome(Noun):
    """One thing, by kind and name; `detail` says in a few words what it is."""

    kind: str
    name: str
    done: Done
    detail: str = ""


def difference(existing: Any | None, differs: bool) -> Done:
    """What is to be done about a thing that is there, or None."""
    if existing is None:
        return "created"
    return "updated" if differs else "unchanged"
