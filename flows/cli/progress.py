"""Progress on a terminal: a bar per stage with counts and ETA, and a line with tokens and money."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from claimrag.schemas.rejected import StageCounts


class TerminalProgress:
    """Implements tasks.progress.Progress with Rich; plain lines where standard error is no terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = console.is_terminal
        self._bars: dict[str, TaskID] = {}
        self._counts: dict[str, StageCounts] = {}
        self._scopes: dict[tuple[str, str], StageCounts] = {}
        self._progress = Progress(
            TextColumn("{task.description:<16}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("ETA"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=console,
            disable=not self._live,
            redirect_stdout=False,
            redirect_stderr=False,  # what others write there goes to the journal, not above the bars
        )
        self._spent = self._progress.add_task("model", total=None, note="")

    def __enter__(self) -> TerminalProgress:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def begin(self, stage: str, total: int) -> None:
        """Add `total` items to the bar of a stage."""
        if stage not in self._bars:
            self._bars[stage] = self._progress.add_task(stage.replace("_", " "), total=0, note="")
        bar = self._progress.tasks[[task.id for task in self._progress.tasks].index(self._bars[stage])]
        self._progress.update(self._bars[stage], total=(bar.total or 0) + total)

    def advance(self, stage: str, done: int = 1) -> None:
        """Move the bar of a stage."""
        if stage in self._bars:
            self._progress.advance(self._bars[stage], done)

    def counted(self, stage: str, scope: str, counts: StageCounts) -> None:
        """Show how many rows a stage kept and rejected so far."""
        self._scopes[stage, scope] = counts
        total = StageCounts(considered=0, kept=0, rejected={})
        for (name, _), one in self._scopes.items():
            if name == stage:
                total = total + one
        rejected = sum(total.rejected.values())
        note = f"{total.kept} kept" + (f", {rejected} rejected" if rejected else "")
        if stage in self._bars:
            self._progress.update(self._bars[stage], note=note)
        if not self._live:
            self._console.print(f"{stage} {scope}: {counts.kept} kept of {counts.considered}", markup=False)

    def spent(self, prompt_tokens: int, completion_tokens: int, cost_usd: float | None, cached: int) -> None:
        """Show the running totals of the model calls."""
        money = f", ${cost_usd:.4f}" if cost_usd is not None else ""
        note = f"{prompt_tokens:,} + {completion_tokens:,} tokens{money}, {cached} from the cache"
        self._progress.update(self._spent, note=note)

    def say(self, sentence: str) -> None:
        """Print one sentence above the bars."""
        self._progress.console.print(escape(sentence), highlight=False)
