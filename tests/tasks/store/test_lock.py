"""The lock of a workspace: one holder, taken over when it is gone, lost when it slept; readers never wait."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from claimrag.schemas.errors import StoreError, WorkspaceBusyError
from claimrag.schemas.text import ActText
from claimrag.tasks.store import TableRef, Workspace, WorkspaceLock, files, owner
from claimrag.tasks.store.owner import LockOwner

REF = TableRef(stage="texts", scope="a")
ROWS = [ActText(act_id="a", text="one")]


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def move(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def a_lock(
    workspace: Workspace, clock: Callable[[], datetime], purpose: str = "claimrag build gdpr"
) -> WorkspaceLock:
    return WorkspaceLock(workspace.fs, workspace.root, workspace.address, purpose, clock=clock)


def lock_files(workspace: Workspace) -> list[str]:
    return [str(entry["name"]) for entry in files.listing(workspace.fs, workspace.path("lock"))]


def takes(lock: WorkspaceLock) -> bool:
    try:
        lock.take()
    except WorkspaceBusyError:
        return False
    return True


def test_a_second_run_is_told_who_works_there_and_a_third_comes_after(workspace: Workspace) -> None:
    with workspace.lock("claimrag build gdpr") as lock:
        assert lock.is_held
        workspace.write_table(REF, ActText, ROWS)
        for other in (workspace, Workspace.open(workspace.address)):
            with (
                pytest.raises(
                    WorkspaceBusyError,
                    match=rf"in use: `claimrag build gdpr` works there since .* UTC \(process {os.getpid()} on .*"
                    r"sign of life \d s ago\). Wait until it has ended, or give another --workspace",
                ),
                other.lock("claimrag claims"),
            ):
                pass
            assert other.read_table(REF, ActText) == ROWS, "readers never wait"
        workspace.write_table(REF, ActText, ROWS)
    assert not lock.is_held
    assert lock_files(workspace) == []
    with workspace.lock("claimrag claims") as lock:
        assert lock.is_held


def test_a_password_in_the_address_is_not_shown(workspace: Workspace, clock: Clock) -> None:
    a_lock(workspace, clock).take()
    other = WorkspaceLock(workspace.fs, workspace.root, "s3://me:secret@host/w", "x", clock=clock)
    with pytest.raises(WorkspaceBusyError, match=r"workspace s3://\*\*\*@host/w is in use"):
        other.take()


def test_the_lock_is_released_when_the_run_fails(workspace: Workspace) -> None:
    with pytest.raises(ZeroDivisionError), workspace.lock("x"):
        raise ZeroDivisionError
    assert lock_files(workspace) == []


@pytest.mark.parametrize(("silent_s", "taken"), [(0, False), (29, False), (30, False), (31, True)])
def test_an_owner_that_is_silent_too_long_is_replaced(
    workspace: Workspace, clock: Clock, silent_s: float, taken: bool
) -> None:
    first, second = a_lock(workspace, clock), a_lock(workspace, clock)
    first.take()
    clock.move(silent_s)
    assert takes(second) is taken
    assert len(lock_files(workspace)) == 1


def test_a_heartbeat_keeps_the_lock(workspace: Workspace, clock: Clock) -> None:
    first, second = a_lock(workspace, clock), a_lock(workspace, clock)
    first.take()
    for _ in range(3):
        clock.move(20)
        first.beat()
    assert not takes(second)
    first.check()


def test_the_heartbeat_comes_from_a_thread(workspace: Workspace) -> None:
    beaten = threading.Event()
    lock = WorkspaceLock(workspace.fs, workspace.root, workspace.address, "x", heartbeat_s=0.01)
    real = lock.beat
    lock.beat = lambda: (real(), beaten.set())[0]  # type: ignore[method-assign]
    with lock:
        assert beaten.wait(5)
        written = LockOwner.read(workspace.fs.cat_file(lock_files(workspace)[0]))
    assert written is not None
    assert written.heartbeat_at > written.started_at


def test_a_storage_that_fails_once_does_not_end_the_heartbeat(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = WorkspaceLock(workspace.fs, workspace.root, workspace.address, "x", heartbeat_s=0.01)
    real, calls, enough = lock.beat, [], threading.Event()

    def failing() -> None:
        calls.append(1)
        if len(calls) < 3:
            raise StoreError("no answer")
        real()
        enough.set()

    monkeypatch.setattr(lock, "beat", failing)
    with lock:
        assert enough.wait(5)
        lock.check()


def test_a_process_that_is_gone_is_replaced_at_once(
    workspace: Workspace, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(owner, "_process_started", lambda pid: "of a process before")
        a_lock(workspace, clock).take()
        assert not takes(a_lock(workspace, clock))
    assert takes(a_lock(workspace, clock))


def test_a_process_of_another_machine_is_given_its_time(
    workspace: Workspace, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(owner, "_process_started", lambda pid: "there")
        patch.setattr(owner, "_machine", lambda: "another")
        a_lock(workspace, clock).take()
    assert not takes(a_lock(workspace, clock))
    clock.move(31)
    assert takes(a_lock(workspace, clock))


def test_a_killed_process_leaves_a_lock_that_the_next_run_takes(tmp_path: Path) -> None:
    code = (
        "import os, sys; from claimrag.tasks.store import Workspace\n"
        "workspace = Workspace.open(sys.argv[1])\n"
        "with workspace.lock('claimrag build'): os._exit(9)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "w")], check=False)
    assert done.returncode == 9
    workspace = Workspace.open(str(tmp_path / "w"))
    assert len(lock_files(workspace)) == 1
    with workspace.lock("claimrag build") as lock:
        assert lock.is_held


def test_a_run_that_slept_finds_its_lock_lost_and_writes_nothing(workspace: Workspace, clock: Clock) -> None:
    workspace.write_table(REF, ActText, ROWS)
    with workspace.lock("x") as lock:
        lock._clock = clock  # type: ignore[assignment]
        lock._owner = lock._owner.model_copy(update={"heartbeat_at": clock.now})
        lock.beat()
        with workspace.table_writer(REF, ActText) as writer:
            writer.add(ROWS)
        clock.move(31)
        other = a_lock(workspace, clock)
        other.take()
        writes: list[Callable[[], object]] = [
            lambda: workspace.write_table(REF, ActText, []),
            lambda: workspace.write_json({}, "reports", "x.json"),
            lambda: workspace.write_text("", "reports", "x.json"),
        ]
        for write in writes:
            with pytest.raises(
                WorkspaceBusyError, match=r"taken over by another run while this one gave no sign"
            ):
                write()
        assert lock.lost
        assert workspace.read_table(REF, ActText) == ROWS
    assert other.is_held
    assert len(lock_files(workspace)) == 1, "the other's lock stays"
    other.beat()
    assert not other.lost


def test_a_lock_lost_while_a_table_is_written_keeps_the_old_table(workspace: Workspace, clock: Clock) -> None:
    workspace.write_table(REF, ActText, ROWS)
    with workspace.lock("x") as lock:
        with pytest.raises(WorkspaceBusyError), workspace.table_writer(REF, ActText) as writer:
            writer.add([*ROWS, *ROWS])
            lock.lost = True
        assert workspace.read_table(REF, ActText) == ROWS


def test_a_run_that_slept_and_was_not_replaced_goes_on(workspace: Workspace, clock: Clock) -> None:
    lock = a_lock(workspace, clock)
    lock.take()
    clock.move(3600)
    lock.check()
    assert lock.is_held
    assert not takes(a_lock(workspace, clock)), "its check gave a sign of life"


def test_a_lock_that_was_removed_by_hand_is_lost(workspace: Workspace, clock: Clock) -> None:
    lock = a_lock(workspace, clock)
    lock.take()
    files.remove_file(workspace.fs, lock_files(workspace)[0])
    lock.beat()
    assert lock.lost


def test_a_lock_that_was_removed_and_taken_by_another_is_lost_and_left(
    workspace: Workspace, clock: Clock
) -> None:
    for first_beats in (False, True):
        first, second = a_lock(workspace, clock), a_lock(workspace, clock)
        first.take()
        files.remove_file(workspace.fs, lock_files(workspace)[0])
        second.take()
        if first_beats:
            first.beat()
            assert first.lost
        first.release()
        second.beat()
        assert second.is_held
        second.release()


def test_a_heartbeat_that_lands_after_a_take_over_disturbs_nobody(workspace: Workspace, clock: Clock) -> None:
    sleeper, taker = a_lock(workspace, clock), a_lock(workspace, clock)
    sleeper.take()
    path = lock_files(workspace)[0]
    clock.move(31)
    taker.take()
    late = sleeper._owner.model_copy(update={"heartbeat_at": clock.now})
    workspace.fs.pipe_file(path, late.to_json())
    taker.beat()
    assert taker.is_held
    sleeper.beat()
    assert sleeper.lost


def test_on_storage_that_only_looks_before_it_writes_the_last_writer_holds(
    workspace: Workspace, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = a_lock(workspace, clock, "first"), a_lock(workspace, clock, "second")
    path = workspace.path("lock", "000001.json")

    def both_write(fs: object, path: str, data: bytes) -> bool:
        files.write_atomically(fs, path, data)
        files.write_atomically(fs, path, second._owner.to_json())
        return True

    files.make_folder(workspace.fs, workspace.path("lock"))
    with monkeypatch.context() as patch:
        patch.setattr("claimrag.tasks.store.lock.create_exclusively", both_write)
        with pytest.raises(WorkspaceBusyError, match="`second` works there"):
            first.take()
    assert lock_files(workspace) == [path]


@pytest.mark.parametrize("damage", [b"", b"[]", b"{", b"\xff\x00", b"{}"])
def test_a_damaged_lock_is_named_and_after_a_while_replaced(workspace: Workspace, damage: bytes) -> None:
    workspace.fs.makedirs(workspace.path("lock"), exist_ok=True)
    workspace.fs.pipe_file(workspace.path("lock", "000007.json"), damage)
    with pytest.raises(WorkspaceBusyError, match=r"its lock .*lock/000007\.json cannot be read"):
        a_lock(workspace, lambda: datetime.now(UTC)).take()
    later = a_lock(workspace, lambda: datetime.now(UTC) + timedelta(seconds=31))
    later.take()
    assert [path.rpartition("/")[2] for path in lock_files(workspace)] == ["000008.json"]


def test_of_many_takers_at_once_exactly_one_gets_it(tmp_path: Path, clock: Clock) -> None:
    workspace = Workspace.open(str(tmp_path))
    for stale in (False, True):
        if stale:
            a_lock(workspace, clock).take()
            clock.move(31)
        locks = [a_lock(workspace, clock) for _ in range(8)]
        start = threading.Barrier(len(locks))
        got: list[WorkspaceLock] = []

        def take(lock: WorkspaceLock) -> None:
            start.wait()  # noqa: B023
            if takes(lock):
                got.append(lock)  # noqa: B023

        threads = [threading.Thread(target=take, args=(lock,)) for lock in locks]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(got) == 1
        got[0].release()


@pytest.mark.parametrize("before", ["nothing", "gone", "damaged"])
@pytest.mark.parametrize("other_leaves", [False, True])
def test_another_taker_at_any_moment_leaves_exactly_one_holder(
    workspace: Workspace, clock: Clock, monkeypatch: pytest.MonkeyPatch, before: str, other_leaves: bool
) -> None:
    at, changes = 0, 1
    while at < changes:
        at += 1
        if before == "gone":
            a_lock(workspace, clock).take()
            clock.move(31)
        if before == "damaged":
            workspace.fs.makedirs(workspace.path("lock"), exist_ok=True)
            workspace.fs.pipe_file(workspace.path("lock", "000003.json"), b"[]")
            clock.now = datetime.now(UTC) + timedelta(seconds=31)
        first, second = a_lock(workspace, clock), a_lock(workspace, clock)
        seen: list[str] = []

        def interrupting(change: str, path: str, action: Callable[[], object]) -> object:
            seen.append(change)  # noqa: B023
            if len(seen) == at and takes(second) and other_leaves:  # noqa: B023
                second.release()  # noqa: B023
            return action()

        with monkeypatch.context() as patch:
            patch.setattr(files, "perform", interrupting)
            takes(first)
        changes = len(seen) if at == 1 else changes
        for lock in (first, second):
            lock.beat()
        if other_leaves:
            assert first.is_held
        assert [first.is_held, second.is_held].count(True) == 1
        assert len(lock_files(workspace)) == 1
        first.release()
        second.release()
        assert lock_files(workspace) == []


def test_an_owner_that_wakes_during_a_take_over_leaves_at_most_one_holder(
    workspace: Workspace, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    at, changes = 0, 1
    while at < changes:
        at += 1
        sleeper, taker = a_lock(workspace, clock), a_lock(workspace, clock)
        sleeper.take()
        clock.move(31)
        seen: list[str] = []

        def waking(change: str, path: str, action: Callable[[], object]) -> object:
            seen.append(change)  # noqa: B023
            if len(seen) == at:  # noqa: B023
                sleeper.beat()  # noqa: B023
            return action()

        with monkeypatch.context() as patch:
            patch.setattr(files, "perform", waking)
            takes(taker)
        changes = len(seen) if at == 1 else changes
        sleeper.beat()
        taker.beat()
        assert [sleeper.is_held, taker.is_held].count(True) == 1
        sleeper.release()
        taker.release()
        assert lock_files(workspace) == []


def test_the_lock_file_says_who_holds(workspace: Workspace, clock: Clock) -> None:
    a_lock(workspace, clock, "claimrag build").take()
    written = json.loads(workspace.fs.cat_file(lock_files(workspace)[0]))
    assert written["purpose"] == "claimrag build"
    assert written["pid"] == os.getpid()
    assert written["started_at"] == written["heartbeat_at"] == "2026-01-01T12:00:00Z"
    assert LockOwner.model_validate(written).process_started == owner._process_started(os.getpid()) != ""


def test_no_process_has_no_start(monkeypatch: pytest.MonkeyPatch) -> None:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    assert owner._process_started(done.pid) == ""


def test_clean_does_not_run_beside_another_run(workspace: Workspace) -> None:
    workspace.write_table(REF, ActText, ROWS)
    workspace.write_table(REF, ActText, [])
    other = Workspace.open(workspace.address)
    with other.lock("claimrag build"):
        with pytest.raises(WorkspaceBusyError):
            workspace.clean()
        assert len(workspace.clean(dry_run=True)) == 2
        assert len(other.clean()) == 2
