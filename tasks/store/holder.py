"""Who holds a workspace, for those who only look: takes no lock, waits for none, changes nothing."""

from __future__ import annotations

from datetime import datetime

from claimrag.tasks.store.files import listing, read_if_there
from claimrag.tasks.store.owner import LockOwner
from claimrag.tasks.store.workspace import Workspace


def lock_holder(workspace: Workspace) -> LockOwner | None:
    """The owner that the lock file with the highest number names, gone or not; None where nobody does.

    StoreError when the storage does not answer.
    """
    held: list[tuple[int, LockOwner]] = []
    for entry in listing(workspace.fs, workspace.path("lock")):
        path = str(entry["name"])
        stem = path.rpartition("/")[2].removesuffix(".json")
        data = read_if_there(workspace.fs, path) if stem.isdecimal() else None
        owner = None if data is None else LockOwner.read(data)
        if owner is not None:
            held.append((int(stem), owner))
    return max(held, key=lambda pair: pair[0])[1] if held else None


def heartbeat_age_s(owner: LockOwner, now: datetime) -> float:
    """Seconds since its last sign of life, by this machine's clock; never negative."""
    return max(0.0, (now - owner.heartbeat_at).total_seconds())
