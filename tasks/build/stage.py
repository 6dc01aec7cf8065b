"""One step of a build: skip when the table is current, else work, write, count and report.

Every table records the hashes of what it was made from; a rerun with the same inputs reads the table and
does nothing. A table that kept no row raises EmptyStageError with the counts by reason.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from claimrag.schemas.base import Noun
from claimrag.schemas.errors import EmptyStageError
from claimrag.schemas.rejected import StageCounts
from claimrag.tasks.build.runtime import Runtime
from claimrag.tasks.store import Outcome, TableRef

T = TypeVar("T", bound=Noun)


async def run_stage(
    runtime: Runtime,
    ref: TableRef,
    model: type[T],
    made_from: Mapping[str, str],
    work: Callable[[], Awaitable[Outcome[T]]],
    *,
    may_be_empty: bool = False,
) -> TableRef:
    """Make the table `ref` unless it is current; returns `ref`.

    `may_be_empty` is for shards, whose sum is checked where they are joined.
    """
    started = time.perf_counter()
    record = runtime.workspace.record(ref, model)
    if record is not None and record.made_from == dict(made_from):
        counts = record.counts
    else:
        outcome = await work()
        counts = runtime.workspace.write_table(ref, model, outcome.kept, outcome.rejected, made_from)
    spent = time.perf_counter() - started
    runtime.seconds[ref.stage] = max(runtime.seconds.get(ref.stage, 0.0), spent)
    runtime.progress.counted(ref.stage, ref.scope, counts)
    runtime.report_usage()
    if not counts.kept and not may_be_empty:
        raise EmptyStageError(empty_sentence(ref, counts))
    return ref


def empty_sentence(ref: TableRef, counts: StageCounts) -> str:
    """Why nothing was kept, and where the rejected rows lie."""
    reasons = ", ".join(f"{reason}: {count}" for reason, count in counts.rejected.items()) or "none"
    return (
        f"stage {ref.stage} kept no row for {ref.scope}: {counts.considered} considered, rejected by reason: "
        f"{reasons}. The rejected rows are in rejected/{ref.stage}/{ref.slug}.parquet"
    )
