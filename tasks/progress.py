"""Progress: what long work reports, without knowing who watches (a terminal, Prefect, nobody)."""

from __future__ import annotations

from typing import Protocol

from claimrag.schemas.rejected import StageCounts


class Progress(Protocol):
    """Receives progress. `stage` is the stage's name; calls may come from any task, in any order."""

    def begin(self, stage: str, total: int) -> None:
        """`total` more items of `stage` are to be worked on."""

    def advance(self, stage: str, done: int = 1) -> None:
        """`done` items of `stage` are finished."""

    def counted(self, stage: str, scope: str, counts: StageCounts) -> None:
        """A table of `stage` was written with these counts."""

    def spent(self, prompt_tokens: int, completion_tokens: int, cost_usd: float | None, cached: int) -> None:
        """The running totals of the model calls so far."""

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

    def spent(self, prompt_tokens: int, completion_tokens: int, cost_usd: float | None, cached: int) -> None:
        """Ignored."""

    def say(self, sentence: str) -> None:
        """Ignored."""


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

    def spent(self, prompt_tokens: int, completion_tokens: int, cost_usd: float | None, cached: int) -> None:
        """Passed on."""
        for watcher in self._watchers:
            watcher.spent(prompt_tokens, completion_tokens, cost_usd, cached)

    def say(self, sentence: str) -> None:
        """Passed on."""
        for watcher in self._watchers:
            watcher.say(sentence)
