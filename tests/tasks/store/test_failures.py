"""The store when its process stops at any change of a file, and when any file is damaged.

After each: a reader sees the old table or the new one, complete and under the right record, or none where none
was; the next write repairs; nothing but StoreError ever comes out.
"""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from claimrag.schemas.errors import StoreError
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected
from claimrag.schemas.text import ActText
from claimrag.tasks.store import TableRecord, TableRef, Workspace, files, owner
from claimrag.tasks.store.record import parse_record

REF = TableRef(stage="texts", scope="eu/32099R1001(02)/2099-03-12/en")
OTHER = TableRef(stage="texts", scope="other")
OLD = [ActText(act_id="a", text="old"), ActText(act_id="b", text="é" * 50)]
NEW = [ActText(act_id="a", text="new")]
LOST = [Rejected(stage="texts", item="x", reason=Reason.LENGTH, detail="why", raw="raw")]
Files = Callable[[Workspace], dict[str, bytes]]


class Stopped(BaseException):
    """The process is killed here."""


@contextmanager
def stopping_at(change: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Every change of a file from number `change` on is not done any more, as after a kill.

    Yields the changes that were asked for. The dead process is one that ended, so its lock is free.
    """
    asked: list[str] = []

    def perform(kind: str, path: str, action: Callable[[], object]) -> object:
        asked.append(f"{kind} {path}")
        if len(asked) >= change:
            raise Stopped
        return action()

    with monkeypatch.context() as patch:
        patch.setattr(files, "perform", perform)
        started = f"gone {uuid.uuid4()}"
        patch.setattr(owner, "_process_started", lambda pid: started)
        with suppress(Stopped):
            yield asked


def stop_everywhere(
    monkeypatch: pytest.MonkeyPatch,
    prepare: Callable[[], Workspace],
    act: Callable[[Workspace], object],
    check: Callable[[Workspace, bool], object],
) -> int:
    """Run `act` on a prepared workspace, stopped at the first change, at the second ...; then `check`.

    `check` gets the workspace, opened afresh, and whether `act` came to its end. Returns the number of changes.
    """
    for change in range(1, 1000):
        workspace = prepare()
        done = False
        with stopping_at(change, monkeypatch) as asked:
            act(workspace)
            done = True
        check(Workspace.open(workspace.address), done)
        if len(asked) < change:
            assert done
            return change - 1
    raise AssertionError("it never ends")


@pytest.fixture
def fresh(address: str) -> Callable[[], Workspace]:
    """A new workspace on the same kind of storage at each call."""
    return lambda: Workspace.open(f"{address}/{uuid.uuid4().hex}")


def write_old(workspace: Workspace) -> None:
    workspace.write_table(REF, ActText, OLD, LOST, {"k": "old"})
    workspace.write_table(OTHER, ActText, OLD, (), {"k": "other"})


def write_new(workspace: Workspace) -> None:
    workspace.write_table(REF, ActText, NEW, (), {"k": "new"})


def assert_is(workspace: Workspace, which: str) -> None:
    """The table is the old or the new one in every respect."""
    rows, lost = (OLD, LOST) if which == "old" else (NEW, [])
    record = workspace.record(REF, ActText)
    assert record is not None
    assert record.made_from == {"k": which}
    assert (record.counts.kept, record.counts.considered) == (len(rows), len(rows) + len(lost))
    assert workspace.read_table(REF, ActText) == rows
    assert workspace.read_rejected(REF) == lost
    assert workspace.read_rows(REF, ActText, "act_id", ["a"]) == rows[:1]
    assert REF in workspace.tables("texts")


def assert_repaired(workspace: Workspace) -> None:
    """The next write and a clean leave the new table and nothing else of it."""
    write_new(workspace)
    assert_is(workspace, "new")
    workspace.clean()
    assert_is(workspace, "new")
    assert not workspace.clean()
    found = [entry["name"] for entry in files.files_under(workspace.fs, workspace.root)]
    tables = len(workspace.tables("texts"))
    assert len(found) == 3 * tables


def test_the_first_write_of_a_table_stopped_anywhere(
    fresh: Callable[[], Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(workspace: Workspace, done: bool) -> None:
        if workspace.record(REF) is None:
            assert not done
            assert workspace.tables("texts") == []
            with pytest.raises(StoreError, match="run `claimrag build` again"):
                workspace.read_table(REF, ActText)
        else:
            assert_is(workspace, "new")
        assert_repaired(workspace)

    assert stop_everywhere(monkeypatch, fresh, write_new, check) > 4


def test_an_overwrite_of_a_table_stopped_anywhere(
    fresh: Callable[[], Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def prepare() -> Workspace:
        workspace = fresh()
        write_old(workspace)
        return workspace

    def check(workspace: Workspace, done: bool) -> None:
        record = workspace.record(REF, ActText)
        assert record is not None
        which = "new" if record.made_from == {"k": "new"} else "old"
        seen.append((which, done))
        assert_is(workspace, which)
        assert workspace.read_table(OTHER, ActText) == OLD
        assert_repaired(workspace)

    stop_everywhere(monkeypatch, prepare, write_new, check)
    assert ("old", True) not in seen
    assert ("old", False) in seen
    assert seen[-1] == ("new", True)


def test_a_write_in_batches_stopped_anywhere(
    fresh: Callable[[], Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claimrag.tasks.store.rows.GROUP_ROWS", 2)
    rows = [ActText(act_id=str(number), text="x") for number in range(5)]

    def prepare() -> Workspace:
        workspace = fresh()
        write_old(workspace)
        return workspace

    def act(workspace: Workspace) -> None:
        with workspace.table_writer(REF, ActText, {"k": "batches"}) as writer:
            for row in rows:
                writer.add([row], LOST)

    def check(workspace: Workspace, done: bool) -> None:
        record = workspace.record(REF, ActText)
        assert record is not None
        if record.made_from == {"k": "batches"}:
            assert workspace.read_table(REF, ActText) == rows
            assert workspace.read_rejected(REF) == LOST * 5
        else:
            assert not done
            assert_is(workspace, "old")
        assert_repaired(workspace)

    stop_everywhere(monkeypatch, prepare, act, check)


def test_clean_stopped_anywhere(fresh: Callable[[], Workspace], monkeypatch: pytest.MonkeyPatch) -> None:
    def prepare() -> Workspace:
        workspace = fresh()
        write_old(workspace)
        write_new(workspace)
        workspace.write_text("x", "tables", "texts", ".half.tmp")
        workspace.write_text("x", "tables", "texts", "broken.json")
        return workspace

    def check(workspace: Workspace, done: bool) -> None:
        assert_is(workspace, "new")
        assert workspace.read_table(OTHER, ActText) == OLD
        assert_repaired(workspace)

    assert stop_everywhere(monkeypatch, prepare, lambda workspace: workspace.clean(), check) > 5


def test_a_take_over_stopped_anywhere(
    fresh: Callable[[], Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepare() -> Workspace:
        workspace = fresh()
        with stopping_at(1000, monkeypatch), workspace.lock("a run that is gone") as lock:
            lock.release = lambda: None  # type: ignore[method-assign]
        assert len(files.listing(workspace.fs, workspace.path("lock"))) == 1
        return workspace

    def act(workspace: Workspace) -> None:
        with workspace.lock("taking over"):
            write_new(workspace)

    def check(workspace: Workspace, done: bool) -> None:
        if workspace.record(REF) is not None:
            assert_is(workspace, "new")
        with workspace.lock("the next run") as lock:
            lock.beat()
            assert lock.is_held
            assert_repaired_under(workspace)
        assert files.listing(workspace.fs, workspace.path("lock")) == []

    def assert_repaired_under(workspace: Workspace) -> None:
        write_new(workspace)
        workspace.clean()
        assert_is(workspace, "new")

    stop_everywhere(monkeypatch, prepare, act, check)


@contextmanager
def full_from(change: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The disk is full from change number `change` on; removing still works."""
    asked = []

    def perform(kind: str, path: str, action: Callable[[], object]) -> object:
        asked.append(kind)
        if len(asked) >= change and kind != "remove":
            raise OSError(28, "No space left on device")
        return action()

    with monkeypatch.context() as patch:
        patch.setattr(files, "perform", perform)
        yield


def written_on_a_disk_full_from(change: int, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> bool:
    with full_from(change, monkeypatch):
        try:
            write_new(workspace)
        except StoreError:
            return False
    return True


def test_a_disk_that_fills_up_at_any_change_leaves_the_old_table(
    fresh: Callable[[], Workspace], monkeypatch: pytest.MonkeyPatch, files_of: Files
) -> None:
    workspace = fresh()
    write_old(workspace)
    before, change = files_of(workspace), 1
    while not written_on_a_disk_full_from(change, workspace, monkeypatch):
        assert_is(workspace, "old")
        after = files_of(workspace)
        assert not [path for path in after if path.endswith(".tmp")]
        assert {path: after[path] for path in before} == before
        change += 1
    assert change > 4
    assert_is(workspace, "new")


def test_a_full_disk_is_a_sentence(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    writes: list[Callable[[], object]] = [
        lambda: write_new(workspace),
        lambda: workspace.write_text("x", "reports", "x.md"),
        lambda: files.create_exclusively(workspace.fs, workspace.path("x"), b"a"),
    ]
    for write in writes:
        with (
            full_from(1, monkeypatch),
            pytest.raises(
                StoreError, match=r"cannot be written: .*No space left.*Check space and permissions"
            ),
        ):
            write()


KILLED = """
import os, sys, warnings
from claimrag.schemas.text import ActText
from claimrag.tasks.store import TableRef, Workspace, files

warnings.simplefilter("ignore", DeprecationWarning)  # of forking; this process has started no thread
ref = TableRef(stage="texts", scope="eu/32099R1001(02)/2099-03-12/en")
real = files.perform

def write(address, stop_at):
    asked = []
    def perform(kind, path, action):
        asked.append(path)
        if len(asked) == stop_at:
            os._exit(9)
        return real(kind, path, action)
    files.perform = perform
    workspace = Workspace.open(address)
    with workspace.lock("claimrag build"):
        workspace.write_table(ref, ActText, [ActText(act_id="a", text="new")], (), {"k": "new"})

def read(address, ended):
    workspace = Workspace.open(address)
    made_from = workspace.record(ref, ActText).made_from["k"]
    print(ended, made_from, *[row.text for row in workspace.read_table(ref, ActText)], flush=True)

def in_a_child(work, *arguments):
    child = os.fork()
    if child == 0:
        work(*arguments)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

number, ended = 0, 9
while ended == 9:
    number += 1
    ended = in_a_child(write, sys.argv[1], number)
    in_a_child(read, sys.argv[1], ended)
"""


def test_a_process_killed_at_every_change_leaves_old_or_new(tmp_path: Path) -> None:
    workspace = Workspace.open(str(tmp_path / "w"))
    write_old(workspace)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "w")],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    old, new = f"old old {OLD[1].text}", "new new"
    assert {line.partition(" ")[2] for line in lines} == {old, new}
    assert lines[0] == f"9 {old}"
    assert lines[-1] == f"0 {new}"
    assert len(lines) > 15
    assert_repaired(workspace)


FORMAT_1 = {
    "counts": {"considered": 1, "kept": 1, "rejected": {}},
    "made_from": {"k": "old"},
    "rows_sha256": "0" * 64,
}


def removed(data: bytes) -> bytes | None:
    return None


def halved(data: bytes) -> bytes | None:
    return data[: len(data) // 2]


def flipped(data: bytes) -> bytes | None:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def of_another_format(data: bytes) -> bytes | None:
    return json.dumps(FORMAT_1).encode() if data.startswith(b"{") else b"[]"


def emptied(data: bytes) -> bytes | None:
    return b""


def an_empty_list(data: bytes) -> bytes | None:
    return b"[]"


def overwrite(workspace: Workspace, path: str, data: bytes | None) -> None:
    files.remove_file(workspace.fs, workspace.path(path))
    if data is not None:
        files.write_atomically(workspace.fs, workspace.path(path), data)


def assert_only_sentences(workspace: Workspace, whole: dict[TableRef, TableRecord]) -> list[TableRef]:
    """Every table reads as before or is no table; returns those that are none."""
    bad = []
    assert set(workspace.tables("texts")) | set(workspace.tables("units")) <= set(whole)
    for ref, record in whole.items():
        found = workspace.record(ref, ActText)
        if found is None:
            bad.append(ref)
            assert not workspace.has_table(ref)
            for read in (workspace.read_rejected, workspace.read_counts, workspace.rows_sha256):
                with pytest.raises(StoreError, match="run `claimrag build` again"):
                    read(ref)
            with pytest.raises(StoreError, match="run `claimrag build` again"):
                workspace.read_table(ref, ActText)
            with pytest.raises(StoreError, match="run `claimrag build` again"):
                workspace.read_rows(ref, ActText, "act_id", ["a"])
        else:
            assert found == record
            assert workspace.read_table(ref, ActText) == OLD
            assert workspace.read_rejected(ref) == LOST
    return bad


@pytest.mark.parametrize("damage", [removed, halved, flipped, of_another_format, emptied, an_empty_list])
def test_any_damaged_file_is_no_table_and_is_written_again(
    workspace: Workspace, files_of: Files, damage: Callable[[bytes], bytes | None]
) -> None:
    refs = [REF, OTHER, TableRef(stage="units", scope="u")]
    for ref in refs:
        workspace.write_table(ref, ActText, OLD, LOST, {"k": ref.scope})
    whole = {ref: record for ref in refs if (record := workspace.record(ref, ActText)) is not None}
    sound = files_of(workspace)
    assert len(sound) == 9
    for path, data in sound.items():
        overwrite(workspace, path, damage(data))
        assert len(assert_only_sentences(workspace, whole)) == 1, path
        for ref in assert_only_sentences(Workspace.open(workspace.address), whole):
            workspace.write_table(ref, ActText, OLD, LOST, {"k": ref.scope})
        assert files_of(workspace) == sound
        overwrite(workspace, path, damage(data))
        workspace.clean()
        for ref in assert_only_sentences(workspace, whole):
            workspace.write_table(ref, ActText, OLD, LOST, {"k": ref.scope})
        assert files_of(workspace) == sound


def test_every_single_flipped_bit_of_a_record_is_seen_or_harmless(tmp_path: Path) -> None:
    workspace = Workspace.open(str(tmp_path))
    workspace.write_table(REF, ActText, OLD, LOST, {"k": REF.scope, "n": [1, 2.5, None, True]})
    data = next(tmp_path.glob("tables/texts/*.json")).read_bytes()
    record = parse_record(data)
    assert record == workspace.record(REF)
    harmless = 0
    for place in range(len(data)):
        for bit in range(0, 8, 2):
            found = parse_record(data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :])
            assert found in (None, record)
            harmless += found is not None
    assert harmless < 20, "a space may become a tab"


def test_a_record_in_the_place_of_another_is_none(workspace: Workspace) -> None:
    write_old(workspace)
    other = workspace.fs.cat_file(workspace.path("tables", "texts", f"{OTHER.slug}.json"))
    overwrite(workspace, f"tables/texts/{REF.slug}.json", other)
    assert workspace.record(REF) is None
    assert workspace.tables("texts") == [OTHER]


@pytest.mark.parametrize("name", ["kept", "rejected"])
def test_a_record_cannot_point_out_of_the_workspace(workspace: Workspace, name: str) -> None:
    write_old(workspace)
    path = f"tables/texts/{REF.slug}.json"
    record = workspace.read_json(path)
    record[name]["path"] = "../../../etc/passwd"
    workspace.write_json(record, path)
    assert workspace.record(REF) is None


def test_a_folder_in_the_place_of_a_file_is_no_table(tmp_path: Path) -> None:
    workspace = Workspace.open(str(tmp_path))
    for glob in ("tables/texts/*.json", "tables/texts/*/*.parquet", "rejected/texts/*/*.parquet"):
        workspace.write_table(OTHER, ActText, OLD)
        path = next(tmp_path.glob(glob))
        path.unlink()
        path.mkdir()
        assert workspace.record(OTHER) is None
        assert workspace.tables("texts") == []
        with pytest.raises(StoreError):
            workspace.write_table(OTHER, ActText, OLD)
        path.rmdir()


def test_damage_while_a_table_is_read_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("claimrag.tasks.store.check._what_is_wrong", lambda *_: "")
    workspace = Workspace.open(str(tmp_path))
    workspace.write_table(REF, ActText, OLD * 200, LOST)
    path = next(tmp_path.glob("tables/texts/*/*.parquet"))
    data = path.read_bytes()
    for place in range(0, len(data), 7):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        with suppress(StoreError):
            assert workspace.read_table(REF, ActText) == OLD * 200
        with suppress(StoreError):
            workspace.read_rows(REF, ActText, "act_id", ["a"])
