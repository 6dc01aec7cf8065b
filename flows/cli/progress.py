"""Progress on a terminal: a row per stage with done, total, rate and ETA, and a line on the model's calls.

Fits 80 columns: what is counted is never cut, a note is. Where standard error is no terminal, plain lines: each table
with its counts, and every few seconds how far the stage is that moved last.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType

from rich.console import Console, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
from rich.table import Column
from rich.text import Text

from claimrag.schemas.build import Usage
from claimrag.schemas.rejected import StageCounts
from claimrag.tasks.progress import Tally

LINE_EVERY_S = 10.0
_BAR_WIDTH = 8


class TerminalProgress:
    """Implements tasks.progress.Progress with Rich. Calls may come from any thread."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._live = console.is_terminal
        self._clock = clock
        self._bars: dict[str, TaskID] = {}
        self._tally = Tally()
        self._usage: Sequence[Usage] = ()
        self._latest = ""
        self._last_line = ""
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._lines: threading.Thread | None = None
        self._progress = _Rows(console, self._live, self._model_line, clock)

    def __enter__(self) -> TerminalProgress:
        self._progress.start()
        if not self._live:
            self._lines = threading.Thread(target=self._print_lines, daemon=True, name="progress")
            self._lines.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._lines is not None:
            self._lines.join()
        self._progress.stop()

    def begin(self, stage: str, total: int) -> None:
        """Add `total` items to the row of a stage."""
        with self._lock:
            if stage not in self._bars:
                self._bars[stage] = self._progress.add_task(stage.replace("_", " "), total=0, note="")
            task = self._task(stage)
            self._progress.update(task.id, total=(task.total or 0) + total)
            self._latest = stage

    def advance(self, stage: str, done: int = 1) -> None:
        """Move the row of a stage."""
        with self._lock:
            if stage in self._bars:
                self._progress.advance(self._bars[stage], done)
                self._latest = stage

    def counted(self, stage: str, scope: str, counts: StageCounts) -> None:
        """Show how many rows a stage kept and rejected so far; on plain output the table by itself."""
        row = _ROW_OF_TABLE.get(stage, stage)
        with self._lock:
            self._tally.count(stage, scope, counts)
            if row in self._bars:
                rejected = sum(self._tally.rejected(stage).values())
                note = f"{self._tally.kept(stage):,} kept" + (f", {rejected:,} rejected" if rejected else "")
                self._progress.update(self._bars[row], note=note)
        if not self._live:
            self._print(f"{stage} {scope}: {counts.kept} kept of {counts.considered}")

    def spent(self, usage: Sequence[Usage]) -> None:
        """Show the running totals of the model calls."""
        self._usage = usage

    def say(self, sentence: str) -> None:
        """Print one sentence above the rows."""
        self._console.print(escape(sentence), highlight=False)

    def line(self) -> str:
        """How far the stage is that moved last, and what the models have done; empty before anything began."""
        with self._lock:
            if not self._latest:
                return ""
            task = self._task(self._latest)
            parts = [f"{task.description} {task.completed:,.0f} of {task.total or 0:,.0f}"]
            if (speed := _speed(task)) is not None and not task.finished:
                parts.append(f"{_rate(speed)}, about {_duration(task.time_remaining or 0)} left")
            model = self._model_line()
            return ", ".join(parts) + (f"; {model}" if model else "")

    def _task(self, stage: str) -> Task:
        return next(task for task in self._progress.tasks if task.id == self._bars[stage])

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False)

    def _print_lines(self) -> None:
        while not self._ended.wait(LINE_EVERY_S):
            line = self.line()
            if line and line != self._last_line:
                self._print(line)
                self._last_line = line

    def _model_line(self) -> str:
        if not any(one.requests_sent or one.answered_from_cache for one in self._usage):
            return ""
        sent = sum(one.requests_sent for one in self._usage)
        cached = sum(one.answered_from_cache for one in self._usage)
        retries = sum(one.retries for one in self._usage)
        tokens = sum(one.prompt_tokens + one.completion_tokens for one in self._usage)
        costs = [one.cost_usd for one in self._usage if one.cost_usd is not None]
        parts = [f"model: {sent:,} requests"]
        parts += [f"{retries:,} of them retries"] if retries else []
        parts += [f"{cached:,} from the cache"] if cached else []
        parts.append(f"{tokens:,} tokens")
        parts += [f"${sum(costs):.4f}"] if costs else []
        return ", ".join(parts)


_ROW_OF_TABLE = {"question_shards": "generate", "scored_answers": "evaluate", "units": "parse"}
"""The row of the stage that makes a table, where it has another name."""


class _Rows(Progress):
    """The rows, and the model's line below them."""

    def __init__(
        self, console: Console, live: bool, model_line: Callable[[], str], clock: Callable[[], float]
    ) -> None:
        self._model_line = model_line
        super().__init__(
            TextColumn("{task.description}", table_column=Column(width=10, no_wrap=True)),
            BarColumn(bar_width=_BAR_WIDTH, table_column=Column(width=_BAR_WIDTH)),
            _Counts(table_column=Column(no_wrap=True, justify="right")),
            _Pace(table_column=Column(no_wrap=True, justify="right")),
            _Remaining(table_column=Column(no_wrap=True, justify="right")),
            TextColumn(
                "{task.fields[note]}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")
            ),
            console=console,
            disable=not live,
            get_time=clock,
            expand=True,
            redirect_stdout=False,
            redirect_stderr=False,  # what others write there goes to the journal, not above the bars
        )

    def get_renderables(self) -> Iterable[RenderableType]:
        """The table, and one line that is cut where the terminal ends."""
        yield self.make_tasks_table(self.tasks)
        line = self._model_line()
        if line:
            yield Text(line, no_wrap=True, overflow="ellipsis")


class _Counts(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.completed:,.0f}/{task.total or 0:,.0f}")


class _Pace(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = _speed(task)
        return Text("" if speed is None else _rate(speed))


class _Remaining(ProgressColumn):
    """Time left while a row works, time taken once it is done."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        if task.finished:
            return Text(_duration(task.finished_time or 0.0))
        left = task.time_remaining
        return Text(f"{_duration(task.elapsed or 0.0)}" if left is None else f"ETA {_duration(left)}")


def _speed(task: Task) -> float | None:
    return task.finished_speed or task.speed


def _rate(speed: float) -> str:
    """Items per second, or per minute or hour where they are slow."""
    for per, name in ((1, "s"), (60, "min"), (3600, "h")):
        if speed * per >= 1 or name == "h":
            return f"{speed * per:,.1f}/{name}"
    raise AssertionError("the last unit takes any speed")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
