"""The builds of a workspace by their manifests, and the failures in them and in the logs.

Promises: a manifest that is damaged, of an older version, or replaced while it is read is a run of state
`unknown`, never an exception. Reads the end of a log only.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from claimrag.schemas.asked import WorkAsked
from claimrag.schemas.status import ErrorStatus, RunState, RunStatus
from claimrag.tasks.run.clock import wall_clock
from claimrag.tasks.run.failures import failed_law
from claimrag.tasks.store import Workspace
from claimrag.tasks.store.files import listing, read_if_there
from claimrag.tasks.store.holder import lock_holder

_LOG_NAME = re.compile(r"(\d{8}T\d{6}Z)-.*\.log")
_RAISED = re.compile(
    r"^(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Group|Exit)(?:: (.+))?$", re.MULTILINE | re.ASCII
)
"""The last line of a traceback: the error's type by its modules, a colon, what it says."""
_LOG_END_BYTES = 20_000
RUNS_ASKED = 20
"""So many runs, the newest, are looked at for what they asked."""


def past_runs(workspace: Workspace, locked_since: datetime | None) -> list[RunStatus]:
    """Every build, the newest first. `locked_since`: when the owner at work took the lock; None without one."""
    folders = [str(entry["name"]) for entry in listing(workspace.fs, workspace.path("runs"))]
    runs = [_run(workspace, folder.rpartition("/")[2], locked_since) for folder in reversed(folders)]
    return sorted(runs, key=lambda run: run.run, reverse=True)


def past_run(workspace: Workspace, name: str) -> RunStatus:
    """One build by its name; one that works now has the workspace's lock."""
    owner = lock_holder(workspace)
    alive = owner is not None and not owner.is_gone(wall_clock())
    return _run(workspace, name, owner.started_at if owner is not None and alive else None)


def past_errors(workspace: Workspace, runs: list[RunStatus]) -> list[ErrorStatus]:
    """Failures of runs, and of commands whose log ends in one; the newest first, each sentence once."""
    found = [*_of_runs(runs), *_of_logs(workspace)]
    found.sort(key=lambda error: error.at or datetime.min.replace(tzinfo=UTC), reverse=True)
    return list({error.sentence: error for error in reversed(found)}.values())[::-1]


def asked_in_runs(workspace: Workspace) -> list[WorkAsked]:
    """What the last runs asked of models, the newest first; what cannot be read is left out."""
    names = sorted(str(e["name"]).rpartition("/")[2] for e in listing(workspace.fs, workspace.path("runs")))
    found: list[WorkAsked] = []
    for name in names[: -RUNS_ASKED - 1 : -1]:
        data = read_if_there(workspace.fs, workspace.path("runs", name, "manifest.json"))
        with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError):
            rows = json.loads(data or b"{}").get("asked") or ()
            found += [WorkAsked.model_validate(row) for row in rows]
    return found


def _run(workspace: Workspace, name: str, locked_since: datetime | None) -> RunStatus:
    path = workspace.path("runs", name, "manifest.json")
    data = read_if_there(workspace.fs, path)
    try:
        manifest = None if data is None else json.loads(data)
        if not isinstance(manifest, dict):
            return RunStatus(run=name, state=RunState.UNKNOWN)
        return _of_manifest(name, manifest, _is_at_work(workspace, path, locked_since))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return RunStatus(run=name, state=RunState.UNKNOWN)


def _is_at_work(workspace: Workspace, path: str, locked_since: datetime | None) -> bool:
    """Whether the manifest was written under the lock that is held now; SOURCE_DATE_EPOCH stops its own times."""
    if locked_since is None:
        return False
    try:
        written = workspace.fs.modified(path)
    except (OSError, NotImplementedError):
        return True
    return bool((written if written.tzinfo else written.replace(tzinfo=UTC)) >= locked_since)


def _of_manifest(name: str, manifest: dict[str, Any], at_work: bool) -> RunStatus:
    summary = manifest.get("summary") or {}
    usage = summary.get("usage") or manifest.get("usage") or []
    costs = [one["cost_usd"] for one in usage if one.get("cost_usd") is not None]
    failures = summary.get("failures") or manifest.get("failures") or []
    state = _state(manifest.get("status"), at_work)
    sentence = manifest.get("sentence")
    return RunStatus(
        run=name,
        state=state,
        phase=None if state is RunState.FINISHED else manifest.get("phase"),
        laws=tuple((manifest.get("request") or {}).get("laws") or ()),
        started_at=manifest.get("started_at"),
        seconds=manifest.get("seconds"),
        calls=_sum(usage, "requests_sent"),
        from_cache=_sum(usage, "answered_from_cache"),
        retries=_sum(usage, "retries"),
        prompt_tokens=_sum(usage, "prompt_tokens"),
        completion_tokens=_sum(usage, "completion_tokens"),
        cost_usd=sum(costs) if costs else None,
        exit_code=summary.get("exit_code", manifest.get("exit_code")),
        verdict=summary.get("verdict", manifest.get("verdict")),
        sentence=sentence or None,
        failed_laws=tuple(failed_law(str(one.get("law")), str(one.get("sentence"))) for one in failures),
    )


def _state(status: Any, at_work: bool) -> RunState:
    if status == "running" and not at_work:
        return RunState.KILLED
    return RunState(status) if status in set(RunState) else RunState.UNKNOWN


def _sum(usage: list[dict[str, Any]], name: str) -> int | None:
    return sum(int(one.get(name) or 0) for one in usage) if usage else None


def _of_runs(runs: list[RunStatus]) -> Iterator[ErrorStatus]:
    for run in runs:
        source = f"runs/{run.run}/manifest.json"
        sentences = [run.sentence] if run.state is RunState.FAILED and run.sentence else []
        if run.exit_code and run.verdict:
            sentences.append(run.verdict)
        elif not sentences:
            sentences += run.failed_laws
        yield from (ErrorStatus(at=run.started_at, source=source, sentence=one) for one in sentences)


def _of_logs(workspace: Workspace) -> Iterator[ErrorStatus]:
    for entry in listing(workspace.fs, workspace.path("logs")):
        path = str(entry["name"])
        file = path.rpartition("/")[2]
        match = _LOG_NAME.fullmatch(file)
        said = _RAISED.findall(_end_of(workspace, path)) if match else []
        if match and said and said[-1]:
            at = datetime.strptime(match[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
            yield ErrorStatus(at=at, source=f"logs/{file}", sentence=said[-1])


def _end_of(workspace: Workspace, path: str) -> str:
    try:
        size = int(workspace.fs.size(path) or 0)
        return bytes(workspace.fs.cat_file(path, start=max(0, size - _LOG_END_BYTES))).decode(
            "utf-8", "replace"
        )
    except OSError:
        return ""
