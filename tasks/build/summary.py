"""What a build says when it ends: counts per stage, spending, a verdict with its exit code, a manifest."""

from __future__ import annotations

import time
from importlib.metadata import version as installed_version
from typing import Any

from claimrag.schemas import Run
from claimrag.schemas.base import ActId
from claimrag.schemas.build import BuildSummary, ExitCode, StageReport, StageSummary
from claimrag.schemas.release import Release
from claimrag.tasks.build.clock import utc_now
from claimrag.tasks.build.runtime import Runtime
from claimrag.tasks.build.tables import stage_counts, stage_rows
from claimrag.tasks.build.validation import ValidationOutcome

STAGES = (
    "acts",
    "units",
    "context_units",
    "questions",
    "claims",
    "chunks",
    "retrievals",
    "scored_answers",
    "runs",
)
MALFUNCTIONS = frozenset(
    {
        "malformed_reply",
        "length",
        "content_filter",
        "empty_reply",
        "refusal",
        "label_count_mismatch",
        "request_refused",
        "unparsable_claims",
        "malformed_triplet",
    }
)
"""Reasons that mean the model or its endpoint did not do what was asked. The other reasons are the filters
doing their work: an unsuitable category, a duplicate, an unsupported answer."""


def start_build(runtime: Runtime) -> None:
    """Write the manifest of a run that has begun, so that a killed run leaves a trace."""
    _write_manifest(runtime, {"status": "running"})


def finish_build(
    runtime: Runtime, acts: list[ActId], checked: ValidationOutcome, release: Release, path: str
) -> BuildSummary:
    """The summary of a build that came to its end; writes the run's manifest."""
    stages = tuple(stage for name in STAGES if (stage := summarise_stage(runtime, name, acts)) is not None)
    exit_code, verdict = judge_build(stages, runtime.settings.allowed_rejected_share)
    summary = BuildSummary(
        run=runtime.run_id,
        workspace=runtime.workspace.address,
        acts=tuple(acts),
        stages=stages,
        runs=tuple(stage_rows(runtime, "runs", Run, acts)),
        usage=runtime.usage(),
        release_version=release.version,
        release_path=path,
        report_path=checked.html_path,
        warnings=tuple(runtime.warnings) + checked.warnings,
        exit_code=exit_code,
        verdict=verdict,
        started_at=runtime.started_at,
        finished_at=utc_now(),
    )
    _write_manifest(runtime, {"status": "finished", "summary": summary.model_dump(mode="json")})
    return summary


def report_stages(
    runtime: Runtime, acts: list[ActId], *names: str, also: tuple[str, ...] = ()
) -> StageReport:
    """What one stage, run by itself, made."""
    stages = tuple(stage for name in names if (stage := summarise_stage(runtime, name, acts)) is not None)
    exit_code, verdict = judge_build(stages, runtime.settings.allowed_rejected_share)
    sentences = [
        f"{stage.stage}: {stage.counts.kept} kept of {stage.counts.considered}"
        + "".join(f", {reason} {count}" for reason, count in stage.counts.rejected.items())
        for stage in stages
    ]
    where = f"workspace: {runtime.workspace.address}"
    return StageReport(
        stages=stages, sentences=(*sentences, *also, where, f"verdict: {verdict}"), exit_code=exit_code
    )


def summarise_stage(runtime: Runtime, stage: str, acts: list[ActId]) -> StageSummary | None:
    """The counts of a stage over this build's acts; None when the stage was not run."""
    total = stage_counts(runtime, stage, acts)
    if total is None:
        return None
    timed = ("question_shards", "questions") if stage == "questions" else (stage,)
    seconds = sum(runtime.seconds.get(name, 0.0) for name in timed)
    return StageSummary(stage=stage, counts=total, seconds=round(seconds, 3))


def judge_build(stages: tuple[StageSummary, ...], allowed_share: float) -> tuple[ExitCode, str]:
    """Exit code and sentence: 3 when a stage lost more rows to malfunctions than the settings allow."""
    for stage in stages:
        lost = {r: n for r, n in stage.counts.rejected.items() if r in MALFUNCTIONS}
        share = sum(lost.values()) / stage.counts.considered if stage.counts.considered else 0.0
        if share > allowed_share:
            reasons = ", ".join(f"{reason}: {count}" for reason, count in sorted(lost.items()))
            return 3, (
                f"partial: stage {stage.stage} lost {share:.0%} of its {stage.counts.considered} items to "
                f"malfunctions ({reasons}), more than the allowed {allowed_share:.0%}"
            )
    return 0, "complete"


def _write_manifest(runtime: Runtime, state: dict[str, Any]) -> None:
    manifest = {
        "run": runtime.run_id,
        "code_version": installed_version("claimrag"),
        "settings_sha256": runtime.settings.fingerprint(),
        "request": runtime.request.model_dump(mode="json"),
        "models": {"llm": runtime.llm.model_name, "judge": runtime.judge.model_name},
        "prompts": runtime.prompt_hashes,
        "inputs": runtime.inputs,
        "started_at": runtime.started_at.isoformat(),
        "written_at": utc_now().isoformat(),
        "seconds": round(time.perf_counter() - runtime.began, 3),
        **state,
    }
    runtime.workspace.write_json(manifest, "runs", runtime.run_id, "manifest.json")
