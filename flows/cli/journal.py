"""The log of one command: everything that is not for the person at the terminal goes there.

While it stands in for `sys.stderr`, warnings, log lines of Prefect and other packages, and tracebacks land in
`logs/<time>-<command>-<process>.log` of the workspace, or in the platform's log folder where there is no
workspace. The file comes into being with its first line. Keys and passwords are left out. What claimrag itself
tells people goes past it (flows.cli.output).
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from claimrag.flows.cli.output import terminal
from claimrag.schemas.settings import Settings, load_settings
from claimrag.tasks.run.clock import wall_clock

LOGS_KEPT = 30
WAITING_CHARACTERS = 200_000
"""What is kept in memory, until there is a folder to write to, before it goes to the platform's log folder."""

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)
_SECRET_TEXT = re.compile(r"(?<=://)[^/@\s:]*:[^/@\s]*(?=@)|(?<=Bearer )\S+", re.IGNORECASE)


class Journal(io.TextIOBase):
    """A text stream; `workspace` is the folder in which `logs/` will lie, once that folder exists."""

    def __init__(self, command: str, real: TextIO, *, debug: bool = False) -> None:
        started = wall_clock()
        self.name_of_file = f"{started:%Y%m%dT%H%M%SZ}-{command}-{os.getpid()}.log"
        self.debug = debug
        self.workspace: Path | None = None
        self.path: Path | None = None
        self._real = real
        self._file: TextIO | None = None
        self._waiting: list[str] = []
        self._waiting_size = 0
        self._lock = threading.RLock()
        self._secrets = {value for name, value in os.environ.items() if _SECRET_NAME.search(name)}

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written."""
        return self._file is None and not self._waiting

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """As the terminal's: rich asks."""
        return self._real.encoding or "utf-8"

    def follow(self, settings: Settings) -> None:
        """Write into the workspace of `settings`, and leave its keys out of every line."""
        from claimrag.schemas.address import secrets_in

        for section in (settings.llm, settings.judge, settings.embeddings):
            if section.api_key is not None:
                self._secrets.add(section.api_key.get_secret_value())
            self._secrets.update(secrets_in(section.base_url or ""))
        address = settings.workspace.removeprefix("file://")
        self.workspace = None if "://" in address else Path(address).absolute()

    def writable(self) -> bool:
        """A stream that is written to."""
        return True

    def fileno(self) -> int:
        """The terminal's own: a child that is given this stream writes there."""
        return self._real.fileno()

    def write(self, text: str) -> int:
        """Add text to the log."""
        with self._lock:
            if self.debug:
                self._real.write(self._without_secrets(text))
            self._waiting.append(text)
            self._waiting_size += len(text)
            if "\n" in text and (self._has_workspace() or self._waiting_size > WAITING_CHARACTERS):
                self._write_out()
        return len(text)

    def flush(self) -> None:
        """Nothing is held back for long: lines are written as they come."""

    def settle(self) -> Path | None:
        """Write what still waits, wherever there is a folder; returns the file, None when there is nothing."""
        with self._lock:
            if self._waiting:
                self._write_out()
            return self.path

    def close(self) -> None:
        """Close the file; a line that comes later opens it again."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def _has_workspace(self) -> bool:
        with contextlib.suppress(OSError):
            return self.workspace is not None and self.workspace.is_dir()
        return False

    def _write_out(self) -> None:
        text, self._waiting, self._waiting_size = "".join(self._waiting), [], 0
        # A log that cannot be written must not hide why the command failed.
        with contextlib.suppress(OSError):
            if self._file is None:
                self._file = self._open()
            self._file.write(self._without_secrets(text))
            self._file.flush()

    def _open(self) -> TextIO:
        for folder in self._folders():
            with contextlib.suppress(OSError):
                folder.mkdir(parents=True, exist_ok=True)
                _drop_old(folder)
                self.path = folder / self.name_of_file
                return self.path.open("a", encoding="utf-8", errors="backslashreplace")
        self.path = None
        return io.StringIO()

    def _folders(self) -> Iterator[Path]:
        if self.workspace is not None and self._has_workspace():
            yield self.workspace / "logs"
        from platformdirs import user_log_path

        yield user_log_path("claimrag")

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            if len(secret) > 5:
                text = text.replace(secret, "***")
        return _SECRET_TEXT.sub("***", text)


def _drop_old(folder: Path) -> None:
    for log in sorted(folder.glob("*Z-*.log"))[: -(LOGS_KEPT - 1)]:
        log.unlink(missing_ok=True)


_current: Journal | None = None


def current_journal() -> Journal | None:
    """That of the command that runs; None where a command is called from Python."""
    return _current


def log_into(workspace: str | None) -> None:
    """The journal of this command goes on in the workspace of these options. Raises SettingsError as settings do."""
    if _current is not None:
        _current.follow(load_settings(workspace=workspace))


@contextlib.contextmanager
def journal_of(command: str, *, debug: bool = False, to_the_end: bool = False) -> Iterator[Journal]:
    """The journal stands in for `sys.stderr`; with `to_the_end`, also for what the interpreter says when it ends."""
    global _current
    real, before = sys.stderr, _current
    journal = _current = Journal(command, real, debug=debug)
    terminal.stream = real
    sys.stderr = journal
    try:
        yield journal
    finally:
        if not to_the_end:
            journal.close()
            sys.stderr, _current, terminal.stream = real, before, None
