"""The tables of a workspace, in the order in which a build makes them, and which of them belong to some acts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.errors import InputError
from claimrag.schemas.rejected import StageCounts
from claimrag.schemas.run import Run
from claimrag.tasks.chunk.step import CHUNKS
from claimrag.tasks.claims.step import CLAIMS
from claimrag.tasks.evaluate.average_step import RUNS
from claimrag.tasks.evaluate.step import SCORED_ANSWERS
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.generate.step import QUESTION_SHARDS
from claimrag.tasks.occurrences.step import OCCURRENCES
from claimrag.tasks.parse.step import ACTS, TEXTS, UNITS
from claimrag.tasks.retrieve.step import RETRIEVALS
from claimrag.tasks.run.made_from import has_changed_inputs, ref_of
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.step import Table
from claimrag.tasks.run.versions import current_acts, expression_of
from claimrag.tasks.segment.step import CONTEXT_UNITS
from claimrag.tasks.store import TableRef

T = TypeVar("T", bound=Noun)

TABLES: tuple[Table[Any], ...] = (
    ACTS,
    TEXTS,
    UNITS,
    CONTEXT_UNITS,
    QUESTION_SHARDS,
    QUESTIONS,
    OCCURRENCES,
    CLAIMS,
    CHUNKS,
    RETRIEVALS,
    SCORED_ANSWERS,
    RUNS,
)


_MADE_BY: dict[Table[Any], str] = {
    QUESTIONS: "claimrag generate",
    OCCURRENCES: "claimrag generate",
    CLAIMS: "claimrag claims",
}
"""The tables that later stages take as they are, and the command that makes them."""


@dataclass(frozen=True)
class Selection:
    """The tables that a build or a stage command is about: some acts, and the runs over them that are fresh."""

    acts: tuple[ActId, ...]
    runs: tuple[Run, ...]
    stale_runs: tuple[Run, ...]

    def refs(self, table: Table[Any], runtime: Runtime) -> Iterator[TableRef]:
        """The tables of that kind that are there, in order."""
        for ref in self._scopes(table, runtime):
            if runtime.workspace.has_table(ref):
                yield ref

    def refs_of_act(self, table: Table[Any], act_id: ActId) -> list[TableRef]:
        """The tables of that kind that are about one act."""
        if table is CHUNKS:
            chunkers = sorted({run.system.chunker for run in self.runs if act_id in run.acts})
            return [table.of(act_id, chunker) for chunker in chunkers]
        if table in (RETRIEVALS, SCORED_ANSWERS):
            return [table.of(run.id, act_id) for run in self.runs if act_id in run.acts]
        return [table.of(act_id)]

    def _scopes(self, table: Table[Any], runtime: Runtime) -> Iterator[TableRef]:
        if table is RUNS:
            yield from (table.of(run.id) for run in self.runs)
            return
        if table is QUESTION_SHARDS:
            acts = {f"{act_id}/" for act_id in self.acts}
            yield from (
                ref
                for ref in runtime.workspace.tables(table.stage)
                if f"{ref.scope.rpartition('/')[0]}/" in acts
            )
            return
        for act_id in self.acts:
            yield from self.refs_of_act(table, act_id)


def select(runtime: Runtime, acts: Iterable[ActId]) -> Selection:
    """The acts, and the runs over exactly their current versions: fresh ones, and those that have gone stale.

    A run is stale when a table that it was scored from has changed since.
    """
    chosen = tuple(sorted(set(acts)))
    current = current_acts(chosen)
    by_language: dict[str, list[ActId]] = {}
    for act_id in current:
        by_language.setdefault(expression_of(act_id)[1], []).append(act_id)
    fresh: list[Run] = []
    stale: list[Run] = []
    for ref in runtime.workspace.tables(RUNS.stage):
        for run in runtime.workspace.read_table(ref, Run):
            expected = set(by_language.get(run.language, ()))
            if not run.acts or not set(run.acts) <= expected:
                continue
            whole = set(run.acts) == {a for a in expected if _holds_questions(runtime, a)}
            (fresh if whole and _is_fresh(runtime, run) else stale).append(run)
    return Selection(chosen, tuple(fresh), tuple(stale))


def workspace_acts(runtime: Runtime, table: Table[Any] = CONTEXT_UNITS) -> list[ActId]:
    """The acts that the workspace holds rows of `table` for; raises InputError when there are none."""
    acts = sorted({ActId(ref.scope) for ref in runtime.workspace.tables(table.stage)})
    if not acts:
        raise InputError(
            f"workspace {runtime.workspace.shown} holds no {table.stage.replace('_', ' ')}; run "
            "`claimrag build` or the earlier stage on it first"
        )
    return acts


def refuse_outdated(runtime: Runtime, acts: Iterable[ActId]) -> None:
    """Raise InputError where tables of these acts are older than what they were made from, with what makes them anew.

    For stages that take the tables as they are: they would find claims of questions that are gone.
    """
    for table, command in _MADE_BY.items():
        old = [act_id for act_id in acts if _has_changed_inputs(runtime, table.of(act_id))]
        if old:
            more = f" and {len(old) - 1} more" if len(old) > 1 else ""
            raise InputError(
                f"the {table.stage} of {old[0]}{more} are older than what they were made from; run `{command}` on "
                f"workspace {runtime.workspace.shown} first"
            )


def stage_counts(runtime: Runtime, table: Table[Any], selection: Selection) -> StageCounts | None:
    """The counts of a kind of table over a selection; None where there is no such table."""
    total: StageCounts | None = None
    for ref in selection.refs(table, runtime):
        counts = runtime.workspace.read_counts(ref)
        total = counts if total is None else total + counts
    return total


def _holds_questions(runtime: Runtime, act_id: ActId) -> bool:
    ref = OCCURRENCES.of(act_id)
    return runtime.workspace.has_table(ref) and runtime.workspace.read_counts(ref).kept > 0


def _is_fresh(runtime: Runtime, run: Run) -> bool:
    """Whether every table behind the run, down to the questions, is the one it was scored from."""
    refs = [
        RUNS.of(run.id),
        *(SCORED_ANSWERS.of(run.id, a) for a in run.acts),
        *(RETRIEVALS.of(run.id, a) for a in run.acts),
    ]
    return all(runtime.workspace.record(ref) and not _has_changed_inputs(runtime, ref) for ref in refs)


def _has_changed_inputs(runtime: Runtime, ref: TableRef) -> bool:
    """Whether a table that is there was made from rows that have changed since."""
    record = runtime.workspace.record(ref)
    return record is not None and has_changed_inputs(
        record.made_from, lambda name: runtime.rows_sha256(ref_of(name))
    )
