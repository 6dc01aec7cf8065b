"""A Prefect server for the length of one command, where no `PREFECT_API_URL` is set.

Started in a process of its own at the very beginning of a command, so that it comes up while the command still
imports; it ends with its parent, also when that is killed (Prefect's own temporary server does not), and not with
the Ctrl-C that ends its parent: the parent still reports to it. Never reached through a proxy.
Imports nothing of Prefect: that is the point.
"""

from __future__ import annotations

import atexit
import logging
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import IO

from claimrag.schemas.address import origin_of
from claimrag.schemas.errors import ClaimragError, SettingsError

START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 2.0
CONNECT_TIMEOUT_S = 5.0
POLL_S = 0.05
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class TemporaryPrefectServer:
    """`start`, import what runs flows, `wait`, run; does nothing where a server is configured.

    It stops when the interpreter ends and not earlier: Prefect sends its last events in exit handlers of its
    own, which run before ours because they are registered later.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._address = ""
        self._words: IO[bytes] | None = None

    def start(self) -> None:
        """Start the server, and point `PREFECT_API_URL` at it. Raises as `check_reachable` for a configured one."""
        configured = configured_server()
        if configured is not None:
            check_reachable(configured)
            return
        port = _free_port()
        self._address = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "claimrag.flows.temporary_server_process", str(port)]
        # A file and not a pipe: nobody reads while it runs, and a full pipe would stop the server.
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - `stop` closes it
        self._process = subprocess.Popen(  # noqa: S603 - our own module, and a number
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._words,
            start_new_session=True,  # a terminal's Ctrl-C goes to the group of processes
        )
        atexit.register(self.stop)
        os.environ["PREFECT_API_URL"] = f"{self._address}/api"

    def wait(self) -> None:
        """Return once the server answers. Raises ClaimragError with its last words when it does not."""
        if self._process is None:
            return
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            last_words = self.last_words()
            if last_words is not None:
                raise ClaimragError(last_words)
            if self._answers():
                return
            time.sleep(POLL_S)
        raise ClaimragError(
            f"the temporary Prefect server did not answer in {START_TIMEOUT_S:.0f} s; start one with "
            "`prefect server start` and set PREFECT_API_URL"
        )

    def last_words(self) -> str | None:
        """Why the server that was started here has ended; None while it runs, or where none was started."""
        process = self._process
        if process is None or process.poll() is None:
            return None
        words = ""
        if self._words is not None:
            self._words.seek(0)
            words = self._words.read().decode(errors="replace").strip()
        if words:
            logging.getLogger(__name__).error("the temporary Prefect server: %s", words)
        last = f": {words.splitlines()[-1]}" if words else ""
        return f"the temporary Prefect server ended with {process.returncode}{last}"

    def _answers(self) -> bool:
        try:
            with _DIRECT.open(f"{self._address}/api/health", timeout=2) as reply:
                return bool(reply.status == 200)
        except (OSError, HTTPException):
            return False

    def kill(self) -> None:
        """End the server at once, without waiting: for a process that is about to end itself."""
        if self._process is not None:
            self._process.kill()

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
        for stream in (self._process.stdin, self._words):
            if stream is not None:
                stream.close()
        self._process = self._words = None


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


def check_reachable(address: str) -> None:
    """Raise where nothing listens at a configured server's address: Prefect would ask again for minutes.

    SettingsError for what is no address, ClaimragError for a silent one. One that is reached through a proxy is
    not tried, and what it answers is Prefect's affair.
    """
    try:
        origin = origin_of(address)
    except ValueError as error:
        raise SettingsError(f"PREFECT_API_URL: {error}") from None
    proxied = origin.scheme in urllib.request.getproxies() and not urllib.request.proxy_bypass(origin.host)
    if proxied and not origin.is_loopback:
        return
    try:
        socket.create_connection((origin.host, origin.port), CONNECT_TIMEOUT_S).close()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ClaimragError(
            f"the Prefect server at {origin} does not answer ({reason}); start it with `prefect server start`, "
            "or unset PREFECT_API_URL for a temporary one"
        ) from None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
