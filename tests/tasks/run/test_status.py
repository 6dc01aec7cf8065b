"""The state of a workspace: who works there, what is kept, what ran and what failed, also where parts are damaged."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from reader_workspace import NEW, OLD, copy_of_workspace, damage, in_memory

from claimrag.schemas.reason import Reason
from claimrag.schemas.status import RunState, WorkspaceStatus
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.run.status import workspace_status
from claimrag.tasks.store import Workspace

OLD_ACT, NEW_ACT = (f"eu/32099R1001/{version}/en" for version in (OLD, NEW))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return copy_of_workspace(tmp_path / "w")


def now() -> datetime:
    return datetime.now(UTC)


def status_of(workspace: Workspace) -> WorkspaceStatus:
    return workspace_status(workspace, now())


def write_manifest(workspace: Workspace, run: str, **fields: Any) -> None:
    started = datetime.strptime(run[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).isoformat()
    value = {"run": run, "started_at": started, "request": {"laws": ["gdpr"]}, "seconds": 2.5, **fields}
    workspace.write_json(value, "runs", run, "manifest.json")


def test_laws_stages_and_releases_are_those_of_the_tables(workspace: Workspace) -> None:
    state = status_of(workspace)
    assert [(law.act_id, law.is_current) for law in state.laws] == [(NEW_ACT, True), (OLD_ACT, False)]
    assert {law.name for law in state.laws} == {f"file-{OLD}", f"file-{NEW}"}
    for stage in state.stages:
        counts = [workspace.read_counts(ref) for ref in workspace.tables(stage.stage)]
        assert stage.tables == len(counts) and stage.kept == sum(one.kept for one in counts)
        assert stage.considered == stage.kept + sum(stage.rejected.values())
        again = sum(n for code, n in stage.rejected.items() if Reason.of(code).asked_again)
        assert stage.asked_again == again and stage.outdated == 0
    questions = {law.act_id: law.questions for law in state.laws}
    assert sum(questions.values()) == next(s.kept for s in state.stages if s.stage == "occurrences")
    assert [release.version for release in state.releases] == ["0.1.0"] and state.releases[0].rows["qa"]
    size = sum(file.stat().st_size for file in Path(workspace.root).rglob("*") if file.is_file())
    assert sum(state.bytes.values()) == size and state.lock is None and not state.damaged


def test_a_table_is_out_of_date_when_what_it_was_made_from_has_other_rows(workspace: Workspace) -> None:
    ref = QUESTIONS.of(OLD_ACT)
    record = workspace.record(ref)
    assert record is not None
    rows = workspace.read_table(ref, QUESTIONS.noun)
    workspace.write_table(ref, QUESTIONS.noun, rows[1:], made_from=record.made_from)
    outdated = {stage.stage: stage.outdated for stage in status_of(workspace).stages}
    assert outdated["occurrences"] and outdated["claims"] == 1
    assert not outdated["questions"] and not outdated["units"]


def test_a_build_runs_while_its_lock_is_alive_and_is_killed_otherwise(workspace: Workspace) -> None:
    write_manifest(workspace, "20260101T000000Z-old", status="running")
    long_ago = (now() - timedelta(days=1)).timestamp()
    os.utime(workspace.path("runs", "20260101T000000Z-old", "manifest.json"), (long_ago, long_ago))
    with workspace.lock("claimrag build"):
        write_manifest(workspace, "20260102T000000Z-new", status="running", phase="claims")
        state = status_of(workspace)
        assert state.lock is not None and state.lock.is_alive
        assert (state.lock.purpose, state.lock.process) == ("claimrag build", os.getpid())
        assert [(run.run[-3:], run.state.value, run.phase) for run in state.runs] == [
            ("new", "running", "claims"),
            ("old", "killed", None),
        ]
    assert {run.state for run in status_of(workspace).runs} == {RunState.KILLED}


def test_an_owner_that_is_gone_is_shown_as_gone_and_its_build_as_killed(workspace: Workspace) -> None:
    write_manifest(workspace, "20260101T000000Z-a", status="running")
    with workspace.lock("claimrag build"):
        owner = json.loads(Path(workspace.path("lock/000001.json")).read_text())
    Path(workspace.path("lock")).mkdir(exist_ok=True)
    for gone in ({"process_started": "1"}, {"machine": "other", "heartbeat_at": "2026-01-01T00:00:00Z"}):
        Path(workspace.path("lock/000001.json")).write_text(json.dumps(owner | gone))
        state = status_of(workspace)
        assert state.lock is not None and not state.lock.is_alive
        assert state.runs[0].state is RunState.KILLED
    Path(workspace.path("lock/000001.json")).write_text("{")
    assert status_of(workspace).lock is None


def test_a_run_says_what_it_spent_and_how_it_ended(workspace: Workspace) -> None:
    usage = {
        "model": "m",
        "requests_sent": 7,
        "answered_from_cache": 3,
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "cost_usd": 0.5,
        "retries": 1,
    }
    failure = {"law": "ai-act", "sentence": "its source does not answer"}
    summary = {
        "usage": [usage, usage | {"cost_usd": None}],
        "exit_code": 3,
        "verdict": "partial: one law failed",
    }
    write_manifest(
        workspace, "20260101T000000Z-a", status="finished", summary=summary | {"failures": [failure]}
    )
    run = status_of(workspace).runs[0]
    assert (run.calls, run.from_cache, run.retries, run.prompt_tokens) == (14, 6, 2, 200)
    assert (run.cost_usd, run.exit_code, run.verdict) == (0.5, 3, "partial: one law failed")
    assert run.failed_laws == ("ai-act: its source does not answer",) and run.laws == ("gdpr",)
    assert [error.sentence for error in status_of(workspace).errors] == ["partial: one law failed"]


def test_a_failed_run_gives_its_phase_sentence_and_the_usage_so_far(workspace: Workspace) -> None:
    usage = {"model": "m", "requests_sent": 4}
    write_manifest(
        workspace, "20260101T000000Z-a", status="failed", phase="evaluate", sentence="no key", usage=[usage]
    )
    run = status_of(workspace).runs[0]
    assert (run.state.value, run.phase, run.sentence, run.calls) == ("failed", "evaluate", "no key", 4)
    assert run.exit_code is None and run.cost_usd is None


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"status": 3}', '{"summary": []}', '{"summary": {"usage": [1]}}', "[" * 9999],
)
def test_a_manifest_that_says_nothing_of_use_is_an_unknown_run(workspace: Workspace, text: str) -> None:
    workspace.write_text(text, "runs", "20260101T000000Z-a", "manifest.json")
    runs = status_of(workspace).runs
    assert [(run.run, run.state, run.calls) for run in runs] == [
        ("20260101T000000Z-a", RunState.UNKNOWN, None)
    ]


def test_the_last_errors_are_those_of_manifests_and_logs_each_once_the_newest_first(
    workspace: Workspace,
) -> None:
    write_manifest(workspace, "20260101T000000Z-a", status="failed", sentence="no key")
    log = "Traceback (most recent call last):\n  File x\nclaimrag.schemas.errors.ModelRefusedError: no key\n"
    workspace.write_text(log, "logs", "20260101T000000Z-build-1.log")
    workspace.write_text("a warning\n", "logs", "20260103T000000Z-build-3.log")
    workspace.write_text(
        f"x\n{log}{log.replace('no key', 'no disk')}", "logs", "20260102T000000Z-claims-2.log"
    )
    errors = status_of(workspace).errors
    assert [error.sentence for error in errors] == ["no disk", "no key"]
    assert errors[0].source == "logs/20260102T000000Z-claims-2.log"
    assert errors[0].at == datetime(2026, 1, 2, tzinfo=UTC)


def test_what_is_damaged_is_named_and_the_rest_is_shown(workspace: Workspace) -> None:
    before = status_of(workspace)
    claims, acts = workspace.tables("claims")[0], workspace.record(workspace.tables("acts")[0])
    assert acts is not None
    damage(workspace, f"tables/claims/{claims.slug}.json")
    damage(workspace, acts.kept.path)
    damage(workspace, "releases/0.1.0/release.json")
    state = status_of(workspace)
    assert [part in " ".join(state.damaged) for part in (claims.slug, acts.kept.path)] == [True, True]
    assert len(state.damaged) == 2 and len(state.laws) == 1 and state.releases[0].rows == {}
    assert len(state.stages) == len(before.stages)


def test_looking_changes_nothing_and_does_not_wait_for_who_works_there(workspace: Workspace) -> None:
    def files() -> dict[str, bytes]:
        found = (
            file for file in Path(workspace.root).rglob("*") if file.is_file() and "lock" not in file.parts
        )
        return {str(file): file.read_bytes() for file in found}

    before = files()
    with workspace.lock("claimrag build"):
        assert status_of(Workspace.open(workspace.address, create=False)).lock is not None
    assert files() == before


def test_an_object_store_and_an_empty_workspace_have_a_state(workspace: Workspace) -> None:
    copied = in_memory(workspace, "memory://readers/status")
    write_manifest(copied, "20260101T000000Z-a", status="running")
    state, same = status_of(copied), status_of(workspace)
    assert (state.laws, state.stages, state.releases) == (same.laws, same.stages, same.releases)
    assert state.runs[0].state is RunState.KILLED
    with copied.lock("claimrag build"):
        write_manifest(copied, "20260102T000000Z-b", status="running")
        assert [run.state.value for run in status_of(copied).runs] == ["running", "killed"]
    empty = status_of(Workspace.open("memory://readers/empty"))
    assert (empty.laws, empty.stages, empty.runs, empty.errors, empty.bytes) == ((), (), (), (), {})
