"""Files of a workspace on any fsspec file system: the one place of the project that writes, replaces or removes.

Promises: a reader sees the old bytes or the new, never a part. On a local disk that is a temporary file in the
same folder, fsync, then a rename; on object storage one put. Every change of a file passes `perform`, so that a
test can count the changes and stop the process at any of them. Listings and sizes are asked afresh, because
another machine may have written. It knows nothing of tables.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, TypeVar

import fsspec
from fsspec.implementations.local import LocalFileSystem

from claimrag.schemas.errors import StoreError

T = TypeVar("T")
Change = Literal["makedirs", "write", "fsync", "rename", "put", "create", "remove"]
TEMPORARY_SUFFIX = ".tmp"
_CHUNK_BYTES = 1_000_000
_ABSENT = (FileNotFoundError, IsADirectoryError, NotADirectoryError)


def perform(change: Change, path: str, action: Callable[[], T]) -> T:
    """Do one change of a file. It names `change` and `path` for tests, which put their own in its place."""
    del change, path
    return action()


def open_filesystem(address: str) -> tuple[Any, str]:
    """The file system of `address` (a folder, `s3://...`, `memory://...`) and the root path in it.

    Raises StoreError for a blank address, a chained one (`a::b`), and a kind of storage that is not installed.
    """
    if not address.strip():
        raise StoreError("the workspace has no address; give a folder, for instance --workspace workspace")
    if "::" in address:
        raise StoreError(
            f"workspace {shown(address)!r} cannot be opened: '::' joins addresses; give one of them"
        )
    try:
        filesystem, root = fsspec.core.url_to_fs(address)
    except (ValueError, ImportError) as error:
        raise StoreError(
            f"workspace {shown(address)!r} cannot be opened: {error}. Use a local folder, or install the package "
            "for that kind of storage (for s3://: pip install 'claimrag[s3]')"
        ) from error
    return filesystem, str(root).rstrip("/")


def shown(address: str) -> str:
    """`address` as people may see it: a user name and password before the host are masked."""
    scheme, separator, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    if not separator or "@" not in host:
        return address
    return f"{scheme}://***@{host.rpartition('@')[2]}{slash}{path}"


class NewFile:
    """A file being written; it has no name until `commit` puts it there, complete. `discard` forgets it.

    It lies in `folder` on a local disk and in the system's temporary folder for object storage, so its size
    is not bounded by memory. `sha256` and `size` are those of the bytes written so far.
    """

    def __init__(self, filesystem: Any, folder: str) -> None:
        self._fs = filesystem
        self._local = isinstance(filesystem, LocalFileSystem)
        self._hash = hashlib.sha256()
        self._waiting = bytearray()
        self.size = 0
        self.closed = False
        if self._local:
            make_folder(filesystem, folder)
            self._temporary = f"{folder}/.{uuid.uuid4().hex}{TEMPORARY_SUFFIX}"
            self._file: Any = perform("write", self._temporary, lambda: Path(self._temporary).open("xb"))  # noqa: SIM115
        else:
            self._file = tempfile.NamedTemporaryFile(suffix=TEMPORARY_SUFFIX)  # noqa: SIM115
            self._temporary = str(self._file.name)

    @property
    def sha256(self) -> str:
        """Hex SHA-256 of what was written."""
        return self._hash.hexdigest()

    def write(self, data: Any) -> int:
        """Add bytes; pyarrow calls this. After `discard` they go nowhere."""
        if not self.closed:
            self._hash.update(data)
            self._waiting += data
            self.size += len(data)
            if len(self._waiting) >= _CHUNK_BYTES:
                self._hand_over()
        return len(data)

    def tell(self) -> int:
        """Bytes written so far."""
        return self.size

    def flush(self) -> None:
        """Does nothing: bytes are handed over piece by piece and by `commit`. pyarrow calls this."""

    def close(self) -> None:
        """Does nothing: the file ends with `commit` or `discard`. pyarrow calls this."""

    def commit(self, path: str) -> None:
        """Give the file its name, replacing what is there in one step."""
        self._hand_over()
        self.closed = True
        if self._local:
            perform("fsync", self._temporary, lambda: os.fsync(self._file.fileno()))
            self._file.close()
            perform("rename", path, lambda: Path(self._temporary).replace(path))
        else:
            perform("put", path, lambda: self._fs.put_file(self._temporary, path))
            self._file.close()

    def discard(self) -> None:
        """Forget the bytes; harmless after `commit`."""
        self.closed = True
        self._file.close()
        if self._local and Path(self._temporary).exists():
            perform("remove", self._temporary, Path(self._temporary).unlink)

    def _hand_over(self) -> None:
        if self._waiting:
            perform("write", self._temporary, lambda: self._file.write(self._waiting))
            self._file.flush()
            self._waiting = bytearray()


def write_atomically(filesystem: Any, path: str, data: bytes) -> None:
    """Write `data` to `path`; StoreError when the disk, the permissions or the network do not allow it."""
    try:
        if not isinstance(filesystem, LocalFileSystem):
            perform("put", path, lambda: filesystem.pipe_file(path, data))
            return
        new = NewFile(filesystem, parent(path))
        try:
            new.write(data)
            new.commit(path)
        except BaseException:
            new.discard()
            raise
    except OSError as error:
        raise cannot_write(path, error) from error


def create_exclusively(filesystem: Any, path: str, data: bytes) -> bool:
    """Create `path` with `data` unless it is there; whether it was created. Of several callers one gets True.

    That holds on local disks and on storage with conditional puts (S3, GCS, Azure); fsspec only looks before it
    writes elsewhere, so a caller reads back what it wrote.
    """
    try:
        make_folder(filesystem, parent(path))
        if isinstance(filesystem, LocalFileSystem):
            perform("create", path, lambda: _create(Path(path), data))
        else:
            filesystem.invalidate_cache(parent(path))
            perform("create", path, lambda: filesystem.pipe_file(path, data, mode="create"))
    except FileExistsError:
        return False
    except OSError as error:
        raise cannot_write(path, error) from error
    return True


def _create(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)


def remove_file(filesystem: Any, path: str) -> None:
    """Remove a file; one that is gone already is no error."""
    try:
        perform("remove", path, lambda: filesystem.rm_file(path))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"{path} cannot be removed: {error}. Check permissions") from error
    finally:
        filesystem.invalidate_cache(parent(path))


def make_folder(filesystem: Any, folder: str) -> None:
    """Make a folder and those above it; OSError when that is not possible."""
    if not filesystem.isdir(folder):
        perform("makedirs", folder, lambda: filesystem.makedirs(folder, exist_ok=True))


def read_if_there(filesystem: Any, path: str) -> bytes | None:
    """All bytes of a file, None when there is no such file; StoreError when it cannot be read."""
    try:
        return bytes(filesystem.cat_file(path))
    except _ABSENT:
        return None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error}. Check permissions and the connection") from error


def read_bytes(filesystem: Any, path: str) -> bytes:
    """All bytes of a file; StoreError when it is not there."""
    data = read_if_there(filesystem, path)
    if data is None:
        raise StoreError(f"{path} is not in the workspace; run the stage that makes it first")
    return data


def file_info(filesystem: Any, path: str) -> dict[str, Any] | None:
    """What the file system says of a file now (`size`, and a time or a tag); None when it is no file."""
    filesystem.invalidate_cache(parent(path))
    try:
        info = dict(filesystem.info(path))
    except _ABSENT:
        return None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error}. Check permissions and the connection") from error
    return info if info.get("type") == "file" else None


def listing(filesystem: Any, folder: str) -> list[dict[str, Any]]:
    """The entries of a folder now (`name` is the path, `type`, `size`), by name; none when it is not there."""
    filesystem.invalidate_cache(folder)
    try:
        return sorted(filesystem.ls(folder, detail=True), key=lambda entry: str(entry["name"]))
    except _ABSENT:
        return []
    except OSError as error:
        raise StoreError(f"{folder} cannot be read: {error}. Check permissions and the connection") from error


def files_under(filesystem: Any, folder: str) -> Iterator[dict[str, Any]]:
    """Every file under `folder` at any depth, by name."""
    for entry in listing(filesystem, folder):
        if entry["type"] == "directory":
            yield from files_under(filesystem, str(entry["name"]))
        else:
            yield entry


def sha256_of(filesystem: Any, path: str) -> str:
    """Hex SHA-256 of a file, read piece by piece; OSError when it cannot be read."""
    digest = hashlib.sha256()
    with filesystem.open(path, "rb") as file:
        while piece := file.read(_CHUNK_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def parent(path: str) -> str:
    """The folder of `path`."""
    return path.rpartition("/")[0]


def cannot_write(path: str, error: OSError) -> StoreError:
    """The sentence for a write that failed."""
    return StoreError(f"{path} cannot be written: {error}. Check space and permissions")
