"""The local model behind an OpenAI-compatible address on this machine, for as long as a `with` block lasts.

llama.cpp runs in a process of its own: its threads do not compete with our event loop for one interpreter,
and it ends with us even when we are killed. The address is 127.0.0.1 with a port the system chose; nothing
else on the network can reach it. A prompt that does not fit a slot is refused with HTTP 400, never cut.
"""

from __future__ import annotations

import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from claimrag.schemas.errors import MissingDependencyError, ModelError, ModelUnavailableError
from claimrag.tasks.local.weights import QWEN_CODER_1_5B, Progress, cache_folder, find_weights

MODEL_NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m"
SLOTS = 1
"""More slots save little on a processor and lose the shared prefix; measured in docs/decisions."""
SLOT_TOKENS = 8192
PREFIX_CACHE_MIB = 1024
START_TIMEOUT_S = 180.0
STOP_TIMEOUT_S = 5.0
LOG_LINES_SHOWN = 8
LOGS_KEPT = 10
SERVER_SCRIPT = Path(__file__).with_name("server_process.py")

_started_here = itertools.count(1)
_running: set[subprocess.Popen[str]] = set()


@dataclass(frozen=True)
class LocalEndpoint:
    """Where the local model answers, in the terms of the model settings.

    `context_tokens` is for one prompt and its answer. `max_in_flight` is one more than is answered at a time,
    so that the next request already waits at the server.
    """

    base_url: str
    model: str
    context_tokens: int
    max_in_flight: int


