"""Who holds a workspace, for those who only look: takes no lock, waits for none, changes nothing."""

from __future__ import annotations

from datetime import datetime

from claimrag.tasks.store.lock import lock_files
from claimrag.tasks.store.owner import LockOwner
from claimrag.tasks.store.workspace import Workspace


def lock_holder(workspace: Workspace) -> LockOwner | None:
    """The owner that the lock file with the highest number names, gone or not; None where nobody does.

    StoreError when the storage does not answer.
    """
    held = lock_files(workspace.fs, workspace.path("lock"))
    owners = [owner for _, owner in sorted(held.items()) if owner is not None]
    return owners[-1] if owners else None


def heartbeat_age_s(owner: LockOwner, now: datetime) -> float:
    """Seconds since its last sign of life, by this machine's clock; never negative."""
    return max(0.0, (now - owner.heartbeat_at).total_seconds())
