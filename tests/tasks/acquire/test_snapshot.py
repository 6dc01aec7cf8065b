from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import fsspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimrag.schemas.errors import StoreError
from claimrag.tasks.acquire.snapshot import LawKey, Snapshot, SnapshotStore, describe
from claimrag.tasks.run.clock import utc_now
from claimrag.tasks.store import files

KEY = LawKey(law_id="gdpr", version="2016-04-27", language="en")


def ticking_clock() -> Iterator[datetime]:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    while True:
        yield moment
        moment += timedelta(hours=1)


def local_store(root: Path) -> SnapshotStore:
    ticks = ticking_clock()
    return SnapshotStore(fsspec.filesystem("file"), str(root), clock=lambda: next(ticks))


def files_under(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def test_bytes_are_kept_under_their_hash_with_a_sidecar(tmp_path: Path) -> None:
    store = local_store(tmp_path)
    snapshot, changed = store.keep(
        b"<html/>",
        KEY,
        media_type="text/html",
        origin="fetched",
        address="http://x/y",
        headers={"ETag": '"1"', "Set-Cookie": "secret"},
    )
    digest = hashlib.sha256(b"<html/>").hexdigest()
    assert changed
    assert snapshot.sha256 == digest
    assert snapshot.headers == {"etag": '"1"'}
    assert (tmp_path / "raw" / digest).read_bytes() == b"<html/>"
    assert b"http://x/y" in (tmp_path / "raw" / f"{digest}.json").read_bytes()
    assert b"secret" not in (tmp_path / "raw" / f"{digest}.json").read_bytes()
    assert store.read(snapshot) == b"<html/>"
    assert describe(snapshot)["retrieved_at"] == "2026-01-01T00:00:00Z"


def test_keeping_the_same_bytes_again_touches_nothing(tmp_path: Path) -> None:
    store = local_store(tmp_path)
    first, _ = store.keep(b"one", KEY, media_type="text/html", origin="fetched")
    before = files_under(tmp_path)
    again, changed = store.keep(b"one", KEY, media_type="text/html", origin="fetched")
    assert not changed
    assert again == first
    assert files_under(tmp_path) == before


def test_changed_bytes_add_a_record_and_leave_the_old_ones(tmp_path: Path) -> None:
    store = local_store(tmp_path)
    for body in (b"one", b"two", b"one"):
        store.keep(body, KEY, media_type="text/html", origin="fetched")
    history = store.history(KEY)
    assert [store.read(s) for s in history] == [b"one", b"two", b"one"]
    assert store.latest(KEY) == history[-1]
    assert [s.retrieved_at.hour for s in history] == [0, 1, 2]


def test_keeping_the_hundredth_change_reads_one_record_and_not_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = local_store(tmp_path)
    for number in range(12):
        store.keep(b"%d" % number, KEY, media_type="text/html", origin="fetched")
    read: list[str] = []
    reader = SnapshotStore._record_at

    def counted(self: SnapshotStore, path: str) -> Snapshot | None:
        read.append(path)
        return reader(self, path)

    monkeypatch.setattr(SnapshotStore, "_record_at", counted)
    snapshot, changed = store.keep(b"new", KEY, media_type="text/html", origin="fetched")
    assert changed
    assert len(read) == 2
    assert store.latest(KEY) == snapshot
    monkeypatch.undo()
    assert len(store.history(KEY)) == 13
    assert sorted(p.name[:6] for p in (tmp_path / "raw" / "index" / KEY.folder()).iterdir())[-1] == "000013"


def test_the_same_bytes_of_two_laws_keep_both_records(tmp_path: Path) -> None:
    store = local_store(tmp_path)
    other = LawKey(law_id="dsa", version="undated", language="fr")
    store.keep(b"one", KEY, media_type="text/html", origin="fetched")
    snapshot, changed = store.keep(b"one", other, media_type="text/html", origin="file")
    assert changed
    assert snapshot.origin == "file"
    assert store.latest(other) == snapshot
    assert store.keys("gdpr") == [KEY]
    assert store.keys("dsa") == [other]
    assert store.keys("nothing") == []


def test_an_altered_file_is_noticed_and_repaired_by_keeping_again(tmp_path: Path) -> None:
    store = local_store(tmp_path)
    snapshot, _ = store.keep(b"one", KEY, media_type="text/html", origin="fetched")
    place = tmp_path / "raw" / snapshot.sha256
    place.write_bytes(b"ONE")
    with pytest.raises(StoreError, match="does not hold the bytes its name says"):
        store.read(snapshot)
    place.unlink()
    with pytest.raises(StoreError, match="is missing"):
        store.read(snapshot)
    store.keep(b"one", KEY, media_type="text/html", origin="fetched")
    assert store.read(snapshot) == b"one"


@pytest.mark.parametrize("failing_write", [0, 1, 2])
def test_a_failure_at_any_write_leaves_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing_write: int
) -> None:
    store = local_store(tmp_path)
    calls: list[str] = []

    def failing(change: str, path: str, action: Callable[[], object]) -> object:
        calls.append(path) if change == "rename" else None
        if len(calls) == failing_write + 1 and change == "rename":
            raise OSError(28, "No space left on device")
        return action()

    with monkeypatch.context() as patch:
        patch.setattr(files, "perform", failing)
        with pytest.raises(StoreError, match="No space left"):
            store.keep(b"one", KEY, media_type="text/html", origin="fetched")
    assert store.latest(KEY) is None
    assert not [name for name in files_under(tmp_path) if name.endswith(".tmp")]
    snapshot, changed = store.keep(b"one", KEY, media_type="text/html", origin="fetched")
    assert changed
    assert store.read(snapshot) == b"one"


