"""A build that is killed at any moment goes on where it was: nothing answered is asked again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scripted_process import model_environment, scripted_process, stats

from claimrag.tasks.store import Workspace

KILLS = int(os.environ.get("KILLS", "6"))
LATENCY_S = 0.05
IN_FLIGHT_AT_KILL_S = 0.25
"""A reply that the server sent this shortly before a kill may not have reached the pipeline's cache."""


def start_build(workspace: Path, base_url: str) -> subprocess.Popen[bytes]:
    environment = os.environ | model_environment(base_url) | {"SOURCE_DATE_EPOCH": "1800000000"}
    command = [sys.executable, "-c", "from claimrag.flows.cli import main; main()", "build"]
    return subprocess.Popen(
        [*command, "--workspace", str(workspace), "--units", "6", "--windows", "2"],
        env=environment,
        cwd=workspace.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def finish_build(workspace: Path, base_url: str) -> None:
    with start_build(workspace, base_url) as process:
        assert process.wait(240) == 0


def kill_when_answered(
    process: subprocess.Popen[bytes], base_url: str, answered: int, delay_s: float
) -> float | None:
    """Kill the build once the server has answered so many requests; None when it ended before."""
    while process.poll() is None:
        if int(stats(base_url)["answered"]) >= answered:
            time.sleep(delay_s)
            process.send_signal(signal.SIGKILL)
            process.wait(30)
            return time.time()
        time.sleep(0.005)
    return None


def table_bytes(workspace: Path) -> dict[str, bytes]:
    """Every file of tables and releases; what a kill left half-written is cleaned away first."""
    Workspace.open(str(workspace)).clean()
    files = [
        p for folder in ("tables", "rejected", "releases") for p in sorted((workspace / folder).rglob("*"))
    ]
    return {str(p.relative_to(workspace)): p.read_bytes() for p in files if p.is_file()}


@pytest.mark.timeout(900)
def test_kills_repeat_no_answered_request_and_end_in_the_same_tables(tmp_path: Path) -> None:
    with scripted_process(LATENCY_S) as base_url:
        finish_build(tmp_path / "undisturbed", base_url)
        total = stats(base_url)["answered"]
    moments = random.Random(20260)
    thresholds = sorted(moments.sample(range(total), KILLS))
    killed: list[float] = []
    with scripted_process(LATENCY_S) as base_url:
        for threshold in thresholds:
            with start_build(tmp_path / "killed", base_url) as process:
                at = kill_when_answered(process, base_url, threshold, moments.uniform(0, LATENCY_S))
            if at is not None:
                killed.append(at)
        finish_build(tmp_path / "killed", base_url)
        counted = stats(base_url)
    assert len(killed) == KILLS
    first_answers = [times[0] for times in counted["answered_twice_at"]]
    print(f"{total} requests, {KILLS} kills, {len(first_answers)} answered twice")
    lost = [t for t in first_answers if not any(0 <= kill - t <= IN_FLIGHT_AT_KILL_S for kill in killed)]
    assert not lost
    assert table_bytes(tmp_path / "killed") == table_bytes(tmp_path / "undisturbed")
