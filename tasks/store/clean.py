"""What `claimrag clean` removes: table files that no record points to, and what a killed run left half written.

Promises: nothing under raw/, cache/, releases/, runs/, reviews/ or decisions/ is looked at, and no file of a
record that a later version of claimrag wrote. Only finds; Workspace.clean removes, under the workspace's lock.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

from claimrag.schemas.base import Noun
from claimrag.tasks.store.check import record_at, record_paths
from claimrag.tasks.store.files import TEMPORARY_SUFFIX, files_under, listing, read_if_there
from claimrag.tasks.store.record import FORMAT, TableRecord

_OURS = ("tables", "rejected", "reports")


class Removed(Noun):
    """One file: `path` in the workspace, size in bytes, and why nothing needs it."""

    path: str
    size: int
    why: Literal["nothing points to it", "left half written", "damaged record"]


def find_removable(filesystem: Any, root: str) -> Iterator[Removed]:
    """Every file that may go, in order of path within each folder."""
    records = dict(_records(filesystem, root))
    wanted = {file.path for record in records.values() if record for file in (record.kept, record.rejected)}
    damaged = {path for path, record in records.items() if record is None}
    later = {path for path in damaged if _format_at(filesystem, f"{root}/{path}") > FORMAT}
    kept_folders = {path.removesuffix(".json").partition("/")[2] for path in later}
    for entry in _files(filesystem, root):
        path, size = str(entry["name"]).removeprefix(f"{root}/"), int(entry["size"])
        if path.endswith(TEMPORARY_SUFFIX):
            yield Removed(path=path, size=size, why="left half written")
        elif path in damaged - later:
            yield Removed(path=path, size=size, why="damaged record")
        elif path.endswith(".parquet") and path not in wanted and _folder(path) not in kept_folders:
            yield Removed(path=path, size=size, why="nothing points to it")


def _files(filesystem: Any, root: str) -> Iterator[dict[str, Any]]:
    """The files of the folders that this may touch, and half-written ones beside them."""
    for entry in listing(filesystem, root):
        if entry["type"] == "file" and str(entry["name"]).rpartition("/")[2].startswith("."):
            yield entry
    for folder in _OURS:
        yield from files_under(filesystem, f"{root}/{folder}")


def _folder(path: str) -> str:
    """`stage/slug` of `tables/stage/slug/name.parquet`."""
    return path.partition("/")[2].rpartition("/")[0]


def _records(filesystem: Any, root: str) -> Iterator[tuple[str, TableRecord | None]]:
    """Every record by its path in the workspace; None for one that is damaged or of another format."""
    for path in record_paths(filesystem, root):
        yield path, record_at(filesystem, root, path)


def _format_at(filesystem: Any, path: str) -> int:
    """The format that a record names, 0 when it names none."""
    data = read_if_there(filesystem, path)
    try:
        value = json.loads(data) if data is not None else None
    except (ValueError, RecursionError):
        return 0
    written = value.get("format") if isinstance(value, dict) else None
    return written if isinstance(written, int) else 0
