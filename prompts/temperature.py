"""Temperature rules: what the design of the benchmark asks for, per task (ClaimRAG-LAW, generation setup).

A rule is one fixed value, or a uniform draw between two bounds. A draw depends on the seed alone, so the
same item gets the same temperature on every run and machine.
"""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class TemperatureRule:
    """Bounds of the temperature; equal bounds mean a fixed value."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.low <= self.high <= 2.0:
            raise ValueError(f"temperature bounds {self.low}-{self.high} are not ordered within 0-2")

    @property
    def is_fixed(self) -> bool:
        """Whether every item gets the same temperature."""
        return self.low == self.high

    def draw(self, seed: int) -> float:
        """The temperature of the item with this seed, rounded to three decimals."""
        if self.is_fixed:
            return self.low
        return round(random.Random(seed).uniform(self.low, self.high), 3)  # noqa: S311 - not a secret
