"""One step of a build: use the table where it is current, else do the work, write it, count and report.

A step is a `Table` (what kind of rows), a scope (whose), and its work, which reads everything through `Inputs`:
what it reads there is what the table is made from (tasks.run.made_from). A table is current when nothing of that
has changed and no row was lost to a malfunction that asking again may repair. A table that kept no row raises
EmptyStageError with the counts by reason, unless it may be empty.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from claimrag.schemas.base import Noun
from claimrag.schemas.errors import EmptyStageError, StoreError
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.schemas.settings import Settings
from claimrag.tasks.llm import Gateway
from claimrag.tasks.retrieve.embedding_cache import CachedEmbedder
from claimrag.tasks.run.made_from import Record, differences, name_of, recording_prompts, tracked
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.store import Outcome, TableRef

T = TypeVar("T", bound=Noun)
N = TypeVar("N", bound=Noun)


@dataclass(frozen=True)
class Table(Generic[T]):
    """A kind of table: its stage's name, the noun of its rows, and whether it may have none.

    Shards may be empty: their sum is checked where they are joined.
    """

    stage: str
    noun: type[T]
    may_be_empty: bool = False

    def of(self, *scope: str) -> TableRef:
        """The table of that scope: an act, an act and a shard, a run and an act."""
        return TableRef(stage=self.stage, scope="/".join(scope))


class Inputs:
    """Everything that a step's work reads. What was read is noted, and is what the table is made from."""

    def __init__(self, runtime: Runtime, record: Record) -> None:
        self._runtime = runtime
        self._record = record
        self.settings: Settings = tracked(runtime.settings, record.settings.__setitem__)

    async def rows(self, table: Table[N], *scope: str) -> list[N]:
        """The kept rows of a table, in order."""
        self.note(table, *scope)
        return await asyncio.to_thread(self._runtime.rows, table.of(*scope), table.noun)

    async def rejected(self, table: Table[N], *scope: str) -> list[Rejected]:
        """The rejected rows of a table, in order."""
        self.note(table, *scope)
        return await asyncio.to_thread(self._runtime.workspace.read_rejected, table.of(*scope))

    def note(self, table: Table[Any], *scope: str) -> StageCounts:
        """Note that the work reads a table, for work that reads its rows by itself; returns its counts."""
        ref = table.of(*scope)
        self._record.tables[name_of(ref)] = self._runtime.workspace.rows_sha256(ref)
        return self._runtime.workspace.read_counts(ref)

    @property
    def llm(self) -> Gateway:
        """The model that generates questions and answers."""
        self._record.models.add("llm")
        return self._runtime.llm

    @property
    def judge(self) -> Gateway:
        """The model that extracts and checks claims."""
        self._record.models.add("judge")
        return self._runtime.judge

    def embedder(self) -> CachedEmbedder:
        """The model that embeds questions and chunks."""
        self._record.models.add("embedder")
        return self._runtime.embedder()


async def make_table(
    runtime: Runtime,
    table: Table[T],
    scope: tuple[str, ...],
    work: Callable[[Inputs], Awaitable[Outcome[T]]],
    **arguments: Any,
) -> TableRef:
    """Make the table of that scope unless it is current; returns its reference.

    `arguments` is what the work knows besides its inputs: which units of a shard, which raw bytes. The code that
    counts is what the module of `work` reaches.
    """
    started = time.perf_counter()
    ref = table.of(*scope)
    counts = await asyncio.to_thread(current_counts, runtime, table, ref, arguments, work.__module__)
    if counts is None:
        record = Record(arguments)
        with recording_prompts(record):
            outcome = await work(Inputs(runtime, record))
        made_from = record.made_from(work.__module__, runtime.identity)
        counts = await asyncio.to_thread(
            runtime.workspace.write_table, ref, table.noun, outcome.kept, outcome.rejected, made_from
        )
        runtime.remade.append(ref)
        runtime.prompt_hashes.update(record.prompts)
    _report(runtime, ref, counts, time.perf_counter() - started)
    if not counts.kept and not table.may_be_empty:
        raise EmptyStageError(empty_sentence(runtime, ref, counts))
    return ref


def current_counts(
    runtime: Runtime, table: Table[Any], ref: TableRef, arguments: Mapping[str, Any], module: str
) -> StageCounts | None:
    """The counts of the table where it is current, else None; why it is not is noted for those who ask."""
    record = runtime.workspace.record(ref, table.noun)
    if record is None:
        return None
    changed = differences(record.made_from, arguments, module, runtime)
    if not changed and (lost := to_be_asked_again(record.counts)):
        changed = [f"{lost} rows lost to malfunctions are asked again"]
    if changed:
        runtime.changed[name_of(ref)] = changed
        return None
    return record.counts


def to_be_asked_again(counts: StageCounts) -> int:
    """How many rows were lost to malfunctions that another request may repair."""
    return sum(number for reason, number in counts.rejected.items() if Reason.of(reason).asked_again)


def _report(runtime: Runtime, ref: TableRef, counts: StageCounts, spent_s: float) -> None:
    runtime.seconds[ref.stage] = max(runtime.seconds.get(ref.stage, 0.0), spent_s)
    runtime.progress.counted(ref.stage, ref.scope, counts)
    runtime.report_usage()


def empty_sentence(runtime: Runtime, ref: TableRef, counts: StageCounts) -> str:
    """Why nothing was kept, an example, and where the rejected rows lie."""
    reasons = ", ".join(f"{reason}: {count}" for reason, count in counts.rejected.items()) or "none"
    sentence = (
        f"stage {ref.stage} kept no row for {ref.scope}: {counts.considered} considered, rejected by reason: "
        f"{reasons}"
    )
    try:
        first = next(iter(runtime.workspace.read_rejected(ref)), None)
    except StoreError:
        first = None
    if first is not None:
        sentence += f". The first: {first.detail}"
        raw = " ".join(first.raw.split())[:160]
        if raw and raw not in first.detail:
            sentence += f" ({raw!r})"
    return f"{sentence}. `claimrag rejected {ref.stage}` shows all of them"
