"""Those who only look: who holds a workspace, and whether that process lives; looking harms nobody."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.local import LocalFileSystem

from claimrag.schemas.errors import StoreError
from claimrag.tasks.store import Workspace, WorkspaceLock, owner
from claimrag.tasks.store.files import read_if_there
from claimrag.tasks.store.holder import heartbeat_age_s, lock_holder

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_the_holder_is_the_one_who_came_last(address: str) -> None:
    workspace = Workspace.open(address)
    assert lock_holder(workspace) is None
    moments = iter([NOON, *[NOON + timedelta(hours=1)] * 9])
    first = WorkspaceLock(workspace.fs, workspace.root, address, "the first", clock=lambda: next(moments))
    first.take()
    later = WorkspaceLock(
        workspace.fs, workspace.root, address, "the second", clock=lambda: NOON + timedelta(hours=2)
    )
    later.take()
    found = lock_holder(workspace)
    assert found is not None and found.purpose == "the second"
    later.release()


@pytest.mark.parametrize(("seconds", "age"), [(7.5, 7.5), (0, 0.0), (-3, 0.0)])
def test_the_last_sign_of_life_was_so_long_ago(seconds: float, age: float) -> None:
    one = owner.LockOwner.this_process("a build", NOON)
    assert heartbeat_age_s(one, NOON + timedelta(seconds=seconds)) == age


def test_a_process_that_is_looked_at_lives_on_where_the_system_has_no_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exists, read = Path.exists, Path.read_text

    def no_file(path: Path, *arguments: Any, **options: Any) -> str:
        if path.is_relative_to("/proc"):
            raise FileNotFoundError(path)
        return read(path, *arguments, **options)

    monkeypatch.setattr(Path, "read_text", no_file)
    monkeypatch.setattr(Path, "exists", lambda path: not path.is_relative_to("/proc") and exists(path))
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert owner._process_started(child.pid) == "unknown"
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(0.5)
    finally:
        child.communicate(b"\n", timeout=30)
    assert owner._process_started(child.pid) == ""


def test_a_file_that_may_not_be_read_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(self: LocalFileSystem, path: str, *arguments: Any, **options: Any) -> bytes:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(LocalFileSystem, "cat_file", refuse)
    with pytest.raises(StoreError, match=r"a\.json cannot be read: .*Check permissions"):
        read_if_there(LocalFileSystem(), str(tmp_path / "a.json"))
