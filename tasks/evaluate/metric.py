"""Metric: one score of a RAG system as an object. Its name, its heading in tables, what it says, how it is computed.

The registries are CLAIM_METRICS (tasks/evaluate/metrics.py) and RETRIEVAL_METRICS (retrieval_metrics.py); the
columns of tables, the legend and the means derive from them. A metric's name is a field of ScoredAnswer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Metric(Generic[T]):
    """`value` gives a fraction 0..1 of what is known about one question, or None where it is not defined.

    `heading` is the abbreviation of ClaimRAG-LAW's Table 2 where it has one; `legend` is one sentence.
    """

    name: str
    heading: str
    legend: str
    value: Callable[[T], float | None]
    lower_is_better: bool = False

    @property
    def column(self) -> str:
        """The heading of its column; an arrow marks what is better low."""
        return f"{self.heading} ↓" if self.lower_is_better else self.heading
