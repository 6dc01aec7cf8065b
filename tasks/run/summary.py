"""What a build says when it ends: counts per stage, spending, a verdict with its exit code, a manifest."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version as installed_version
from typing import Any

from claimrag.schemas.build import BuildSummary, ExitCode, StageReport, StageSummary
from claimrag.schemas.errors import StoreError
from claimrag.schemas.reason import Reason
from claimrag.schemas.release import Release
from claimrag.schemas.run import Run
from claimrag.tasks.evaluate.average_step import RUNS
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.generate.step import QUESTION_SHARDS
from claimrag.tasks.parse.step import TEXTS
from claimrag.tasks.release.step import releases_of
from claimrag.tasks.run.clock import utc_now
from claimrag.tasks.run.failures import failed_laws
from claimrag.tasks.run.report import counts_sentence
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.step import Table
from claimrag.tasks.run.tables import TABLES, Selection, stage_counts
from claimrag.tasks.validate.step import ValidationOutcome

NOT_SHOWN = (TEXTS, QUESTION_SHARDS)
"""One row per act, and parts that are counted where they are joined."""


@contextmanager
def manifest_kept(runtime: Runtime) -> Iterator[None]:
    """Keep the manifest of a run: that it works, and, where it does not come to its end, why.

    A run that is killed leaves `running`. Raises InputError for a release version that could not be made, before
    anything is paid.
    """
    check_version_asked(runtime)
    write_progress(runtime)
    try:
        yield
    except BaseException as error:
        stopped = isinstance(error, KeyboardInterrupt | asyncio.CancelledError)
        ended = {"status": "stopped" if stopped else "failed", "sentence": str(error)}
        with contextlib.suppress(StoreError):  # the first error is the one to hear of
            _write_manifest(runtime, {**ended, **_so_far(runtime)})
        raise


def write_progress(runtime: Runtime) -> None:
    """Write in the manifest how far the run has come."""
    _write_manifest(runtime, {"status": "running", **_so_far(runtime)})


def _so_far(runtime: Runtime) -> dict[str, Any]:
    return {
        "phase": runtime.phase,
        "failures": [failure.model_dump(mode="json") for failure in runtime.failures],
        "usage": [usage.model_dump(mode="json") for usage in runtime.usage()],
        **_asked(runtime),
    }


def _asked(runtime: Runtime) -> dict[str, Any]:
    """What the models were asked, by work and purpose: later estimates rest on it."""
    return {"asked": [work.model_dump(mode="json") for work in runtime.asked.rows()]}


def check_version_asked(runtime: Runtime) -> None:
    """Raise InputError where the release version that the request asks for could not be made."""
    from claimrag.tasks.release.folder import check_version

    check_version(releases_of(runtime.workspace), runtime.request.release_version)


def finish_build(
    runtime: Runtime, selection: Selection, checked: ValidationOutcome, release: Release, path: str
) -> BuildSummary:
    """The summary of a build that came to its end; writes the run's manifest."""
    stages = summarise(runtime, selection, TABLES)
    exit_code, verdict = _verdict(runtime, selection, stages)
    summary = BuildSummary(
        run=runtime.run_id,
        workspace=runtime.workspace.shown,
        acts=selection.acts,
        stages=stages,
        runs=selection.runs,
        usage=runtime.usage(),
        release_version=release.version,
        release_path=path,
        report_path=checked.html_path,
        warnings=(*runtime.all_warnings(), *stale_sentences(selection), *checked.warnings),
        failures=tuple(runtime.failures),
        exit_code=exit_code,
        verdict=verdict,
        started_at=runtime.started_at,
        finished_at=utc_now(),
    )
    finished = {"status": "finished", "summary": summary.model_dump(mode="json")}
    _write_manifest(runtime, finished | _asked(runtime))
    return summary


