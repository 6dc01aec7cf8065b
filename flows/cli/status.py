"""`claimrag status`: a workspace on one screen. Everything that is left out for its size is in `--json`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import typer
from rich.cells import cell_len, set_cell_size

from claimrag.flows.cli.options import Json, Workspace
from claimrag.flows.cli.output import complain, console, print_json, print_lines
from claimrag.flows.cli.untrusted import paragraph, shortened, visible
from claimrag.schemas.status import LawStatus, RunState, RunStatus, StageStatus, WorkspaceStatus

LAWS_SHOWN, RUNS_SHOWN, ERROR_LINES, DAMAGED_SHOWN = 3, 2, 3, 2
PURPOSE_SHOWN = 30
NOT_SHOWN = ("acts", "texts")
"""One row per version, which the laws show."""


def status(workspace: Workspace = None, json_output: Json = False) -> None:
    """Show who works in a workspace, its laws, tables, last runs and errors, releases and size."""
    from claimrag.schemas.settings import load_settings
    from claimrag.tasks.run.clock import wall_clock
    from claimrag.tasks.run.status import workspace_status
    from claimrag.tasks.store import Workspace as Store

    store = Store.open(load_settings(workspace=workspace).workspace, create=False)
    now = wall_clock()
    state = workspace_status(store, now)
    if json_output:
        print_json(state.model_dump(mode="json"))
    else:
        width = console.width
        print_lines(*(_fit(line, width) for line in _lines(state, now, width)))
    for sentence in state.damaged[: None if json_output else DAMAGED_SHOWN]:
        complain(visible(sentence))
    if state.damaged:
        raise typer.Exit(1)


def _fit(line: str, width: int) -> str:
    return line if cell_len(line) <= width else f"{set_cell_size(line, width - 1)}…"


def _lines(state: WorkspaceStatus, now: datetime, width: int) -> Iterator[str]:
    yield f"workspace {visible(state.workspace)}: {_size(sum(state.bytes.values()))}, {_lock(state)}"
    yield from _owner(state)
    yield from _laws(state.laws)
    yield from _stages(state.stages)
    yield from _runs(state.runs, now)
    yield from _last_error(state, now, width)
    yield _releases(state)


def _lock(state: WorkspaceStatus) -> str:
    lock = state.lock
    if lock is None:
        return "nobody works in it"
    if not lock.is_alive:
        return f"nobody works in it; `{shortened(lock.purpose, PURPOSE_SHOWN)}` was killed"
    return "in use"


def _owner(state: WorkspaceStatus) -> Iterator[str]:
    if state.lock is not None and state.lock.is_alive:
        lock = state.lock
        since = f"{lock.since.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
        alive = f"alive {lock.heartbeat_age_s:.0f} s ago, process {lock.process} on {lock.host}"
        yield f"`{shortened(lock.purpose, PURPOSE_SHOWN)}` works there since {since}, {visible(alive)}"


def _laws(laws: tuple[LawStatus, ...]) -> Iterator[str]:
    if not laws:
        yield "laws: none yet; `claimrag build LAW` fetches one"
    shown = LAWS_SHOWN if len(laws) <= LAWS_SHOWN else LAWS_SHOWN - 1
    for law in laws[:shown]:
        units = "not parsed" if law.units is None else f"{law.units:,} units"
        questions = "" if law.questions is None else f", {law.questions:,} questions"
        older = "" if law.is_current else ", an older version"
        yield f"law {law.act_id}: {units}{questions}{older}: {visible(law.title)}"
    if len(laws) > shown:
        current = sum(law.is_current for law in laws)
        yield f"  and {len(laws) - shown} more, {len(laws)} versions in all, {current} of them current"


def _stages(stages: tuple[StageStatus, ...]) -> Iterator[str]:
    shown = [stage for stage in stages if stage.stage not in NOT_SHOWN]
    if not shown:
        return
    yield f"{'stage':15}  {'kept':>8}  {'rejected':>8}  most frequent reasons"
    for stage in shown:
        notes = _reasons(stage)
        if stage.outdated:
            notes.insert(0, f"{stage.outdated} of {stage.tables} out of date")
        lost = sum(stage.rejected.values())
        name = stage.stage.replace("_", " ")
        yield f"{name:15}  {stage.kept:>8,}  {lost:>8,}  {', '.join(notes)}".rstrip()


def _reasons(stage: StageStatus) -> list[str]:
    ordered = sorted(stage.rejected.items(), key=lambda pair: (-pair[1], pair[0]))
    more = [f"{len(ordered) - 2} other reasons"] if len(ordered) > 3 else []
    return [f"{reason} {number:,}" for reason, number in ordered[: 2 if more else 3]] + more


def _runs(runs: tuple[RunStatus, ...], now: datetime) -> Iterator[str]:
    for run in runs[:RUNS_SHOWN]:
        yield f"build {_ago(run.started_at, now)}: {_run(run, now)}"
    if len(runs) > RUNS_SHOWN:
        yield f"  and {len(runs) - RUNS_SHOWN} earlier builds"


def _run(run: RunStatus, now: datetime) -> str:
    parts = [
        run.state.value,
        f"complete: {visible(run.phase)}" if run.phase else "",
        f"exit {run.exit_code}" if run.exit_code is not None else "",
        *_spent(run),
        _time(run, now),
        visible(" ".join(run.laws)) or "sample laws",
    ]
    return ", ".join(part for part in parts if part)


def _time(run: RunStatus, now: datetime) -> str:
    """What the manifest says of a build that runs, or was killed, is how long its last complete phase lasted."""
    if run.state is RunState.RUNNING and run.started_at is not None:
        return f"{max(0, (now - run.started_at).total_seconds()):,.0f} s"
    return f"{run.seconds:,.0f} s" if run.seconds is not None and run.state is not RunState.KILLED else ""


def _spent(run: RunStatus) -> Iterator[str]:
    if run.calls is None:
        return
    yield f"{run.calls:,} calls"
    if run.from_cache:
        yield f"{run.from_cache:,} from the cache"
    yield f"{(run.prompt_tokens or 0) + (run.completion_tokens or 0):,} tokens"
    if run.cost_usd is not None:
        yield f"${run.cost_usd:.4f}"


def _last_error(state: WorkspaceStatus, now: datetime, width: int) -> Iterator[str]:
    if not state.errors:
        return
    error = state.errors[0]
    lines = paragraph(f"error {_ago(error.at, now)}: ", visible(error.sentence), width)
    yield from lines[: ERROR_LINES - 1]
    if len(lines) >= ERROR_LINES:
        rest = " ".join(line.strip() for line in lines[ERROR_LINES - 1 :])
        indent = len(lines[1]) - len(lines[1].lstrip())
        yield f"{' ' * indent}{rest}"  # cut where it is shown


def _ago(moment: datetime | None, now: datetime) -> str:
    if moment is None:
        return "some time ago"
    seconds = max(0, (now - moment).total_seconds())
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit} ago"
    return f"{seconds:.0f} s ago"


def _releases(state: WorkspaceStatus) -> str:
    if not state.releases:
        return "releases: none yet"
    rows = state.releases[0].rows
    holds = f"{rows.get('qa', 0):,} questions, {rows.get('claims', 0):,} claims" if rows else "damaged"
    earlier = f", and {len(state.releases) - 1} earlier" if len(state.releases) > 1 else ""
    return f"release {state.releases[0].version}: {holds}{earlier}"


def _size(size: float) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
