"""Ctrl-C, SIGINT and SIGTERM at several moments of a build: one line, exit 130, within seconds, nobody left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from scripted_process import model_environment, scripted_process, stats
from started_command import Started, started

LINE = "claimrag: stopped; what was made so far is kept; the same command goes on from there"
LIMIT_S = 3.0
BUILD = ["build", "sample-en", "--units", "8", "--windows", "2", "--no-evaluate", "--workspace", "w"]

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="children are found in /proc")


@pytest.fixture(scope="module")
def slow_model() -> Iterator[str]:
    """A model that takes long enough for a build to be in the middle of its calls."""
    with scripted_process(0.6) as base_url:
        yield base_url


@pytest.fixture(scope="module")
def prefect_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("prefect")


def after(seconds: float) -> Callable[[Started, str], None]:
    def wait(command: Started, base_url: str) -> None:
        end = time.monotonic() + seconds
        command.read_until(lambda: time.monotonic() >= end)

    return wait


def once_it_listens(command: Started, base_url: str) -> None:
    """As early as it can be asked: before, the interpreter itself is what starts."""
    command.read_until(lambda: bool(caught_signals(command.process.pid) & 1 << signal.SIGTERM - 1))


def caught_signals(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("SigCgt:")).split()[1], 16)


def in_the_middle(command: Started, base_url: str) -> None:
    answered = int(stats(base_url)["answered"])
    command.read_until(lambda: int(stats(base_url)["answered"]) >= answered + 3)


def interrupt(command: Started) -> None:
    os.killpg(command.process.pid, signal.SIGINT)


def terminate(command: Started) -> None:
    command.process.send_signal(signal.SIGTERM)


def type_ctrl_c(command: Started) -> None:
    os.write(command.source, b"\x03")


MOMENTS = {"importing": once_it_listens, "starting": after(2.0), "running": in_the_middle}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("stop", [interrupt, terminate, type_ctrl_c])
def test_a_stopped_build_ends_in_seconds_with_one_line_and_leaves_nobody(
    moment: str, stop: Callable[[Started], None], tmp_path: Path, slow_model: str, prefect_home: Path
) -> None:
    environment = model_environment(slow_model) | {"PREFECT_HOME": str(prefect_home), "NO_COLOR": "1"}
    on_terminal = stop is type_ctrl_c
    with started(BUILD, tmp_path, environment, on_terminal=on_terminal) as command:
        MOMENTS[moment](command, slow_model)
        assert command.process.poll() is None, command.text
        stop(command)
        took = command.ended_within(20)
        print(f"{stop.__name__} while {moment}: {took} s")
        assert took is not None and took < LIMIT_S
        assert command.process.returncode == 130
        assert command.text.count(LINE) == 1 and "Traceback" not in command.text
        assert command.text.rstrip().endswith(LINE)
        assert command.left_behind() == []


def test_a_second_signal_ends_at_once(tmp_path: Path, slow_model: str, prefect_home: Path) -> None:
    environment = model_environment(slow_model) | {"PREFECT_HOME": str(prefect_home)}
    with started(BUILD, tmp_path, environment) as command:
        in_the_middle(command, slow_model)
        interrupt(command)
        time.sleep(0.4)
        interrupt(command)
        took = command.ended_within(10)
        assert took is not None and took < 0.5
        assert command.process.returncode == 130 and command.text.count(LINE) == 1
        assert command.left_behind() == []


def test_a_temporary_server_that_dies_ends_the_build_with_a_sentence(
    tmp_path: Path, slow_model: str, prefect_home: Path
) -> None:
    environment = model_environment(slow_model) | {"PREFECT_HOME": str(prefect_home)}
    with started(BUILD, tmp_path, environment) as command:
        in_the_middle(command, slow_model)
        server = next(
            int(folder.name)
            for folder in Path("/proc").iterdir()
            if folder.name.isdigit() and _is_server_of(folder, command.mark)
        )
        os.kill(server, signal.SIGKILL)
        took = command.ended_within(20)
        assert took is not None and took < LIMIT_S
        assert command.process.returncode == 1 and "Traceback" not in command.text
        assert (
            command.text.strip().splitlines()[-1].startswith("claimrag: the temporary Prefect server ended")
        )
        assert command.left_behind() == []


def _is_server_of(folder: Path, mark: str) -> bool:
    try:
        ours = mark.encode() in (folder / "environ").read_bytes()
        return ours and b"temporary_server_process" in (folder / "cmdline").read_bytes()
    except OSError:
        return False


@pytest.mark.parametrize(("command", "code"), [("print('x' * 99999); end(0)", 0), ("end(3)", 3)])
def test_a_command_with_its_result_does_not_wait_for_python_to_take_itself_apart(
    command: str, code: int
) -> None:
    script = f"""
import atexit, threading, time
from claimrag.flows.cli.ending import ending
class Slow:
    def __del__(self): time.sleep(60)
def end(code):
    global slow
    slow = Slow(); slow.itself = slow
    ending.listen(); ending.result = code
    atexit.register(print, "handlers ran")
    threading.Thread(target=lambda: (time.sleep(0.2), print("threads ended"))).start()
{command}
raise SystemExit({code})
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30)
    assert done.returncode == code and not done.stderr
    assert done.stdout.endswith("threads ended\nhandlers ran\n")
    assert len(done.stdout) > 99_999 or code


def test_a_result_that_cannot_be_passed_on_is_no_success() -> None:
    script = (
        "from claimrag.flows.cli.ending import ending\nending.listen(); ending.result = 0\nprint('x', end='')\n"
        "raise SystemExit(0)"
    )
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-c", script]
        buffered = os.environ | {"PYTHONUNBUFFERED": ""}
        assert subprocess.run(command, stdout=full, env=buffered, timeout=30).returncode == 1
