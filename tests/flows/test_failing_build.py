"""A build that fails in its middle: one sentence after the progress, tracebacks in the log alone, no key anywhere."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripted_process import model_environment, scripted_process, stats
from started_command import started

BUILD = ["build", "sample-en", "--units", "4", "--windows", "1", "--no-evaluate", "--workspace", "w"]
KEY = "sk-a-key-of-this-test"


@pytest.fixture(scope="module")
def prefect_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("prefect")


def test_a_dead_endpoint_is_one_sentence_and_the_log_has_the_rest(tmp_path: Path, prefect_home: Path) -> None:
    environment = model_environment("http://127.0.0.1:9/v1") | {
        "PREFECT_HOME": str(prefect_home),
        "CLAIMRAG_LLM__MAX_ATTEMPTS": "1",
        "CLAIMRAG_LLM__API_KEY": KEY,
        "NO_COLOR": "1",
    }
    with started(BUILD, tmp_path, environment) as command:
        assert command.ended_within(120) is not None
        assert command.process.returncode == 1
    lines = command.text.strip().splitlines()
    assert "Traceback" not in command.text and len(lines) < 10, command.text
    assert sum(line.startswith("claimrag: ") for line in lines) == 1
    assert lines[-1].startswith("claimrag: http://127.0.0.1:9") and "(log: " in lines[-1]
    (log,) = (tmp_path / "w" / "logs").glob("*-build-*.log")
    assert str(log) in lines[-1] and "Traceback" in log.read_text()
    assert KEY not in log.read_text() + command.text


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def prefect_server(prefect_home: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A server that the test may kill; it is not the one of the other tests."""
    port = free_port()
    command = [sys.executable, "-m", "claimrag.flows.temporary_server_process", str(port)]
    kept = {k: v for k, v in os.environ.items() if k != "PREFECT_API_URL"}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, env=kept | {"PREFECT_HOME": str(prefect_home)}, start_new_session=True
    )
    with process:
        end = time.monotonic() + 120
        while time.monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield process, f"http://127.0.0.1:{port}/api"
        process.kill()


@pytest.mark.timeout(400)
def test_a_configured_server_that_dies_in_the_middle_is_one_sentence(
    tmp_path: Path, prefect_home: Path, prefect_server: tuple[subprocess.Popen[bytes], str]
) -> None:
    server, address = prefect_server
    with scripted_process(0.3) as model:
        environment = model_environment(model) | {
            "PREFECT_HOME": str(prefect_home),
            "PREFECT_API_URL": address,
            "PREFECT_CLIENT_MAX_RETRIES": "1",
        }
        with started(BUILD, tmp_path, environment) as command:
            command.read_until(lambda: int(stats(model)["answered"]) >= 3)
            server.send_signal(signal.SIGKILL)
            assert command.ended_within(200) is not None
            assert command.process.returncode == 1
            lines = command.text.strip().splitlines()
            assert lines[-1].startswith(f"claimrag: the Prefect server at {address.removesuffix('/api')}")
            assert "Traceback" not in command.text and command.left_behind() == []
