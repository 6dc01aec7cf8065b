"""Which tables belong to a build: by act for most stages, by evaluated system for the scores."""

from __future__ import annotations

from typing import TypeVar

from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.errors import InputError
from claimrag.schemas.rejected import StageCounts
from claimrag.tasks.build.runtime import Runtime
from claimrag.tasks.store import TableRef

T = TypeVar("T", bound=Noun)
EVALUATION_STAGES = ("retrievals", "scored_answers", "runs")


def workspace_acts(runtime: Runtime, stage: str = "context_units") -> list[ActId]:
    """The acts that the workspace holds rows of `stage` for; also notes which systems were evaluated.

    Raises InputError when there are none.
    """
    acts = [ActId(ref.scope) for ref in runtime.workspace.tables(stage)]
    if not acts:
        raise InputError(
            f"workspace {runtime.workspace.address} holds no {stage.replace('_', ' ')}; run `claimrag build` "
            "or the earlier stage on it first"
        )
    runtime.evaluated.extend(ref.scope for ref in runtime.workspace.tables("runs"))
    return acts


def stage_tables(runtime: Runtime, stage: str, act_ids: list[ActId]) -> list[TableRef]:
    """The complete tables of a stage that belong to this build, in a fixed order."""
    scopes = sorted(set(runtime.evaluated)) if stage in EVALUATION_STAGES else act_ids
    refs = [TableRef(stage=stage, scope=scope) for scope in scopes]
    return [ref for ref in refs if runtime.workspace.has_table(ref)]


def stage_counts(runtime: Runtime, stage: str, act_ids: list[ActId]) -> StageCounts | None:
    """The counts of a stage over this build's tables; None when the stage was not run."""
    total: StageCounts | None = None
    for ref in stage_tables(runtime, stage, act_ids):
        counts = runtime.workspace.read_counts(ref)
        total = counts if total is None else total + counts
    return total


def stage_rows(runtime: Runtime, stage: str, model: type[T], act_ids: list[ActId]) -> list[T]:
    """Every kept row of a stage of this build."""
    refs = stage_tables(runtime, stage, act_ids)
    return [row for ref in refs for row in runtime.workspace.read_table(ref, model)]
