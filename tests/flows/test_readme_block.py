"""README's two terminals, as pasted: a server in one; deployments, a run and its worker in the other.

The words of README are run, with a port, a database and a workspace of this test and the scripted model. The run is
followed to its beginning; with README_RUN=complete in the environment, to its end (two minutes). Slow because a
server, two commands and a worker start: README is what people try first.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scripted_process import model_environment, scripted_process

ROOT = Path(__file__).resolve().parent.parent.parent
LONG_ENOUGH_S = 240.0


def terminals() -> list[str]:
    """The blocks of README's section on Prefect, with `uv run` left out: the environment is this one."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("## In Prefect")[1].split("\n## ")[0]
    return [block.replace("uv run ", "") for block in re.findall(r"```sh\n(.*?)```", section, re.DOTALL)]


@contextlib.contextmanager
def terminal(block: str, folder: Path, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """A shell that runs the block; it and all it started are ended at the end."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_API")}
    with (folder / "terminal.log").open("ab") as log:
        shell = subprocess.Popen(
            ["bash", "-e", "-c", block],
            cwd=folder,
            env=inherited | {"PATH": path} | variables,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            yield shell
        finally:
            for number in (signal.SIGTERM, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(shell.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    shell.wait(5)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def asked(address: str, path: str, body: Any = None) -> Any:
    """What the server's API answers; None where nothing answers yet. A refusal is an error with its reason."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{address}{path}", data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as refusal:
        raise AssertionError(f"{path}: {refusal.read().decode()}") from refusal
    except OSError:
        return None


def wait_for_run(address: str, shell: subprocess.Popen[bytes], states: set[str]) -> dict[str, Any]:
    """The flow run of build-benchmark, once it is in one of the states."""
    deadline = time.monotonic() + LONG_ENOUGH_S
    of_build = {"flows": {"name": {"any_": ["build-benchmark"]}}}
    runs: Any = None
    while time.monotonic() < deadline and shell.poll() is None:
        runs = asked(address, "/flow_runs/filter", of_build)
        if runs and runs[0]["state_name"] in states:
            return dict(runs[0])
        time.sleep(0.5)
    raise AssertionError(f"the second terminal ended with {shell.poll()}; runs: {runs}")


def test_readmes_two_terminals_work_as_pasted(tmp_path: Path) -> None:
    first, second = terminals()
    port = str(free_port())
    assert "4200" in second
    states = {"Completed"} if os.environ.get("README_RUN") == "complete" else {"Running", "Completed"}
    home = {"PREFECT_HOME": str(tmp_path / "home"), "PREFECT_SERVER_API_PORT": port}
    with scripted_process() as model:
        settings = model_environment(model) | {"CLAIMRAG_GENERATE__UNITS_PER_ACT": "1"}
        with terminal(first, tmp_path, **home):
            deadline = time.monotonic() + LONG_ENOUGH_S
            address = f"http://127.0.0.1:{port}/api"
            while asked(address, "/health") is None and time.monotonic() < deadline:
                time.sleep(0.2)
            with terminal(second.replace("4200", port), tmp_path, **home, **settings) as shell:
                run = wait_for_run(address, shell, states)
    log = (tmp_path / "terminal.log").read_text(encoding="utf-8", errors="replace")
    assert "build-benchmark/build-benchmark" in log and "Traceback" not in log, log
    assert run["name"] == "build-benchmark sample-en, sample-fr, scripted" and "claimrag" in run["tags"]
