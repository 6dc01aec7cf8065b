"""Atomic files on any fsspec file system: a reader sees the old bytes or the new, never a part."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from claimrag.schemas.errors import StoreError


def open_filesystem(address: str) -> tuple[Any, str]:
    """The file system of `address` (a folder, `s3://...`, `memory://...`) and the root path in it."""
    try:
        filesystem, root = fsspec.core.url_to_fs(address)
    except (ValueError, ImportError) as error:
        raise StoreError(
            f"workspace {address!r} cannot be opened: {error}. Use a local folder, or install the package "
            "for that kind of storage (for s3://: pip install 'claimrag[s3]')"
        ) from error
    return filesystem, str(root).rstrip("/")


def write_atomically(filesystem: Any, path: str, data: bytes) -> None:
    """Write `data` to `path`. Local: a temporary file beside it, then a rename; object stores put whole."""
    parent = path.rpartition("/")[0]
    try:
        filesystem.makedirs(parent, exist_ok=True)
        if isinstance(filesystem, LocalFileSystem):
            temporary = Path(f"{path}.{os.getpid()}.tmp")
            temporary.write_bytes(data)
            temporary.replace(path)
        else:
            filesystem.pipe_file(path, data)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error}. Check space and permissions") from error


def read_bytes(filesystem: Any, path: str) -> bytes:
    """The whole file; StoreError when it is not there."""
    try:
        return bytes(filesystem.cat_file(path))
    except FileNotFoundError as error:
        raise StoreError(f"{path} is not in the workspace; run the stage that makes it first") from error
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error}") from error
