from __future__ import annotations

from pathlib import Path

import fsspec
import pytest

from claimrag.tasks.acquire.errors import LocalFileError
from claimrag.tasks.acquire.local import acquire_file, acquire_sample
from claimrag.tasks.acquire.snapshot import LawKey, SnapshotStore


@pytest.fixture
def store(tmp_path: Path) -> SnapshotStore:
    return SnapshotStore(fsspec.filesystem("file"), str(tmp_path / "ws"))


def test_a_file_is_kept_under_its_own_name_when_no_law_is_given(store: SnapshotStore, tmp_path: Path) -> None:
    path = tmp_path / "My Law (2).XHTML"
    path.write_bytes(b"<html/>")
    snapshot, changed = acquire_file(store, path)
    assert changed
    assert snapshot.key == LawKey(law_id="file-my-law-2", version="undated", language="und")
    assert (snapshot.media_type, snapshot.origin, snapshot.address) == (
        "application/xhtml+xml",
        "file",
        "My Law (2).XHTML",
    )
    assert acquire_file(store, path) == (snapshot, False)


def test_a_file_given_for_a_law_is_kept_as_that_law(store: SnapshotStore, tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(b"bytes")
    snapshot, _ = acquire_file(store, path, law_id="gdpr", version="2016-04-27", language="fr")
    assert snapshot.key == LawKey(law_id="gdpr", version="2016-04-27", language="fr")
    assert snapshot.media_type == "application/octet-stream"


def test_absent_empty_large_files_and_folders_are_refused_with_the_path(
    store: SnapshotStore, tmp_path: Path
) -> None:
    empty, large = tmp_path / "empty.html", tmp_path / "large.html"
    empty.touch()
    large.write_bytes(b"x" * 11)
    for path, sentence in ((tmp_path / "no.html", "not a file"), (tmp_path, "not a file"), (empty, "empty")):
        with pytest.raises(LocalFileError, match=sentence):
            acquire_file(store, path)
    with pytest.raises(LocalFileError, match="11 bytes, more than the limit of 10"):
        acquire_file(store, large, max_bytes=10)
    assert not (tmp_path / "ws").exists()


def test_a_sample_path_stays_inside_the_package(store: SnapshotStore) -> None:
    key = LawKey(law_id="sample-en", version="2026-01-01", language="en")
    with pytest.raises(LocalFileError, match="does not name a file"):
        acquire_sample(store, key, "../catalogue/eu.yaml")
    with pytest.raises(LocalFileError, match="has no file"):
        acquire_sample(store, key, "data/absent.html")
