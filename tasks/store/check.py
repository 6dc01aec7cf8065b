"""Whether a table may be trusted: its record is sound, and its two files are those that the record names.

Promises: damage is never an exception here but a sentence that says what is wrong; a file is hashed once per
process and state of the file. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from claimrag.schemas.base import Noun
from claimrag.tasks.store.files import file_info, listing, read_if_there, sha256_of
from claimrag.tasks.store.record import FileRef, TableRecord, parse_record, schema_sha256
from claimrag.tasks.store.tables import TableRef

REMEDY = "run `claimrag build` again: it is made again from the request cache"

_sound: set[tuple[str, str, str]] = set()
"""(path, state of the file, SHA-256) of files whose bytes this process has hashed and found right."""


def record_path(ref: TableRef) -> str:
    """Where the record of a table lies in the workspace."""
    return f"tables/{ref.stage}/{ref.slug}.json"


def stage_names(filesystem: Any, root: str) -> list[str]:
    """The stages that have a folder, sorted."""
    entries = listing(filesystem, f"{root}/tables")
    return [str(entry["name"]).rpartition("/")[2] for entry in entries if entry["type"] == "directory"]


def record_paths(filesystem: Any, root: str, stages: Iterable[str] | None = None) -> Iterator[str]:
    """The paths in the workspace of the records of `stages`, or of all, sound or not."""
    for stage in stage_names(filesystem, root) if stages is None else stages:
        for entry in listing(filesystem, f"{root}/tables/{stage}"):
            name = str(entry["name"]).rpartition("/")[2]
            if name.endswith(".json") and entry["type"] == "file":
                yield f"tables/{stage}/{name}"


def record_at(filesystem: Any, root: str, path: str) -> TableRecord | None:
    """The record in the file at `path` of the workspace; None when it is not there, damaged or misplaced."""
    data = read_if_there(filesystem, f"{root}/{path}")
    record = None if data is None else parse_record(data)
    return record if record is not None and record_path(record.ref) == path else None


def examine(
    filesystem: Any, root: str, ref: TableRef, model: type[Noun] | None = None
) -> tuple[TableRecord | None, str]:
    """The record of a table that can be read, and ""; or None and what is wrong with it.

    With `model`, the columns must be today's. StoreError only when the storage itself refuses to answer.
    """
    path = f"{root}/{record_path(ref)}"
    data = read_if_there(filesystem, path)
    if data is None:
        return None, f"{path} is not there"
    record = parse_record(data)
    if record is None or record.ref != ref:
        return None, f"{path} is damaged, or of another version of claimrag"
    if model is not None and (record.noun, record.schema_sha256) != (model.__name__, schema_sha256(model)):
        return None, f"{path} describes rows of an earlier {record.noun}, not of today's {model.__name__}"
    for file in (record.kept, record.rejected):
        wrong = _what_is_wrong(filesystem, root, file)
        if wrong:
            return None, wrong
    return record, ""


def _what_is_wrong(filesystem: Any, root: str, file: FileRef) -> str:
    path = f"{root}/{file.path}"
    info = file_info(filesystem, path)
    if info is None:
        return f"{path} is not there"
    if info["size"] != file.size:
        return f"{path} has {info['size']} bytes, not {file.size}"
    known = (path, str(sorted(info.items(), key=lambda pair: str(pair[0]))), file.sha256)
    if known in _sound:
        return ""
    try:
        digest = sha256_of(filesystem, path)
    except OSError as error:
        return f"{path} cannot be read: {error}"
    if digest != file.sha256:
        return f"{path} does not hold the bytes that were written"
    _sound.add(known)
    return ""
