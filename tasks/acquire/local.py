"""Acquisition without a network: a file given by hand, or one of the sample laws in the package.

Promises the same as a fetch: the bytes are kept as a snapshot, complete or not at all. It does not decide
whether the bytes are a law; the parser does.
"""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from claimrag.tasks.acquire.errors import LocalFileError
from claimrag.tasks.acquire.naming import MEDIA_TYPES
from claimrag.tasks.acquire.snapshot import LawKey, Origin, Snapshot, SnapshotStore

MAX_BYTES = 64 * 1024 * 1024
UNDATED = "undated"
UNDETERMINED = "und"


def key_of_file(path: Path, *, law_id: str | None, version: str | None, language: str) -> LawKey:
    """The key a file is kept under: the law it was given for, or `file-<its name>` when none was named."""
    slug = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-")[:80]
    return LawKey(law_id=law_id or f"file-{slug or 'law'}", version=version or UNDATED, language=language)


def read_local(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """The bytes of a file; raises LocalFileError when absent, not a file, empty or too large."""
    try:
        if not path.is_file():
            raise LocalFileError(f"{path} is not a file; give the path of one HTML, XML, PDF or JSON file")
        size = path.stat().st_size
        if size > max_bytes:
            raise LocalFileError(f"{path} has {size} bytes, more than the limit of {max_bytes}")
        raw = path.read_bytes()
    except OSError as error:
        raise LocalFileError(f"cannot read {path}: {error.strerror or error}") from error
    if not raw:
        raise LocalFileError(f"{path} is empty")
    return raw


def acquire_file(
    store: SnapshotStore,
    path: Path,
    *,
    law_id: str | None = None,
    version: str | None = None,
    language: str = UNDETERMINED,
    max_bytes: int = MAX_BYTES,
) -> tuple[Snapshot, bool]:
    """Keep a file's bytes; returns the snapshot and whether they differ from the last one under its key."""
    key = key_of_file(path, law_id=law_id, version=version, language=language)
    return _keep(store, read_local(path, max_bytes), key, path.suffix, "file", path.name)


def acquire_sample(store: SnapshotStore, key: LawKey, resource: str) -> tuple[Snapshot, bool]:
    """Keep a sample law; `resource` is its path inside the package `legal_sources.samples`."""
    place = resources.files("claimrag.legal_sources").joinpath("samples")
    for part in resource.split("/"):
        if part in ("", ".", ".."):
            raise LocalFileError(f"'{resource}' does not name a file of legal_sources.samples")
        place = place.joinpath(part)
    if not place.is_file():
        raise LocalFileError(f"legal_sources.samples has no file '{resource}'; reinstall claimrag")
    return _keep(store, place.read_bytes(), key, Path(resource).suffix, "sample", f"sample:{resource}")


def _keep(
    store: SnapshotStore, raw: bytes, key: LawKey, suffix: str, origin: Origin, address: str
) -> tuple[Snapshot, bool]:
    media_type = MEDIA_TYPES.get(suffix.lower(), "application/octet-stream")
    return store.keep(raw, key, media_type=media_type, origin=origin, address=address)