def report_stages(
    runtime: Runtime, selection: Selection, *tables: Table[Any], also: tuple[str, ...] = ()
) -> StageReport:
    """What one stage, run by itself, did."""
    stages = summarise(runtime, selection, tables)
    exit_code, verdict = _verdict(runtime, selection, stages)
    sentences = [f"{stage.stage}: {counts_sentence(stage.counts)}" for stage in stages]
    where = f"workspace: {runtime.workspace.shown}"
    warnings = (*runtime.all_warnings(), *stale_sentences(selection))
    return StageReport(
        stages=stages,
        runs=selection.runs if RUNS in tables else (),
        sentences=(*sentences, *also, *warnings, where, f"verdict: {verdict}"),
        exit_code=exit_code,
        verdict=verdict,
    )


def summarise(
    runtime: Runtime, selection: Selection, tables: tuple[Table[Any], ...]
) -> tuple[StageSummary, ...]:
    """The counts of these kinds of tables over a selection; those that were not made are left out."""
    stages = []
    for table in tables:
        total = None if table in NOT_SHOWN else stage_counts(runtime, table, selection)
        if total is not None:
            timed = (QUESTION_SHARDS, QUESTIONS) if table is QUESTIONS else (table,)
            seconds = sum(runtime.seconds.get(each.stage, 0.0) for each in timed)
            stages.append(StageSummary(stage=table.stage, counts=total, seconds=round(seconds, 3)))
    return tuple(stages)


def _verdict(
    runtime: Runtime, selection: Selection, stages: tuple[StageSummary, ...]
) -> tuple[ExitCode, str]:
    exit_code, verdict = judge_build(stages, selection.runs, runtime.settings.allowed_rejected_share)
    if not runtime.failures:
        return exit_code, verdict
    number = len(runtime.failures)
    failed = (
        f"partial: {number} of {number + len(selection.acts)} laws failed: {failed_laws(runtime.failures)}"
    )
    return 3, failed if exit_code == 0 else f"{failed}; {verdict.removeprefix('partial: ')}"


def judge_build(
    stages: tuple[StageSummary, ...], runs: tuple[Run, ...], allowed_share: float
) -> tuple[ExitCode, str]:
    """Exit code and sentence: 3 when a stage lost more to malfunctions than is allowed, or a run scored nothing."""
    for stage in stages:
        lost = {reason: n for reason, n in stage.counts.rejected.items() if Reason.of(reason).is_malfunction}
        share = sum(lost.values()) / stage.counts.considered if stage.counts.considered else 0.0
        if share > allowed_share:
            reasons = ", ".join(f"{reason}: {count}" for reason, count in sorted(lost.items()))
            return 3, (
                f"partial: stage {stage.stage} lost {share:.0%} of its {stage.counts.considered} items to "
                f"malfunctions ({reasons}), more than the allowed {allowed_share:.0%}"
            )
    for run in runs:
        if not scored_answers_of(run):
            return 3, (
                f"partial: no answer of {run.system.name} ({run.language}) could be scored, of {run.questions} "
                "questions"
            )
    return 0, "complete"


def scored_answers_of(run: Run) -> int:
    """How many answers of a run have claim-level scores."""
    return max((mean.scored for mean in run.scores if mean.metric == "precision"), default=0)


def stale_sentences(selection: Selection) -> tuple[str, ...]:
    """One sentence on the runs that are left out because what they were scored from has changed."""
    names = sorted({f"{run.system.name} ({run.language})" for run in selection.stale_runs})
    if not names:
        return ()
    return (
        f"left out, because questions, claims or chunks have changed since they were scored: {', '.join(names)}; "
        "`claimrag evaluate` scores the systems of the settings again",
    )


def _write_manifest(runtime: Runtime, state: dict[str, Any]) -> None:
    manifest = {
        "run": runtime.run_id,
        "code_version": installed_version("claimrag"),
        "settings_sha256": runtime.settings.fingerprint(),
        "request": runtime.request.model_dump(mode="json"),
        "models": {"llm": runtime.llm.model_name, "judge": runtime.judge.model_name},
        "prompts": runtime.prompt_hashes,
        "inputs": runtime.raw,
        "changed": runtime.changed,
        "started_at": runtime.started_at.isoformat(),
        "written_at": utc_now().isoformat(),
        "seconds": round(time.perf_counter() - runtime.began, 3),
        **state,
    }
    runtime.workspace.write_json(manifest, "runs", runtime.run_id, "manifest.json")
