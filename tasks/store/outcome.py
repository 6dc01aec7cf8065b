"""Outcome: what a step kept and what it rejected. Every step returns one; nothing is dropped in silence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from claimrag.schemas.rejected import Rejected, StageCounts

T = TypeVar("T")


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """Rows kept and rows rejected; `counts` adds up by construction."""

    kept: list[T] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)

    @property
    def counts(self) -> StageCounts:
        """Considered, kept, and rejected by reason."""
        return StageCounts.of(len(self.kept), self.rejected)

    @classmethod
    def joined(cls, outcomes: Iterable[Outcome[T]]) -> Outcome[T]:
        """One outcome from several, in their order."""
        kept: list[T] = []
        rejected: list[Rejected] = []
        for outcome in outcomes:
            kept.extend(outcome.kept)
            rejected.extend(outcome.rejected)
        return cls(kept, rejected)
