"""ReleaseStore: the folder of all releases on any fsspec file system; writes one release whole, or not."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsspec.implementations.local import LocalFileSystem

from claimrag.schemas.errors import InputError, StoreError
from claimrag.tasks.release.version import parse_version
from claimrag.tasks.store.files import open_filesystem


def sha256_bytes(data: bytes) -> str:
    """Hex SHA-256."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class ReleaseStore:
    """`root` is a path in `filesystem`; each release is the folder of its version under it."""

    filesystem: Any
    root: str

    @classmethod
    def open(cls, root: Path | str) -> ReleaseStore:
        """Open a folder or an address such as `s3://bucket/releases`; it need not exist yet."""
        return cls(*open_filesystem(str(root)))

    def address(self, version: str) -> str:
        """The release's folder as `datasets.load_dataset` takes it."""
        path = f"{self.root}/{version}"
        return (
            path if isinstance(self.filesystem, LocalFileSystem) else self.filesystem.unstrip_protocol(path)
        )

    def versions(self) -> list[str]:
        """The versions that have a folder, in no order."""
        if not self.filesystem.exists(self.root):
            return []
        names = (
            str(path).rstrip("/").rpartition("/")[2] for path in self.filesystem.ls(self.root, detail=False)
        )
        return [name for name in names if _is_version(name)]

    def read(self, version: str, path: str) -> bytes | None:
        """A file of a release, or None when it is not there."""
        parse_version(version)
        if path.startswith("/") or ".." in path.split("/"):
            raise StoreError(f"path {path!r} leaves the release folder")
        try:
            return bytes(self.filesystem.cat_file(f"{self.root}/{version}/{path}"))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"{self.root}/{version}/{path} cannot be read: {error}") from error

    def write(self, version: str, files: Mapping[str, bytes], record_path: str, record: bytes) -> None:
        """Write a new release; the record comes last, and locally the folder appears only complete."""
        target = f"{self.root}/{version}"
        everything = [*sorted(files.items()), (record_path, record)]
        try:
            if isinstance(self.filesystem, LocalFileSystem):
                self._write_and_rename(target, everything)
            else:
                self._write_in_place(target, everything)
        except OSError as error:
            raise StoreError(
                f"release {target} cannot be written: {error}. Check space and permissions"
            ) from error

    def _write_and_rename(self, target: str, files: list[tuple[str, bytes]]) -> None:
        if Path(target).exists():
            raise StoreError(f"{target} is there but is no complete release; move it away and run again")
        partial = f"{self.root}/.{Path(target).name}.{os.getpid()}.partial"
        try:
            self._write_in_place(partial, files)
            Path(partial).rename(target)
        except OSError:
            shutil.rmtree(partial, ignore_errors=True)
            raise

    def _write_in_place(self, folder: str, files: list[tuple[str, bytes]]) -> None:
        if self.filesystem.exists(folder):
            self.filesystem.rm(folder, recursive=True)
        for path, data in files:
            whole = f"{folder}/{path}"
            self.filesystem.makedirs(whole.rpartition("/")[0], exist_ok=True)
            self.filesystem.pipe_file(whole, data)


def _is_version(name: str) -> bool:
    try:
        parse_version(name)
    except InputError:
        return False
    return True