def test_a_leftover_temporary_file_is_not_a_record(tmp_path: Path) -> None:
    store = local_store(tmp_path)
    store.keep(b"one", KEY, media_type="text/html", origin="fetched")
    (tmp_path / "raw" / "index" / KEY.folder() / ".000002-x.json.abc.tmp").write_bytes(b"{")
    assert len(store.history(KEY)) == 1


@pytest.mark.parametrize("damage", [b"{}", b"[]", b"", b"{", b"\xff"])
def test_a_damaged_record_is_read_from_its_copy_beside_the_bytes(tmp_path: Path, damage: bytes) -> None:
    store = local_store(tmp_path)
    snapshot, _ = store.keep(b"one", KEY, media_type="text/html", origin="fetched")
    next((tmp_path / "raw" / "index" / KEY.folder()).glob("*.json")).write_bytes(damage)
    assert store.latest(KEY) == snapshot
    assert store.keep(b"one", KEY, media_type="text/html", origin="fetched") == (snapshot, False)


def test_a_damaged_record_without_a_copy_is_an_error_with_its_place(tmp_path: Path) -> None:
    store = local_store(tmp_path)
    other = LawKey(law_id="dsa", version="undated", language="fr")
    store.keep(b"one", other, media_type="text/html", origin="fetched")
    store.keep(b"one", KEY, media_type="text/html", origin="fetched")
    record = next((tmp_path / "raw" / "index" / KEY.folder()).glob("*.json"))
    record.write_text("{}")
    with pytest.raises(StoreError, match=rf"{record.name}.*remove it"):
        store.latest(KEY)


def test_no_bytes_and_names_that_leave_the_folder_are_refused(tmp_path: Path) -> None:
    store = local_store(tmp_path)
    with pytest.raises(StoreError, match="no bytes"):
        store.keep(b"", KEY, media_type="text/html", origin="fetched")
    for bad in ("../x", "", "a/b", ".hidden"):
        with pytest.raises(StoreError, match="cannot name a snapshot"):
            store.latest(LawKey(law_id=bad, version="v", language="en"))
        with pytest.raises(StoreError, match="cannot name a snapshot"):
            store.keys(bad)


@settings(max_examples=25, deadline=None)
@given(bodies=st.lists(st.binary(min_size=1, max_size=20), min_size=1, max_size=6))
def test_history_is_the_bodies_without_repeats_in_a_row(bodies: list[bytes]) -> None:
    fs = fsspec.filesystem("memory")
    if fs.exists("/ws"):
        fs.rm("/ws", recursive=True)
    store = SnapshotStore(fs, "/ws", clock=utc_now)
    for body in bodies:
        store.keep(body, KEY, media_type="text/html", origin="fetched")
    expected = [b for i, b in enumerate(bodies) if i == 0 or bodies[i - 1] != b]
    assert [store.read(s) for s in store.history(KEY)] == expected
