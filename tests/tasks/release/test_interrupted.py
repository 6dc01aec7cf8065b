"""A release that is stopped at any change of a file, or damaged in any file: readers see a release or none.

After each the next run repairs, and what it leaves is what an undisturbed run writes.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from claimrag.schemas.errors import InputError, StoreError
from claimrag.tasks.release import (
    ReleaseStore,
    damaged_files,
    latest_release,
    make_release,
    read_release,
)
from claimrag.tasks.store import files


class Stopped(BaseException):
    """The process is killed here."""


@contextmanager
def stopping_at(change: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Every change of a file from number `change` on is not done any more, as after a kill."""
    asked: list[str] = []

    def perform(kind, path, action):
        asked.append(f"{kind} {path}")
        if len(asked) >= change:
            raise Stopped
        return action()

    with monkeypatch.context() as patch:
        patch.setattr(files, "perform", perform)
        with suppress(Stopped):
            yield asked


@contextmanager
def full_from(change: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The disk is full from change number `change` on; removing still works."""
    asked: list[str] = []

    def perform(kind, path, action):
        asked.append(kind)
        if len(asked) >= change and kind != "remove":
            raise OSError(28, "No space left on device")
        return action()

    with monkeypatch.context() as patch:
        patch.setattr(files, "perform", perform)
        yield


@pytest.fixture(scope="module")
def roots(tmp_path_factory):
    """A new folder of releases at each call."""
    return lambda: tmp_path_factory.mktemp("releases")


@pytest.fixture(params=["local", "memory"])
def fresh(request, roots):
    """A new, empty store on a disk or of objects at each call."""
    if request.param == "local":
        return lambda: ReleaseStore.at(roots())
    return lambda: ReleaseStore.at(f"memory://{uuid.uuid4().hex}/releases")


def all_files(store: ReleaseStore) -> dict[str, bytes]:
    found = files.files_under(store.filesystem, store.root)
    return {
        str(entry["name"]).removeprefix(f"{store.root}/"): store.filesystem.cat_file(entry["name"])
        for entry in found
    }


@pytest.fixture
def source(made_up_build, source_of):
    return source_of(made_up_build)


def stopped_everywhere(monkeypatch, prepare, act, check):
    """Run `act` on a prepared store, stopped at the first change, the second ...; `check` it. Returns how many."""
    for change in range(1, 500):
        store = prepare()
        ended = False
        with stopping_at(change, monkeypatch) as asked:
            act(store)
            ended = True
        check(store, ended)
        if len(asked) < change:
            assert ended
            return change - 1
    raise AssertionError("it never ends")


def test_a_first_release_stopped_anywhere_is_no_release_and_the_next_run_writes_it(
    fresh, source, monkeypatch
):
    whole = fresh()
    make_release(whole, source)

    def check(store, ended):
        latest = latest_release(store)
        assert (latest is None) or ended
        assert make_release(store, source).created is (latest is None)
        assert all_files(store) == all_files(whole)

    assert stopped_everywhere(monkeypatch, fresh, lambda store: make_release(store, source), check) >= 6


def test_a_second_release_stopped_anywhere_leaves_the_first(fresh, source, changed, monkeypatch):
    whole = fresh()
    make_release(whole, source)
    make_release(whole, changed)

    def prepare():
        store = fresh()
        make_release(store, source)
        return store

    def check(store, ended):
        latest = latest_release(store)
        assert latest.version == ("0.2.0" if ended else "0.1.0")
        assert damaged_files(store, latest) == []
        assert make_release(store, changed).release.version == "0.2.0"
        assert all_files(store) == all_files(whole)

    assert stopped_everywhere(monkeypatch, prepare, lambda store: make_release(store, changed), check) >= 6


def test_a_repair_stopped_anywhere_is_completed_by_the_next_run(fresh, source, monkeypatch):
    whole = fresh()
    make_release(whole, source)

    def prepare():
        store = fresh()
        make_release(store, source)
        for path in ("README.md", "data/qa/test.parquet"):
            store.filesystem.pipe_file(store.path("0.1.0", path), b"damaged")
        return store

    def check(store, ended):
        latest = latest_release(store)
        left = damaged_files(store, latest)
        assert left == [] or not ended
        assert make_release(store, source).repaired == tuple(left)
        assert all_files(store) == all_files(whole)

    assert stopped_everywhere(monkeypatch, prepare, lambda store: make_release(store, source), check) >= 6


def test_a_disk_that_fills_up_at_any_change_is_a_sentence_and_leaves_no_half_release(
    source, changed, monkeypatch, roots, files_of
):
    root = roots()
    make_release(root, source)
    before = files_of(root)
    for change in range(1, 500):
        with full_from(change, monkeypatch):
            try:
                make_release(root, changed)
                break
            except StoreError as error:
                assert "cannot be written" in str(error)
                assert "Check space and permissions" in str(error)
        assert latest_release(root).version == "0.1.0"
        after = files_of(root)
        assert {path: after[path] for path in before} == before
        assert not [path for path in after if path.endswith(".tmp")]
    assert change > 6
    assert latest_release(root).version == "0.2.0"
    assert damaged_files(root, latest_release(root)) == []


def remove(path):
    path.unlink()


def empty(path):
    path.write_bytes(b"")


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


DATA = [f"data/{name}/test.parquet" for name in ("claims", "context_units", "corpus", "qa")]


@pytest.mark.parametrize("path", ["README.md", "categories.svg", *DATA])
@pytest.mark.parametrize("damage", [remove, empty, cut, flip])
def test_a_damaged_file_is_noticed_and_written_again(source, tmp_path, files_of, damage, path):
    release = make_release(tmp_path, source, lineage={"a": "1"}).release
    before = files_of(tmp_path)
    damage(tmp_path / "0.1.0" / path)
    assert damaged_files(tmp_path, release) == [path]
    again = make_release(tmp_path, source, lineage={"a": "2"})
    assert (again.created, again.repaired) == (False, (path,))
    assert again.release == release
    assert files_of(tmp_path) == before
    assert make_release(tmp_path, source).repaired == ()


@pytest.mark.parametrize("damage", [remove, empty, cut, flip])
def test_a_release_with_a_damaged_record_is_made_again_in_its_place(source, tmp_path, files_of, damage):
    release = make_release(tmp_path, source).release
    before = files_of(tmp_path)
    damage(tmp_path / "0.1.0/release.json")
    assert latest_release(tmp_path) is None
    with pytest.raises(StoreError, match=r"is damaged; run `claimrag release`|holds no release\.json"):
        read_release(tmp_path, "0.1.0")
    again = make_release(tmp_path, source)
    assert (again.created, again.release) == (True, release)
    assert files_of(tmp_path) == before


def test_other_rows_never_take_the_number_of_a_release_whose_record_is_damaged(
    source, changed, tmp_path, files_of
):
    make_release(tmp_path, source)
    empty(tmp_path / "0.1.0/release.json")
    before = files_of(tmp_path / "0.1.0")
    with pytest.raises(
        InputError, match=r"another release 0\.1\.0, whose release\.json is damaged; choose a higher"
    ):
        make_release(tmp_path, changed, version="0.1.0")
    other = make_release(tmp_path, changed)
    assert (other.release.version, other.release.previous) == ("0.2.0", None)
    assert files_of(tmp_path / "0.1.0") == before


def test_a_record_moved_to_another_folder_is_no_record(source, tmp_path):
    make_release(tmp_path, source)
    (tmp_path / "0.1.0").rename(tmp_path / "0.3.0")
    assert latest_release(tmp_path) is None
    with pytest.raises(StoreError, match="is damaged"):
        read_release(tmp_path, "0.3.0")


def test_a_repaired_release_is_compared_with_the_one_before_it(source, changed, tmp_path, files_of):
    make_release(tmp_path, source)
    make_release(tmp_path, changed)
    before = files_of(tmp_path)
    flip(tmp_path / "0.2.0/README.md")
    assert make_release(tmp_path, changed).repaired == ("README.md",)
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("gone", ["0.1.0/release.json", "0.1.0/data/qa/test.parquet"])
def test_a_repaired_release_without_the_one_before_it_says_that_nothing_was_compared(
    source, changed, tmp_path, gone
):
    make_release(tmp_path, source)
    make_release(tmp_path, changed)
    remove(tmp_path / gone)
    flip(tmp_path / "0.2.0/README.md")
    result = make_release(tmp_path, changed)
    assert (result.release.version, result.release.previous) == ("0.2.0", "0.1.0")
    assert "0.1.0 were damaged or not at hand" in (tmp_path / "0.2.0/README.md").read_text()
    assert damaged_files(tmp_path, result.release) == []


@pytest.mark.parametrize(("path", "compared"), [("data/claims/test.parquet", False), ("README.md", True)])
def test_a_release_after_a_damaged_one_is_compared_only_where_its_rows_are_sound(
    source, changed, tmp_path, path, compared
):
    make_release(tmp_path, source)
    empty(tmp_path / "0.1.0" / path)
    result = make_release(tmp_path, changed)
    assert (result.created, result.repaired, result.release.version) == (True, (), "0.2.0")
    card = (Path(result.folder) / "README.md").read_text()
    assert ("damaged or not at hand, so they were not compared" in card) is not compared
    assert ("rows changed" in card) is compared


def test_what_a_killed_run_left_is_removed_and_nothing_else(source, tmp_path, files_of):
    leftovers = [tmp_path / ".1.tmp", tmp_path / "0.1.0/data/qa/.2.tmp"]
    others = [tmp_path / ".hidden", tmp_path / "notes.tmp", tmp_path / "0.1.0/notes.txt"]
    for path in (*leftovers, *others):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    make_release(tmp_path, source)
    assert not [path for path in leftovers if path.exists()]
    assert all(path.exists() for path in others)


def test_a_failure_of_the_rows_leaves_nothing_behind(source, tmp_path, monkeypatch):
    class Failing:
        acts, runs, counts = source.acts, source.runs, source.counts
        units, context_units, occurrences = source.units, source.context_units, source.occurrences
        questions = source.questions

        def claims(self, act_id):
            raise StoreError("the table is gone")

    with pytest.raises(StoreError, match="the table is gone"):
        make_release(tmp_path, Failing())
    assert list(tmp_path.iterdir()) == []
