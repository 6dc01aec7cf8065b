"""What models were asked for in a run, by work and purpose: sums from which averages and estimates follow."""

from __future__ import annotations

from enum import StrEnum

from claimrag.schemas.base import Noun


class Work(StrEnum):
    """A kind of work that asks models; `stage` is the command that does it."""

    SINGLE_HOP = "single_hop"
    MULTI_HOP = "multi_hop"
    CLAIMS = "claims"
    SCORES = "scores"

    @property
    def stage(self) -> str:
        """The stage that does this work, as the command line names it."""
        return {Work.CLAIMS: "claims", Work.SCORES: "evaluate"}.get(self, "generate")

    def counted(self, number: float) -> str:
        """So many of what is worked on, rounded."""
        whole = round(number)
        return f"{whole:,} {_ITEMS[self]}{'' if whole == 1 else 's'}"


_ITEMS = {
    Work.SINGLE_HOP: "context unit",
    Work.MULTI_HOP: "window",
    Work.CLAIMS: "question",
    Work.SCORES: "answer",
}


class PurposeAsked(Noun):
    """The requests of one purpose (a prompt) to one model: sums over calls.

    `size` are the characters of what was worked on, `shown` those of them that stood in the prompts.
    """

    purpose: str
    model: str
    calls: int
    prompt_bytes: int
    prompt_tokens: int
    completion_tokens: int
    shown: float
    size: int


class WorkAsked(Noun):
    """One kind of work in one language: how many items asked a model, their parts, and what was kept of them.

    `kept` are questions for context units and windows, and questions with claims for the work on claims.
    """

    work: Work
    language: str
    items: int
    parts: int
    kept: int
    purposes: tuple[PurposeAsked, ...]
