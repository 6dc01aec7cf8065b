"""Progress: what long work reports, without knowing who watches (a terminal, Prefect, nobody)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Protocol

from claimrag.schemas.build import Usage
from claimrag.schemas.rejected import StageCounts


class Progress(Protocol):
    """Receives progress. `stage` is the stage's name; calls may come from any task, in any order."""

    def begin(self, stage: str, total: int) -> None:
        """`total` more items of `stage` are to be worked on."""

    def advance(self, stage: str, done: int = 1) -> None:
        """`done` items of `stage` are finished."""

    def counted(self, stage: str, scope: str, counts: StageCounts) -> None:
        """A table of `stage` was written with these counts."""

    def spent(self, usage: Sequence[Usage]) -> None:
        """The running totals of the model calls so far, per model."""

    def say(self, sentence: str) -> None:
        """One sentence for whoever watches."""


class NoProgress:
    """Nobody watches."""

    def begin(self, stage: str, total: int) -> None:
        """Ignored."""

    def advance(self, stage: str, done: int = 1) -> None:
        """Ignored."""

    def counted(self, stage: str, scope: str, counts: StageCounts) -> None:
        """Ignored."""

    def spent(self, usage: Sequence[Usage]) -> None:
        """Ignored."""

    def say(self, sentence: str) -> None:
        """Ignored."""


class Pace:
    """Passes on how far the work has come, and nothing of what it counts or spends: for work that is thrown away."""

    def __init__(self, watcher: Progress) -> None:
        self._watcher = watcher

    def begin(self, stage: str, total: int) -> None:
        """Passed on."""
        self._watcher.begin(stage, total)

    def advance(self, stage: str, done: int = 1) -> None:
        """Passed on."""
        self._watcher.advance(stage, done)

    def counted(self, stage: str, scope: str, counts: StageCounts) -> None:
        """Kept back."""

    def spent(self, usage: Sequence[Usage]) -> None:
        """Kept back."""

    def say(self, sentence: str) -> None:
        """Passed on."""
        self._watcher.say(sentence)


class Several:
    """Several watchers of one run: each hears everything."""

    def __init__(self, *watchers: Progress) -> None:
        self._watchers = watchers

    def begin(self, stage: str, total: int) -> None:
        """Passed on."""
        for watcher in self._watchers:
            watcher.begin(stage, total)

    def advance(self, stage: str, done: int = 1) -> None:
        """Passed on."""
        for watcher in self._watchers:
            watcher.advance(stage, done)

    def counted(self, stage: str, scope: str, counts: StageCounts) -> None:
        """Passed on."""
        for watcher in self._watchers:
            watcher.counted(stage, scope, counts)

    def spent(self, usage: Sequence[Usage]) -> None:
        """Passed on."""
        for watcher in self._watchers:
            watcher.spent(usage)

    def say(self, sentence: str) -> None:
        """Passed on."""
        for watcher in self._watchers:
            watcher.say(sentence)


class Tally:
    """Rows kept and rejected per stage, over its tables; a table that is counted again replaces its earlier count.

    Each count costs the same however many tables there are.
    """

    def __init__(self) -> None:
        self._tables: dict[tuple[str, str], StageCounts] = {}
        self._kept: Counter[str] = Counter()
        self._rejected: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def count(self, stage: str, scope: str, counts: StageCounts) -> None:
        """Count the table of a stage with that scope."""
        before = self._tables.get((stage, scope))
        if before is not None:
            self._kept[stage] -= before.kept
            self._rejected[stage].subtract(before.rejected)
        self._tables[stage, scope] = counts
        self._kept[stage] += counts.kept
        self._rejected[stage].update(counts.rejected)

    def kept(self, stage: str) -> int | None:
        """Rows kept; None where no table of the stage was counted."""
        return self._kept.get(stage)

    def rejected(self, stage: str) -> dict[str, int]:
        """Rows rejected, by reason, in alphabetical order."""
        return dict(sorted((+self._rejected[stage]).items()))


class Part:
    """The items of one stage that one table brings: planned at once, done one by one as the work calls it.

    It is what `together` takes as `on_progress`. `finish` moves the rest: a table that was current did no work.
    """

    def __init__(self, progress: Progress, stage: str, planned: int, *, announced: bool = False) -> None:
        """`announced`: the plan has already told of these items."""
        self._progress = progress
        self._stage = stage
        self._planned = planned
        self._done = 0
        if not announced:
            progress.begin(stage, planned)

    def __call__(self, done: int, total: int) -> None:
        """`done` of `total` items that need work; what is planned beyond them needs none."""
        if total > self._planned:
            self._progress.begin(self._stage, total - self._planned)
            self._planned = total
        self._move_to(self._planned - total + done)

    def finish(self) -> None:
        """All of them are done."""
        self._move_to(self._planned)

    def _move_to(self, done: int) -> None:
        if done > self._done:
            self._progress.advance(self._stage, done - self._done)
            self._done = done


progress_sink: ContextVar[Progress] = ContextVar("claimrag_progress", default=NoProgress())  # noqa: B039 - it holds nothing
"""Who watches the run that is opened next."""