def usable_cores() -> int:
    """Cores this process may run on, at least 1 (a container may own fewer than the machine has)."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)


class LocalServer:
    """Starts the local model's server on entering and stops it on leaving; usable once.

    `weights` None means: find them (see `weights.find_weights`). `threads` None means all usable cores.
    `slots` requests are answered at a time, each with `slot_tokens` of prompt and answer together; more wait.
    Raises WeightsError, MissingDependencyError (no xllamacpp, no libgomp) or ModelUnavailableError (did not
    start in `start_timeout_s`; the message ends with the server's last log lines).
    """

    def __init__(
        self,
        *,
        weights: Path | None = None,
        threads: int | None = None,
        slots: int = SLOTS,
        slot_tokens: int = SLOT_TOKENS,
        prefix_cache_mib: int = PREFIX_CACHE_MIB,
        cache_dir: Path | None = None,
        start_timeout_s: float = START_TIMEOUT_S,
        progress: Progress | None = None,
        extra: dict[str, Any] | None = None,
    ) -> None:
        self._configured = weights
        self._cache_dir = cache_dir or cache_folder()
        self._start_timeout_s = start_timeout_s
        self._progress = progress
        self._spec: dict[str, Any] = {
            "model": MODEL_NAME,
            "threads": threads or usable_cores(),
            "slots": slots,
            "slot_tokens": slot_tokens,
            "prefix_cache_mib": prefix_cache_mib,
            "extra": extra or {},
        }
        self._process: subprocess.Popen[str] | None = None
        self._endpoint: LocalEndpoint | None = None
        self.log_file = self._cache_dir / "logs" / f"local-server-{os.getpid()}-{next(_started_here)}.log"

    @property
    def endpoint(self) -> LocalEndpoint:
        """Where the running server answers; ModelError outside the `with` block."""
        if self._endpoint is None:
            raise ModelError("the local model's server is not running: use LocalServer in a `with` statement")
        return self._endpoint

    @property
    def pid(self) -> int | None:
        """The server's process id while it runs, for whoever watches memory or tests its end."""
        return self._process.pid if self._process is not None else None

    def start(self) -> LocalEndpoint:
        """Start the server and wait until it answers; the same as entering the `with` block."""
        if self._process is not None:
            raise ModelError("the local model's server was started already")
        weights = find_weights(
            QWEN_CODER_1_5B, configured=self._configured, cache_dir=self._cache_dir, progress=self._progress
        )
        deadline = time.monotonic() + self._start_timeout_s
        self._process = self._launch({**self._spec, "weights": str(weights), "parent": os.getpid()})
        try:
            address = self._read_address(deadline)
            self._wait_until_healthy(address, deadline)
        except BaseException:
            self.stop()
            raise
        self._endpoint = LocalEndpoint(
            base_url=f"{address}/v1",
            model=MODEL_NAME,
            context_tokens=self._spec["slot_tokens"],
            max_in_flight=self._spec["slots"] + 1,
        )
        return self._endpoint

    def stop(self) -> None:
        """End the server; harmless when it is not running."""
        process, self._process, self._endpoint = self._process, None, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()  # the child ends when its standard input does
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        _running.discard(process)
        if process.stdout is not None:
            process.stdout.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _launch(self, spec: dict[str, Any]) -> subprocess.Popen[str]:
        self.log_file.parent.mkdir(parents=True, exist_ok=True)
        _drop_old_logs(self.log_file.parent)
        # -P: the script's own folder must not come first on the import path.
        command = [sys.executable, "-P", str(SERVER_SCRIPT), json.dumps(spec)]
        # llama.cpp's threads meet many times per token. By default a waiting thread spins, and on cores that
        # are shared it spins away the time the other one needs. Whoever sets either variable decides.
        environment = {"OMP_WAIT_POLICY": "passive"} | os.environ
        with self.log_file.open("w", encoding="utf-8") as log:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter and script, no shell
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=environment,
                start_new_session=True,  # a terminal's Ctrl-C goes to the group of processes
            )
        _running.add(process)
        return process

    def _read_address(self, deadline: float) -> str:
        process = self._process
        if process is None or process.stdout is None:
            raise ModelError("the local model's server has no process to read from")
        lines: queue.Queue[str] = queue.Queue()
        reader = threading.Thread(target=_put_line, args=(process.stdout, lines), daemon=True)
        reader.start()
        try:
            line = lines.get(timeout=max(0.1, deadline - time.monotonic()))
        except queue.Empty:
            raise self._unavailable(f"did not start within {self._start_timeout_s:.0f} s") from None
        if not line:
            raise self._unavailable(f"ended while starting (exit {process.wait()})")
        said = json.loads(line)
        if "error" in said:
            raise self._refusal(said["error"], said["detail"])
        return str(said["address"]).rstrip("/")

    def _wait_until_healthy(self, address: str, deadline: float) -> None:
        import httpx

        last = "no answer"
        # trust_env=False: a proxy set for the outside world must not see calls to this machine.
        with httpx.Client(timeout=2.0, trust_env=False) as client:
            while time.monotonic() < deadline:
                if self._process is None or self._process.poll() is not None:
                    raise self._unavailable("ended while loading the model")
                try:
                    answer = client.get(f"{address}/health")
                except httpx.HTTPError as failure:
                    last = type(failure).__name__
                else:
                    if answer.status_code == httpx.codes.OK:
                        return
                    last = f"HTTP {answer.status_code}"
                time.sleep(0.1)
        raise self._unavailable(f"was not ready within {self._start_timeout_s:.0f} s (last: {last})")

    def _refusal(self, kind: str, detail: str) -> ModelError | MissingDependencyError:
        if "libgomp" in detail:
            return MissingDependencyError(
                "the local model needs the system library libgomp.so.1; install it with "
                "`apt-get install libgomp1` (Debian, Ubuntu) or `dnf install libgomp` (Fedora)"
            )
        if kind in ("ImportError", "ModuleNotFoundError"):
            return MissingDependencyError(
                f"the local model needs xllamacpp ({detail}); install the extra `local`: "
                "`uv sync` or `pip install 'claimrag[local]'`, or set CLAIMRAG_LLM__BASE_URL"
            )
        return self._unavailable(f"did not start ({kind}: {detail})")

    def _unavailable(self, what: str) -> ModelUnavailableError:
        tail = last_lines(self.log_file, LOG_LINES_SHOWN)
        return ModelUnavailableError(
            f"the local model's server {what}; log {self.log_file}, last lines:\n{tail or '(empty)'}"
        )


def kill_running() -> None:
    """End every server of this process at once, without waiting: for a process that is about to end itself."""
    for process in tuple(_running):
        process.kill()


def last_lines(path: Path, count: int) -> str:
    """The last `count` lines of a text file, empty if there is none."""
    if not path.is_file():
        return ""
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-count:])


def _drop_old_logs(folder: Path) -> None:
    logs = sorted(folder.glob("local-server-*.log"), key=_modified_ns, reverse=True)
    for log in logs[LOGS_KEPT:]:
        log.unlink(missing_ok=True)


def _modified_ns(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0


def _put_line(stream: IO[str], lines: queue.Queue[str]) -> None:
    lines.put(stream.readline())
