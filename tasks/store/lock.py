"""WorkspaceLock: one run at a time changes a workspace. Readers never wait and never look at it.

    lock/<number>.json     the owner, with a heartbeat; the highest number holds

Promises: of several takers exactly one gets it, also when they take over from an owner that is gone; nobody ever
writes another's lock file. An owner that was silent for STALE_S seconds (a sleeping machine) finds its lock taken:
`lost` is set and its next write raises WorkspaceBusyError. Clocks of machines that share a workspace must agree
to a few seconds.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any

from claimrag.schemas.errors import StoreError, WorkspaceBusyError
from claimrag.tasks.store.files import (
    create_exclusively,
    listing,
    read_if_there,
    remove_file,
    shown,
    write_atomically,
)
from claimrag.tasks.store.owner import STALE_S, LockOwner

HEARTBEAT_S = 5.0
_TRIES = 20


def now_utc() -> datetime:
    """The clock on the wall: a lease is about real time, so SOURCE_DATE_EPOCH does not stop this one."""
    return datetime.now(UTC)


def lock_files(filesystem: Any, folder: str) -> dict[int, LockOwner | None]:
    """Owners by the number of their lock file; None for one that cannot be read as one."""
    found: dict[int, LockOwner | None] = {}
    for entry in listing(filesystem, folder):
        path = str(entry["name"])
        stem = path.rpartition("/")[2].removesuffix(".json")
        if path.endswith(".json") and stem.isdecimal():
            data = read_if_there(filesystem, path)
            if data is not None:
                found[int(stem)] = LockOwner.read(data)
    return found


class WorkspaceLock:
    """Holds the workspace at `root` between `with` and its end, for `purpose` (a command, for people)."""

    def __init__(
        self,
        filesystem: Any,
        root: str,
        address: str,
        purpose: str,
        *,
        clock: Callable[[], datetime] = now_utc,
        heartbeat_s: float = HEARTBEAT_S,
    ) -> None:
        self.lost = False
        self._fs, self._folder, self._shown = filesystem, f"{root}/lock", shown(address)
        self._clock, self._heartbeat_s = clock, heartbeat_s
        self._owner = LockOwner.this_process(purpose, clock())
        self._number = 0
        self._one_beat = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> WorkspaceLock:
        self.take()
        self._thread = threading.Thread(target=self._keep_beating, name="workspace-lock", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self.release()

    @property
    def is_held(self) -> bool:
        """Whether this process holds the workspace, as far as it knows."""
        return self._number > 0 and not self.lost

    def take(self) -> None:
        """Take the lock; WorkspaceBusyError when another run holds it, StoreError when it cannot be written."""
        for _ in range(_TRIES):
            held = self._held()
            self._refuse_if_busy(held)
            number = max(held, default=0) + 1
            self._owner = self._owner.model_copy(update={"heartbeat_at": self._clock()})
            if not create_exclusively(self._fs, self._path(number), self._owner.to_json()):
                continue
            # Between looking and creating, the owner may have come back, or another taker come and gone.
            now_held = self._held()
            mine = now_held.pop(number, None)
            if mine is None or mine.token != self._owner.token:
                continue
            if any(not self._is_gone(n, owner) for n, owner in now_held.items()):
                remove_file(self._fs, self._path(number))
                time.sleep(random.uniform(0, 0.05))  # noqa: S311
                continue
            for entry in listing(self._fs, self._folder):
                if str(entry["name"]) != self._path(number):
                    remove_file(self._fs, str(entry["name"]))
            self._number = number
            return
        self._refuse_if_busy(self._held())
        raise WorkspaceBusyError(f"workspace {self._shown} is being taken by other runs at once; run again")

    def release(self) -> None:
        """Give the lock back; one that was lost is another's and stays."""
        with self._one_beat:
            if self._number and not self.lost and self._is_mine():
                remove_file(self._fs, self._path(self._number))
            self._number = 0

    def beat(self) -> None:
        """Give a sign of life, or find the lock lost; StoreError when the storage does not answer."""
        with self._one_beat:
            if self.lost or not self._number:
                return
            if not self._is_mine():
                self.lost = True
                return
            owner = self._owner.model_copy(update={"heartbeat_at": self._clock()})
            write_atomically(self._fs, self._path(self._number), owner.to_json())
            self._owner = owner

    def check(self) -> None:
        """Raise WorkspaceBusyError when the lock was lost; called before every write of a table."""
        if self._clock() - self._owner.heartbeat_at > timedelta(seconds=STALE_S):
            self.beat()
        if self.lost:
            raise WorkspaceBusyError(
                f"workspace {self._shown} was taken over by another run while this one gave no sign of life for "
                f"{STALE_S:.0f} s; run the same command again when the other has ended"
            )

    def _keep_beating(self) -> None:
        while not self._stop.wait(self._heartbeat_s) and not self.lost:
            try:
                self.beat()
            except StoreError:
                continue  # the next beat may get through; `check` raises when none did for STALE_S

    def _is_mine(self) -> bool:
        held = self._held()
        owner = held.get(self._number)
        return owner is not None and owner.token == self._owner.token and max(held) == self._number

    def _held(self) -> dict[int, LockOwner | None]:
        return lock_files(self._fs, self._folder)

    def _is_gone(self, number: int, owner: LockOwner | None) -> bool:
        if owner is not None:
            return owner.is_gone(self._clock())
        try:
            written = self._fs.modified(self._path(number))
        except FileNotFoundError:
            return True
        except (OSError, NotImplementedError):
            return False
        return bool(self._clock() - _aware(written) > timedelta(seconds=STALE_S))

    def _refuse_if_busy(self, held: dict[int, LockOwner | None]) -> None:
        for number, owner in sorted(held.items()):
            if self._is_gone(number, owner):
                continue
            who = owner.sentence(self._clock()) if owner else f"its lock {self._path(number)} cannot be read"
            raise WorkspaceBusyError(
                f"workspace {self._shown} is in use: {who}. Wait until it has ended, or give another --workspace"
            )

    def _path(self, number: int) -> str:
        return f"{self._folder}/{number:06d}.json"


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
