"""Seen: what is kept of each group once it has been judged, for what can only be judged over all of them.

Keys of acts and questions as hashes, where each chunk lies, and the numbers of each run. Nothing here grows with
the text of the laws; 100,000 questions in two runs take about 150 MB.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import NamedTuple, cast

from claimrag.schemas.base import ActId, ChunkId, QuestionId, RunId, UnitId
from claimrag.schemas.run import Run, ScoredAnswer, ScoreStatus
from claimrag.schemas.settings import EvaluateSettings
from claimrag.tasks.evaluate.means import METRICS


class ChunkPlace(NamedTuple):
    """A chunk without its text."""

    act_id: ActId
    chunker: str
    start: int
    end: int
    tokens: int
    unit_ids: tuple[UnitId, ...]


@dataclass
class RunTally:
    """The numbers of a run's scored answers, row by row."""

    keys: list[tuple[QuestionId, ActId]] = field(default_factory=list)
    columns: dict[str, array[float]] = field(default_factory=lambda: {name: array("d") for name in METRICS})
    statuses: Counter[ScoreStatus] = field(default_factory=Counter)

    def add(self, row: ScoredAnswer) -> None:
        """Count one row."""
        self.keys.append((row.question_id, row.act_id))
        self.statuses[row.status] += 1
        for name, column in self.columns.items():
            value = getattr(row, name)
            column.append(math.nan if value is None else value)

    def rows(self) -> Iterator[ScoredAnswer]:
        """Objects with the keys and numbers of the rows, as means are computed from."""
        for place, (question_id, act_id) in enumerate(self.keys):
            numbers = {name: column[place] for name, column in self.columns.items()}
            known = {name: None if math.isnan(value) else value for name, value in numbers.items()}
            yield cast(ScoredAnswer, SimpleNamespace(question_id=question_id, act_id=act_id, **known))


@dataclass
class Seen:
    """What earlier groups, or at the end all groups, held."""

    settings: EvaluateSettings | None = None
    keys: defaultdict[str, set[bytes]] = field(default_factory=lambda: defaultdict(set))
    acts: dict[ActId, int] = field(default_factory=dict)
    """How many questions hold in each act."""
    chunks: dict[ChunkId, ChunkPlace] = field(default_factory=dict)
    runs: dict[RunId, Run] = field(default_factory=dict)
    run_acts: dict[RunId, frozenset[ActId]] = field(default_factory=dict)
    tallies: defaultdict[RunId, RunTally] = field(default_factory=lambda: defaultdict(RunTally))
    occurrences_were_given: bool = False
