"""ReleaseStore: the folder of all releases on any fsspec file system; writes one release whole, or not."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsspec.implementations.local import LocalFileSystem

from claimrag.schemas.errors import InputError, StoreError
from claimrag.tasks.release.version import parse_version
from claimrag.tasks.store.files import listing, open_filesystem, read_if_there, write_folder


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
        names = (str(entry["name"]).rpartition("/")[2] for entry in listing(self.filesystem, self.root))
        return [name for name in names if _is_version(name)]

    def read(self, version: str, path: str) -> bytes | None:
        """A file of a release, or None when it is not there."""
        parse_version(version)
        if path.startswith("/") or ".." in path.split("/"):
            raise StoreError(f"path {path!r} leaves the release folder")
        return read_if_there(self.filesystem, f"{self.root}/{version}/{path}")

    def write(self, version: str, files: Mapping[str, bytes], record_path: str, record: bytes) -> None:
        """Write a new release; the record comes last, and locally the folder appears only complete."""
        target = f"{self.root}/{version}"
        if isinstance(self.filesystem, LocalFileSystem) and Path(target).exists():
            raise StoreError(f"{target} is there but is no complete release; move it away and run again")
        write_folder(self.filesystem, target, [*sorted(files.items()), (record_path, record)])


def _is_version(name: str) -> bool:
    try:
        parse_version(name)
    except InputError:
        return False
    return True
