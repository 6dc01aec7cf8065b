"""A Prefect server for the length of one command, where no `PREFECT_API_URL` is set.

Started in a process of its own at the very beginning of a command, so that it comes up while the command still
imports; it ends with its parent, also when that is killed (Prefect's own temporary server does not).
Imports nothing of Prefect: that is the point.
"""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from claimrag.schemas.errors import ClaimragError

START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 5.0
POLL_S = 0.05


class TemporaryPrefectServer:
    """`start`, import what runs flows, `wait`, run; does nothing where a server is configured.

    It stops when the interpreter ends and not earlier: Prefect sends its last events in exit handlers of its
    own, which run before ours because they are registered later.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._address = ""

    def start(self) -> None:
        """Start the server, and point `PREFECT_API_URL` at it."""
        if configured_server() is not None:
            return
        port = _free_port()
        self._address = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "claimrag.flows.temporary_server_process", str(port)]
        self._process = subprocess.Popen(  # noqa: S603 - our own module, and a number
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        atexit.register(self.stop)
        os.environ["PREFECT_API_URL"] = f"{self._address}/api"

    def wait(self) -> None:
        """Return once the server answers. Raises ClaimragError with its last words when it does not."""
        if self._process is None:
            return
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                words = (
                    self._process.stderr.read()[-800:].decode(errors="replace")
                    if self._process.stderr
                    else ""
                )
                raise ClaimragError(
                    f"the temporary Prefect server ended with {self._process.returncode}: {words}"
                )
            if self._answers():
                return
            time.sleep(POLL_S)
        raise ClaimragError(
            f"the temporary Prefect server did not answer in {START_TIMEOUT_S:.0f} s; start one with "
            "`prefect server start` and set PREFECT_API_URL"
        )

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self._address}/api/health", timeout=2) as reply:  # noqa: S310
                return bool(reply.status == 200)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def stop(self) -> None:
        """Stop the server; a second call does nothing."""
        if self._process is None:
            return
        os.environ.pop("PREFECT_API_URL", None)
        self._process.terminate()
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for stream in (self._process.stdin, self._process.stderr):
            if stream is not None:
                stream.close()
        self._process = None


def configured_server() -> str | None:
    """The API that Prefect would use by itself: the environment's, or the active profile's."""
    address = os.environ.get("PREFECT_API_URL")
    if address:
        return address
    home = Path(os.environ.get("PREFECT_HOME", Path.home() / ".prefect"))
    if not (home / "profiles.toml").is_file():
        return None
    from prefect.settings import PREFECT_API_URL

    value: str | None = PREFECT_API_URL.value()
    return value


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
