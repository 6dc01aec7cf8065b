"""One finding of the doctor: what was looked at, how it is, and what to do about it."""

from __future__ import annotations

from enum import StrEnum

from claimrag.schemas.base import Noun


class State(StrEnum):
    """How a thing is. A warning does not stop a build; a failure does."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


class Check(Noun):
    """One thing that was looked at. `remedy` is there whenever `state` is not ok."""

    name: str
    state: State
    detail: str
    remedy: str | None = None


def ok(name: str, detail: str) -> Check:
    """A check that found nothing wrong."""
    return Check(name=name, state=State.OK, detail=detail)


def warning(name: str, detail: str, remedy: str) -> Check:
    """A check that found something a build survives."""
    return Check(name=name, state=State.WARNING, detail=detail, remedy=remedy)


def failed(name: str, detail: str, remedy: str) -> Check:
    """A check that found something a build does not survive."""
    return Check(name=name, state=State.FAILED, detail=detail, remedy=remedy)
