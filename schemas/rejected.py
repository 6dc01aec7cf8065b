"""Rejected: a row that a step did not keep, with the reason and the raw material, so counts add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from claimrag.schemas.base import Noun
from claimrag.schemas.reason import Reason


class Rejected(Noun):
    """`reason` is one of `Reason`; `detail` is a sentence; `raw` the raw material.

    `item` names what the row was about: a context unit and category, a question, a claim.
    """

    stage: str
    item: str
    reason: Reason
    detail: str
    raw: str


class StageCounts(Noun):
    """`considered == kept + sum(rejected.values())`: a row is kept, or rejected for one reason."""

    considered: int
    kept: int
    rejected: dict[str, int]

    @classmethod
    def of(cls, kept: int, rejected: Iterable[Rejected]) -> StageCounts:
        """Count the outcome of a step."""
        reasons = Counter(row.reason.value for row in rejected)
        return cls(considered=kept + reasons.total(), kept=kept, rejected=dict(sorted(reasons.items())))

    @property
    def rejected_share(self) -> float:
        """Rejected over considered; 0 when nothing was considered."""
        return 0.0 if not self.considered else sum(self.rejected.values()) / self.considered

    def __add__(self, other: StageCounts) -> StageCounts:
        return StageCounts(
            considered=self.considered + other.considered,
            kept=self.kept + other.kept,
            rejected=dict(sorted((Counter(self.rejected) + Counter(other.rejected)).items())),
        )
