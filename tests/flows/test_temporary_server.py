"""The temporary Prefect server: there while a command runs, gone when it ends or is killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from claimrag.flows import temporary_server as module
from claimrag.flows.temporary_server import START_TIMEOUT_S, TemporaryPrefectServer, configured_server
from claimrag.schemas.errors import ClaimragError

SCRIPT = """
import os, sys, time
from claimrag.flows.temporary_server import TemporaryPrefectServer
server = TemporaryPrefectServer()
server.start()
server.wait()
print(os.environ["PREFECT_API_URL"], flush=True)
time.sleep(float(sys.argv[1]))
"""


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=2) as reply:
            return reply.status == 200
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def gone_within(address: str, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not answers(address):
            return True
        time.sleep(0.1)
    return False


@pytest.fixture(scope="module")
def prefect_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("prefect")


def started(prefect_home: Path, seconds: float, **variables: str) -> tuple[subprocess.Popen[str], str]:
    environment = {k: v for k, v in os.environ.items() if k != "PREFECT_API_URL"} | variables
    environment |= {"PREFECT_HOME": str(prefect_home), "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(seconds)], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def test_it_answers_while_the_command_runs_and_is_gone_afterwards(prefect_home: Path) -> None:
    process, address = started(prefect_home, 1.0)
    assert address.startswith("http://127.0.0.1:") and answers(address)
    with process:
        assert process.wait(30) == 0
    assert gone_within(address, 10)


def test_a_proxy_of_the_environment_does_not_stand_before_it(prefect_home: Path) -> None:
    nobody = dict.fromkeys(("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"), "http://127.0.0.1:9")
    began = time.monotonic()
    process, address = started(prefect_home, 0.0, **nobody, no_proxy="", NO_PROXY="")
    with process:
        assert process.wait(30) == 0
    assert address.startswith("http://127.0.0.1:") and time.monotonic() - began < START_TIMEOUT_S / 2


def test_the_ctrl_c_of_a_terminal_does_not_reach_it(prefect_home: Path) -> None:
    process, address = started(prefect_home, 60.0)
    with process:
        server = next(
            int(folder.name)
            for folder in Path("/proc").iterdir()
            if folder.name.isdigit() and _parent(folder) == process.pid
        )
        assert os.getpgid(server) != os.getpgid(process.pid)
        process.kill()
    assert gone_within(address, 10)


def _parent(folder: Path) -> int | None:
    try:
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def test_it_ends_with_a_killed_command(prefect_home: Path) -> None:
    process, address = started(prefect_home, 60.0)
    assert answers(address)
    with process:
        process.send_signal(signal.SIGKILL)
        process.wait(10)
    assert gone_within(address, 10)


def test_a_configured_server_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/api"
        monkeypatch.setenv("PREFECT_API_URL", address)
        server = TemporaryPrefectServer()
        server.start()
        server.wait()
        server.stop()
        assert configured_server() == address and server.last_words() is None


def test_a_configured_server_that_is_away_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")
    with pytest.raises(ClaimragError, match=r"http://127\.0\.0\.1:9 does not answer"):
        TemporaryPrefectServer().start()


def test_one_that_does_not_come_up_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("PREFECT_API_URL")
    monkeypatch.setattr(module, "configured_server", lambda: None)
    monkeypatch.setattr(module.sys, "executable", str(_failing_interpreter(tmp_path)))
    server = TemporaryPrefectServer()
    try:
        server.start()
        with pytest.raises(ClaimragError) as failed:
            server.wait()
    finally:
        server.stop()
    assert str(failed.value) == "the temporary Prefect server ended with 3: no room for a database"
    assert "first line" in caplog.text and "PREFECT_API_URL" not in os.environ


def _failing_interpreter(folder: Path) -> Path:
    script = folder / "python"
    script.write_text("#!/bin/sh\necho first line >&2\necho no room for a database >&2\nexit 3\n")
    script.chmod(0o755)
    return script
