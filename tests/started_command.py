"""A `claimrag` command in a process of its own, as a terminal starts it: stopped at a moment, and looked at after.

On a pseudo-terminal (`on_terminal`), or in a process group of its own with pipes. Processes that a command leaves
behind are found by a mark in their environment, which every child inherits.
"""

from __future__ import annotations

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

LONGEST_S = 120.0


@dataclass
class Started:
    """A running command; `text` is what it has printed on standard error, or on its terminal."""

    process: subprocess.Popen[bytes]
    mark: str
    source: int
    text: str = ""

    def read(self, seconds: float) -> bool:
        """Read for up to so long; False when it has closed its output."""
        if not select.select([self.source], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.source, 65536)
        except OSError:  # a terminal whose other end is gone
            return False
        self.text += data.decode(errors="replace")
        return bool(data)

    def read_until(self, reached: Callable[[], bool]) -> None:
        """Read until a moment is reached, or the command has ended."""
        end = time.monotonic() + LONGEST_S
        while time.monotonic() < end and self.process.poll() is None and not reached():
            self.read(0.02)

    def ended_within(self, seconds: float) -> float | None:
        """The seconds until it ended; None when it still runs."""
        began = time.monotonic()
        while time.monotonic() < began + seconds:
            open_ = self.read(0.02)
            if self.process.poll() is not None:
                took = time.monotonic() - began
                while open_ and self.read(0.0) and select.select([self.source], [], [], 0)[0]:
                    pass
                return took
        return None

    def left_behind(self, wait_s: float = 1.0) -> list[str]:
        """Command lines of the processes that are still there after `wait_s`."""
        end = time.monotonic() + wait_s
        while (left := marked(self.mark)) and time.monotonic() < end:
            time.sleep(0.05)
        return left


@contextlib.contextmanager
def started(
    arguments: list[str], folder: Path, environment: dict[str, str], *, on_terminal: bool = False
) -> Iterator[Started]:
    """Start the command in `folder`; what is left of it at the end is killed."""
    mark = uuid.uuid4().hex
    kept = {k: v for k, v in os.environ.items() if k != "PREFECT_API_URL" and not k.startswith("CLAIMRAG_")}
    variables = kept | {"TERM": "xterm"} | environment | {"MARK_OF_A_TEST": mark}
    reader, writer = pty.openpty() if on_terminal else os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "claimrag", *arguments],
        stdin=writer if on_terminal else subprocess.DEVNULL,
        stdout=writer if on_terminal else subprocess.DEVNULL,
        stderr=writer,
        cwd=folder,
        env=variables,
        start_new_session=True,
        preexec_fn=_own_terminal if on_terminal else None,
    )
    os.close(writer)
    try:
        yield Started(process, mark, reader)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(30)
        os.close(reader)


def _own_terminal() -> None:
    """The new session takes the pseudo-terminal, so that ^C becomes a signal to its process group."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def marked(mark: str) -> list[str]:
    """The command lines of the processes that have the mark in their environment."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:  # it ended while we looked, or is another user's
            continue
    return found
