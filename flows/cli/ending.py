"""Ctrl-C, SIGINT, SIGTERM, and a server that died: the command ends in seconds, with one line and no child left.

Python runs a signal's handler between two steps of the main thread, and that may be deep in C code, or wait for
threads or for an answer. So a thread of ours hears of the signal at once, and ends the process when the orderly
way takes longer than `GRACE_S`, or a second signal comes. An end at any moment loses nothing that was answered
(tests/flows/test_kill.py). Imports nothing heavy: signals are to be heard from the first moment.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

STOPPED = "stopped; what was made so far is kept; the same command goes on from there"
STOPPED_CODE = 130
GRACE_S = 1.5
SECOND_SIGNAL_S = 0.3
"""A signal that follows sooner is the same one: a terminal and a launcher such as `uv run` may both send it."""

_SHOW_CURSOR = "\x1b[?25h"


class Ending:
    """How this process ends when it is told to: `line` on standard error, and `code`."""

    def __init__(self) -> None:
        self.line = STOPPED
        self.code = STOPPED_CODE
        self.begun = False
        self.listening = False
        self.at_last: list[Callable[[], None]] = []
        """Called when the process is ended at once: they kill what it started, and must not wait."""
        self.result: int | None = None
        """The exit code of a command that came to its end: nothing is left to be done after the last exit handler."""
        self._printed = False
        self._began = 0.0
        self._lock = threading.Lock()
        self._wakeup: tuple[socket.socket, socket.socket] | None = None

    def listen(self) -> None:
        """Hear SIGINT and SIGTERM from here to the end of the process; call it in the main thread.

        A signal that the caller ignores (`nohup`, a shell's `&`) stays ignored.
        """
        self.listening = True
        reader, writer = self._wakeup = socket.socketpair()
        writer.setblocking(False)
        signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, _as_interrupt)
        atexit.register(self._leave)  # registered first, so called last
        threading.Thread(target=self._hear, args=(reader,), daemon=True, name="signals").start()

    def begin(self, line: str = STOPPED, code: int = STOPPED_CODE) -> None:
        """From now on the process ends within `GRACE_S`, with this line unless it was printed before.

        Nothing begins in a process that is not ours to end: where a flow is run from Python, nobody listens.
        """
        with self._lock:
            if self.begun or not self.listening:
                return
            self.line, self.code, self.begun, self._began = line, code, True, time.monotonic()
        timer = threading.Timer(GRACE_S, self.end_now)
        timer.daemon = True
        timer.start()

    def print_line(self) -> None:
        """Write the line to standard error, once."""
        with self._lock:
            if self._printed:
                return
            self._printed = True
        # Past every layer of streams: they may be locked, or closed, by what is being ended.
        clever = os.isatty(2) and os.environ.get("TERM") != "dumb"
        start = f"{_SHOW_CURSOR}\r\n" if clever else ""
        with contextlib.suppress(OSError):
            os.write(2, f"{start}claimrag: {self.line}\n".encode())

    def end_now(self) -> NoReturn:
        """End this process without waiting for anything."""
        self.print_line()
        for call in self.at_last:
            with contextlib.suppress(OSError):
                call()
        os._exit(self.code)

    def _leave(self) -> None:
        """The last word: after it Python takes itself apart, in which neither our thread nor a handler runs.

        With as much imported as a build needs that takes a second, so that a command which has its result ends here.
        """
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        if self.begun:
            sys.stdout.flush()
            self.end_now()
        if self.result is not None:
            os._exit(self.result or _flushed())

    def _hear(self, reader: socket.socket) -> None:
        while numbers := reader.recv(64):
            if not {signal.SIGINT, signal.SIGTERM} & set(numbers):
                continue
            if self.begun and time.monotonic() - self._began > SECOND_SIGNAL_S:
                self.end_now()
            self.begin()


def _flushed() -> int:
    """The exit code after what was printed was passed on: 1 where that fails, save for a pipe that nobody reads."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            continue
        except (OSError, ValueError):
            return 1
    return 0


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    """SIGTERM does what Ctrl-C does at this moment: asyncio has its own way to be interrupted."""
    del number
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


ending = Ending()
"""That of this process."""


def interrupted_early() -> NoReturn:
    """For a KeyboardInterrupt before there is anything to end in order."""
    ending.print_line()
    sys.exit(STOPPED_CODE)
