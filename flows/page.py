"""What a run shows in Prefect while it works: log lines, a bar, and a page that is written anew every few seconds.

The page has the phase, how far each stage is, kept rows and rejections by reason, model calls, retries, tokens and
money, and when the stage may end. It holds no key and no text of a law. A server that does not take it for a while
is no reason to stop a run: that is said once in the log, and the next writing tries again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx
from prefect.artifacts import MarkdownArtifact, aupdate_progress_artifact
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import ArtifactUpdate
from prefect.exceptions import PrefectException
from prefect.logging import get_run_logger

from claimrag.flows.artifacts import artifact_key, begin_progress
from claimrag.schemas.rejected import StageCounts
from claimrag.tasks.progress import NoProgress, Several, Tally
from claimrag.tasks.run.failures import failed_laws
from claimrag.tasks.run.report import counts_sentence, usage_lines
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.summary import write_progress

PHASES = ("sources", "questions and claims", "evaluation", "validation", "release")
EVERY_S = 5.0

Log = logging.Logger | logging.LoggerAdapter[Any]


@dataclass
class Row:
    """How far one stage is: items done and planned, and when it began (seconds of a steady clock)."""

    began: float
    total: int = 0
    done: int = 0

    def remaining_s(self, now: float) -> float | None:
        """Seconds to its end at the speed so far; None where that is not known yet."""
        if not self.done or self.done >= self.total:
            return None
        return (now - self.began) / self.done * (self.total - self.done)


class RunPage(NoProgress):
    """Follows a run, writes its log lines and gives the text of its page."""

    def __init__(self, runtime: Runtime, log: Log, clock: Callable[[], float] = time.monotonic) -> None:
        self.rows: dict[str, Row] = {}
        self._runtime = runtime
        self._log = log
        self._clock = clock
        self._began = clock()
        self._tally = Tally()
        self._latest = ""

    def begin(self, stage: str, total: int) -> None:
        """`total` more items of a stage."""
        self._row(stage).total += total

    def advance(self, stage: str, done: int = 1) -> None:
        """`done` more of them are done."""
        self._row(stage).done += done
        self._latest = stage

    def counted(self, stage: str, scope: str, counts: StageCounts) -> None:
        """A log line per table, and the sum over the stage's tables for the page."""
        self._tally.count(stage, scope, counts)
        self._row(stage)
        self._log.info("%s %s: %s", stage, scope, counts_sentence(counts))

    def say(self, sentence: str) -> None:
        """A log line."""
        self._log.info("%s", sentence)

    def text(self) -> str:
        """The page, in Markdown."""
        now = self._clock()
        lines = [
            f"# {self._runtime.run_id}",
            "",
            f"Complete: {self._runtime.phase}. At work for {_duration(now - self._began)}.",
            "",
            "| stage | done | rows kept | rejected, by reason | remaining |",
            "|---|---|---|---|---|",
        ]
        for stage, row in self.rows.items():
            remaining = row.remaining_s(now) if stage == self._latest else None
            cells = [
                stage.replace("_", " "),
                f"{row.done} of {row.total}" if row.total else "",
                "" if (kept := self._tally.kept(stage)) is None else str(kept),
                ", ".join(f"{reason} {number}" for reason, number in self._tally.rejected(stage).items()),
                "" if remaining is None else f"about {_duration(remaining)}",
            ]
            lines.append(f"| {' | '.join(cells)} |")
        lines += ["", *usage_lines(self._runtime.usage())]
        failures = self._runtime.failures
        lines += [f"- failed: {failed_laws([failure])}" for failure in failures]
        return "\n".join(lines) + "\n"

    def _row(self, stage: str) -> Row:
        return self.rows.setdefault(stage, Row(began=self._clock()))


class ShownRun:
    """The artifacts of a run that works: a page, and a bar where the run has phases."""

    def __init__(self, runtime: Runtime, page: RunPage, log: Log, phases: Sequence[str]) -> None:
        self._runtime = runtime
        self._page = page
        self._log = log
        self._phases = phases
        self._bar: UUID | None = None
        self._status: UUID | None = None
        self._shown = ""
        self._is_away = False

    async def reached(self, phase: str) -> None:
        """`phase` is complete: in the log, on the page, in the manifest."""
        self._runtime.phase = phase
        self._log.info("complete: %s. %s", phase, "; ".join(usage_lines(self._runtime.usage())))
        await asyncio.to_thread(write_progress, self._runtime)
        await self.write()

    async def write(self) -> None:
        """Bring bar and page up to date, where something has changed."""
        text = self._page.text()
        if text == self._shown:
            return
        try:
            await self._write(text)
        except (httpx.HTTPError, PrefectException) as error:
            if not self._is_away:
                self._log.warning("the page of this run cannot be written, the run goes on: %s", error)
            self._is_away = True
        else:
            self._shown, self._is_away = text, False

    async def _write(self, text: str) -> None:
        phase = self._runtime.phase
        if self._phases:
            done = self._phases.index(phase) + 1 if phase in self._phases else 0
            percent, words = 100.0 * done / len(self._phases), f"complete: {phase}" if done else "begun"
            if self._bar is None:
                self._bar = await begin_progress(self._runtime.run_id)
            await aupdate_progress_artifact(self._bar, percent, description=words)
        if self._status is None:
            artifact = MarkdownArtifact(key=artifact_key("status", self._runtime.run_id), markdown=text)
            self._status = (await artifact.acreate()).id
        else:
            async with get_client() as client:
                await client.update_artifact(self._status, ArtifactUpdate(data=text))


@asynccontextmanager
async def shown_in_prefect(runtime: Runtime, phases: Sequence[str] = ()) -> AsyncIterator[ShownRun]:
    """Follow the run inside, for those who watch it in Prefect; `phases` are what it will reach, in order."""
    log = get_run_logger()
    page = RunPage(runtime, log)
    runtime.progress = Several(runtime.progress, page)
    shown = ShownRun(runtime, page, log, phases)
    await shown.write()
    writing = asyncio.create_task(_keep_writing(shown))
    try:
        yield shown
    except Exception:  # not for one that is stopped: it must end at once
        await shown.write()
        raise
    else:
        await shown.write()
    finally:
        writing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await writing


async def _keep_writing(shown: ShownRun) -> None:
    while True:
        await asyncio.sleep(EVERY_S)
        await shown.write()


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return (
        f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
    )
