"""Step that writes the release folder from the tables of a build."""

from __future__ import annotations

import asyncio
from importlib.metadata import version as installed_version

from claimrag.schemas import Act, Chunk, Claim, ContextUnit, Question, Run, Unit
from claimrag.schemas.base import ActId
from claimrag.schemas.rejected import StageCounts
from claimrag.schemas.release import Release
from claimrag.tasks.build.runtime import Runtime
from claimrag.tasks.build.tables import stage_counts, stage_rows
from claimrag.tasks.release import ReleaseContent, latest_release, make_release

COUNTED = ("units", "context_units", "questions", "claims", "chunks", "scored_answers")


async def make_build_release(runtime: Runtime, act_ids: list[ActId]) -> tuple[Release, str]:
    """Write the next release, unless nothing changed since the last one; returns it and its path."""
    runtime.progress.begin("release", 1)
    made = await asyncio.to_thread(_make, runtime, act_ids)
    runtime.progress.advance("release")
    return made


def _make(runtime: Runtime, act_ids: list[ActId]) -> tuple[Release, str]:
    root = f"{runtime.workspace.address.rstrip('/')}/releases"
    content = ReleaseContent(
        acts=stage_rows(runtime, "acts", Act, act_ids),
        units=stage_rows(runtime, "units", Unit, act_ids),
        context_units=stage_rows(runtime, "context_units", ContextUnit, act_ids),
        questions=stage_rows(runtime, "questions", Question, act_ids),
        claims=stage_rows(runtime, "claims", Claim, act_ids),
        chunks=stage_rows(runtime, "chunks", Chunk, act_ids),
        runs=stage_rows(runtime, "runs", Run, act_ids),
        counts=_counts(runtime, act_ids),
    )
    lineage = {
        "code_version": installed_version("claimrag"),
        "settings_sha256": runtime.settings.fingerprint(),
        "generator": runtime.llm.model_name,
        "judge": runtime.judge.model_name,
    }
    made = make_release(
        root,
        content,
        version=runtime.request.version,
        lineage=lineage,
        previous=latest_release(root),
    )
    return made.release, str(made.folder)


def _counts(runtime: Runtime, act_ids: list[ActId]) -> dict[str, StageCounts]:
    found = {stage: stage_counts(runtime, stage, act_ids) for stage in COUNTED}
    return {stage: counts for stage, counts in found.items() if counts is not None}
