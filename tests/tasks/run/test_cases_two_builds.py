"""Two builds in one workspace: the second is told who works there, pays nothing, and goes on when the first is gone."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from faulty_law import FaultyLaw, Steps

from claimrag.schemas.build import BuildRequest
from claimrag.schemas.errors import WorkspaceBusyError
from claimrag.tasks.run.runtime import open_runtime
from claimrag.tasks.run.tables import TABLES
from claimrag.tasks.store import Workspace

ROOT = Path(__file__).resolve().parents[3]
OWNER = """
import asyncio
from claimrag.schemas.build import BuildRequest
from claimrag.tasks.run.runtime import open_runtime

async def hold():
    async with open_runtime(BuildRequest(workspace="w"), purpose="build"):
        print("working", flush=True)
        await asyncio.sleep(600)

asyncio.run(hold())
"""


@contextmanager
def another_build(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that works in the workspace `w` until it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER],
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "working\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_second_build_is_told_who_works_there_and_pays_nothing(
    law: FaultyLaw, steps: Steps, tmp_path: Path
) -> None:
    with another_build(tmp_path) as owner:
        with pytest.raises(
            WorkspaceBusyError, match=rf"`build` works there .*process {owner.pid}\b.*Wait until"
        ):
            steps()
        assert not law.good and not law.bad
        assert steps("another").exit_code == 0


def test_a_second_build_in_the_same_process_is_refused_too(steps: Steps) -> None:
    async def twice() -> None:
        async with open_runtime(BuildRequest(workspace="w"), purpose="build"):
            with pytest.raises(WorkspaceBusyError, match="`build` works there"):
                async with open_runtime(BuildRequest(workspace="w"), purpose="evaluate"):
                    pass

    asyncio.run(twice())
    assert steps().exit_code == 0


def test_who_only_reads_works_meanwhile(steps: Steps, tmp_path: Path) -> None:
    steps()
    with another_build(tmp_path):
        workspace = Workspace.open("w")
        for table in TABLES:
            refs = workspace.tables(table.stage)
            assert refs
            assert all(len(workspace.read_table(ref, table.noun)) for ref in refs)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_workspace_of_a_build_that_was_killed_is_taken_over_at_once(
    number: signal.Signals, steps: Steps, tmp_path: Path
) -> None:
    with another_build(tmp_path) as owner:
        owner.send_signal(number)
        owner.wait(30)
        assert steps().exit_code == 0
    assert not list((tmp_path / "w" / "lock").iterdir())


def test_a_build_of_more_units_reports_its_own_rows_alone(steps: Steps) -> None:
    """One after the other, as two at once cannot be: the tables of the smaller build are not counted."""
    alone = steps("alone", units=6, windows=2)
    steps(units=2)
    after = steps(units=6, windows=2)
    counts = [[(stage.stage, stage.counts) for stage in one.stages] for one in (alone, after)]
    assert counts[0] == counts[1]
