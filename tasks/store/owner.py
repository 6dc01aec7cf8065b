"""LockOwner: who holds a workspace, as its lock file says, and whether that process is still there."""

from __future__ import annotations

import os
import socket
import uuid
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from pydantic import ValidationError

from claimrag.schemas.base import Noun
from claimrag.schemas.canonical import sha256_text

STALE_S = 30.0
"""An owner that has given no sign of life for so long has lost the workspace."""


class LockOwner(Noun):
    """`machine` tells machines (and containers) apart that share a host name; `process_started` pids used twice."""

    token: str
    host: str
    machine: str
    pid: int
    process_started: str
    purpose: str
    started_at: datetime
    heartbeat_at: datetime

    @classmethod
    def this_process(cls, purpose: str, now: datetime) -> LockOwner:
        """This process, holding from `now` on."""
        return cls(
            token=uuid.uuid4().hex,
            host=socket.gethostname(),
            machine=_machine(),
            pid=os.getpid(),
            process_started=_process_started(os.getpid()),
            purpose=purpose,
            started_at=now,
            heartbeat_at=now,
        )

    @classmethod
    def read(cls, data: bytes) -> LockOwner | None:
        """The owner in a lock file, None when it is damaged."""
        try:
            return cls.model_validate_json(data)
        except ValidationError:
            return None

    def to_json(self) -> bytes:
        """The lock file of this owner."""
        return (self.model_dump_json(indent=2) + "\n").encode()

    def is_gone(self, now: datetime) -> bool:
        """Whether it gave no sign of life for STALE_S seconds or, on this machine, its process ended."""
        if now - self.heartbeat_at > timedelta(seconds=STALE_S):
            return True
        return self.machine == _machine() and _process_started(self.pid) != self.process_started

    def sentence(self, now: datetime) -> str:
        """Who works there since when."""
        silent_s = max(0, round((now - self.heartbeat_at).total_seconds()))
        since = self.started_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        return (
            f"`{self.purpose}` works there since {since} (process {self.pid} on {self.host}, last sign of life "
            f"{silent_s} s ago)"
        )


@cache
def _machine() -> str:
    """The running kernel and the process namespace: pids of another container mean nothing here."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text())
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return sha256_text("\n".join(parts))[:16]


def _process_started(pid: int) -> str:
    """When a process of this machine started, "" when there is none; "unknown" where the system does not say."""
    try:
        # The name of the program, in brackets, may hold spaces; the start time is field 22.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return ""
    except OSError:
        return ""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        pass
    return "unknown"
