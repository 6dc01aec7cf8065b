"""Step that writes the release folder from the tables of a workspace: read act by act, never held together."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING, Any, TypeVar

from claimrag.schemas.act import Act
from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.claim import Claim
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.question import Question
from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.schemas.release import Release
from claimrag.schemas.run import Retrieval, Run, ScoredAnswer
from claimrag.schemas.unit import Unit
from claimrag.tasks.chunk.step import CHUNKS
from claimrag.tasks.claims.step import CLAIMS
from claimrag.tasks.evaluate.step import SCORED_ANSWERS
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.occurrences.step import OCCURRENCES, written_for
from claimrag.tasks.parse.step import ACTS, UNITS
from claimrag.tasks.retrieve.step import RETRIEVALS
from claimrag.tasks.run.garbage import only_short_collections
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.step import Table
from claimrag.tasks.run.tables import Selection, select, stage_counts
from claimrag.tasks.segment.step import CONTEXT_UNITS
from claimrag.tasks.store import TableRef, Workspace

if TYPE_CHECKING:
    from claimrag.tasks.release.files import ReleaseStore

T = TypeVar("T", bound=Noun)
COUNTED: tuple[Table[Any], ...] = (
    UNITS,
    CONTEXT_UNITS,
    QUESTIONS,
    OCCURRENCES,
    CLAIMS,
    CHUNKS,
    SCORED_ANSWERS,
)


class TablesOfWorkspace:
    """A ReleaseSource over the tables of a selection of acts; rows are read some hundred at a time."""

    def __init__(self, runtime: Runtime, selection: Selection) -> None:
        self._runtime = runtime
        self._selection = selection

    @cached_property
    def acts(self) -> Sequence[Act]:
        """Every act, by its id."""
        return [row for act_id in self._selection.acts for row in self._rows(ACTS, act_id)]

    @property
    def runs(self) -> Sequence[Run]:
        """The runs over the current versions that are fresh."""
        return self._selection.runs

    @cached_property
    def counts(self) -> Mapping[str, StageCounts]:
        """The counts of each stage that was run, read once: they are asked for with each act."""
        counted = {table.stage: stage_counts(self._runtime, table, self._selection) for table in COUNTED}
        return {stage: counts for stage, counts in counted.items() if counts is not None}

    def units(self, act_id: ActId) -> Iterator[Unit]:
        """The units of an act."""
        return self._rows(UNITS, act_id)

    def context_units(self, act_id: ActId) -> Iterator[ContextUnit]:
        """The context units of an act."""
        return self._rows(CONTEXT_UNITS, act_id)

    def occurrences(self, act_id: ActId) -> Iterator[Occurrence]:
        """Which questions hold in an act, and where."""
        return self._rows(OCCURRENCES, act_id)

    def questions(self, act_id: ActId) -> Iterator[Question]:
        """The questions written for any version of the act's law."""
        return self._items(QUESTIONS, act_id)

    def claims(self, act_id: ActId) -> Iterator[Claim]:
        """The claims of their answers."""
        return self._items(CLAIMS, act_id)

    def chunks(self, act_id: ActId) -> Iterator[Chunk]:
        """The chunks of an act, of every chunker that a run used."""
        return self._of_runs(CHUNKS, act_id)

    def answers(self, act_id: ActId) -> Iterator[ScoredAnswer]:
        """What the runs answered to the questions of an act."""
        return self._of_runs(SCORED_ANSWERS, act_id)

    def retrievals(self, act_id: ActId) -> Iterator[Retrieval]:
        """What was retrieved for those questions."""
        return self._of_runs(RETRIEVALS, act_id)

    def rejected(self, act_id: ActId, stage: str) -> Iterator[Rejected]:
        """The rejected rows of an act, of a stage that is counted."""
        [table] = [table for table in COUNTED if table.stage == stage]
        workspace = self._runtime.workspace
        for ref in self._selection.refs_of_act(table, act_id):
            if workspace.has_table(ref):
                for batch in workspace.iter_rejected(ref):
                    yield from batch

    def _of_runs(self, table: Table[T], act_id: ActId) -> Iterator[T]:
        return self._read(table, self._selection.refs_of_act(table, act_id))

    def _items(self, table: Table[T], act_id: ActId) -> Iterator[T]:
        return self._read(table, written_for(self._runtime, act_id, table))

    def _rows(self, table: Table[T], act_id: ActId) -> Iterator[T]:
        return self._read(table, [table.of(act_id)])

    def _read(self, table: Table[T], refs: Iterable[TableRef]) -> Iterator[T]:
        for ref in refs:
            for batch in self._runtime.workspace.iter_table(ref, table.noun):
                yield from batch


def releases_of(workspace: Workspace) -> ReleaseStore:
    """Where the releases of a workspace lie."""
    from claimrag.tasks.release.files import ReleaseStore

    return ReleaseStore(workspace.fs, workspace.path("releases"))


async def release_acts(runtime: Runtime, act_ids: list[ActId]) -> tuple[Release, str]:
    """Write the next release, unless nothing changed since the last one; returns it and its folder."""
    runtime.progress.begin("release", 1)
    released = await asyncio.to_thread(_release, runtime, act_ids)
    runtime.progress.advance("release")
    return released


def _release(runtime: Runtime, act_ids: list[ActId]) -> tuple[Release, str]:
    from claimrag.tasks.release.folder import make_release

    workspace = runtime.workspace
    source = TablesOfWorkspace(runtime, select(runtime, act_ids))
    lineage = {
        "code_version": installed_version("claimrag"),
        "settings_sha256": runtime.settings.fingerprint(),
        "generator": runtime.llm.model_name,
        "judge": runtime.judge.model_name,
    }
    with only_short_collections():
        result = make_release(
            releases_of(workspace), source, version=runtime.request.release_version, lineage=lineage
        )
    if result.repaired:
        runtime.warnings.append(
            f"release {result.release.version} was damaged and is made again: {', '.join(result.repaired)}"
        )
    if not result.created:
        runtime.warnings.append(
            f"nothing has changed since release {result.release.version}, so it stays the latest"
        )
    return result.release, str(result.folder)
