"""ReleaseStore: the folder of all releases on any fsspec file system, one folder per version under it.

It names and reads files and says which versions have a folder. What a release is, and what makes it complete, is
known by tasks/release/folder.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from fsspec.implementations.local import LocalFileSystem

from claimrag.schemas.errors import InputError, StoreError
from claimrag.schemas.release import ReleaseFile
from claimrag.tasks.release.version import parse_version
from claimrag.tasks.store.files import (
    TEMPORARY_SUFFIX,
    NewFile,
    cannot_write,
    files_under,
    listing,
    make_folder,
    open_filesystem,
    parent,
    read_if_there,
    remove_file,
    sha256_of,
    write_atomically,
)


def sha256_bytes(data: bytes) -> str:
    """Hex SHA-256."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class ReleaseStore:
    """`root` is a path in `filesystem`; each release is the folder of its version under it."""

    filesystem: Any
    root: str

    @classmethod
    def at(cls, place: Path | str | ReleaseStore) -> ReleaseStore:
        """The store at a folder or an address such as `s3://bucket/releases`; it need not exist yet."""
        return place if isinstance(place, ReleaseStore) else cls(*open_filesystem(str(place)))

    def path(self, version: str, path: str = "") -> str:
        """A path of a release in the file system; StoreError for one that leaves its folder."""
        parse_version(version)
        if path.startswith("/") or ".." in path.split("/"):
            raise StoreError(f"path {path!r} leaves the release folder")
        return f"{self.root}/{version}/{path}" if path else f"{self.root}/{version}"

    def address(self, version: str) -> str:
        """The release's folder as `datasets.load_dataset` takes it."""
        path = self.path(version)
        local = isinstance(self.filesystem, LocalFileSystem)
        return path if local else str(self.filesystem.unstrip_protocol(path))

    def versions(self) -> list[str]:
        """The versions that have a folder, the highest first."""
        names = (str(entry["name"]).rpartition("/")[2] for entry in listing(self.filesystem, self.root))
        return sorted((name for name in names if _is_version(name)), key=parse_version, reverse=True)

    def read(self, version: str, path: str) -> bytes | None:
        """A file of a release, or None when it is not there."""
        return read_if_there(self.filesystem, self.path(version, path))

    def holds(self, version: str, file: ReleaseFile) -> bool:
        """Whether that file of a release is there with the hash that was recorded."""
        path = self.path(version, file.path)
        self.filesystem.invalidate_cache(parent(path))
        try:
            return sha256_of(self.filesystem, path) == file.sha256
        except OSError:
            return False

    @contextmanager
    def opened(self, version: str, path: str) -> Iterator[Any]:
        """A file of a release, open for reading; StoreError when it cannot be read or is no Parquet file."""
        name = self.path(version, path)
        try:
            with self.filesystem.open(name, "rb") as file:
                yield file
        except (OSError, pa.ArrowException) as error:
            raise StoreError(
                f"{name} cannot be read: {error}. Restore it, or move the release away"
            ) from error

    @contextmanager
    def writing(self) -> Iterator[None]:
        """What fails to be written inside is one StoreError."""
        try:
            yield
        except OSError as error:
            raise cannot_write(self.root, error) from error

    def new_file(self) -> NewFile:
        """A file that has no name yet; `put` names it, `discard` must follow a failure."""
        return NewFile(self.filesystem, self.root)

    def put(self, version: str, path: str, content: NewFile | bytes) -> None:
        """Write a file of a release, or give a new file its name: the old bytes or the new, never a part."""
        name = self.path(version, path)
        if isinstance(content, bytes):
            write_atomically(self.filesystem, name, content)
            return
        if isinstance(self.filesystem, LocalFileSystem):
            make_folder(self.filesystem, parent(name))
        content.commit(name)

    def remove_leftovers(self) -> None:
        """Remove the files that a killed process was writing when it ended. Only one process writes at a time."""
        for entry in list(files_under(self.filesystem, self.root)):
            path = str(entry["name"])
            if path.rpartition("/")[2].startswith(".") and path.endswith(TEMPORARY_SUFFIX):
                remove_file(self.filesystem, path)


def _is_version(name: str) -> bool:
    try:
        parse_version(name)
    except InputError:
        return False
    return True
