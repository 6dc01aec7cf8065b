"""Snapshots: the raw bytes of a law, kept by SHA-256 under `raw/`, with a record of where they came from.

Promises: bytes are never overwritten or changed; a record is only ever added; keeping the same bytes again
changes nothing; a reader never sees half a file (temporary name, then rename). It does not parse anything
and does not know the network.

    raw/<sha256>                                            the bytes
    raw/<sha256>.json                                       where they first came from
    raw/index/<law>/<version>/<language>/<n>-<sha12>.json   every change of the bytes, in order
"""

from __future__ import annotations

import hashlib
import posixpath
import re
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

import fsspec
from pydantic import Field, ValidationError

from claimrag.schemas.base import Noun, Sha256
from claimrag.schemas.errors import StoreError

Origin = Literal["fetched", "file", "sample"]
KEPT_HEADERS = ("content-language", "content-type", "etag", "last-modified")
_KEY = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._()+-]{0,119}$")


class LawKey(Noun):
    """Which expression of a law: catalogue id (or derived id), version (a date or `undated`), language."""

    law_id: str
    version: str
    language: str

    def folder(self) -> str:
        """`law/version/language`; refuses anything that could leave the index folder."""
        for part in (self.law_id, self.version, self.language):
            if not _KEY.match(part):
                raise StoreError(f"'{part}' cannot name a snapshot: use letters, digits, '-', '_', '.' only")
        return f"{self.law_id}/{self.version}/{self.language}"


class Snapshot(Noun):
    """Bytes kept once, with their provenance. `headers` holds only KEPT_HEADERS, in lower case."""

    key: LawKey
    sha256: Sha256
    size: int
    media_type: str
    origin: Origin
    address: str | None = None
    retrieved_at: datetime
    headers: dict[str, str] = Field(default_factory=dict)


def utc_now() -> datetime:
    """The clock given to SnapshotStore outside tests."""
    return datetime.now(UTC)


class SnapshotStore:
    """Keeps and finds snapshots in an fsspec file system, under `root` (the workspace folder)."""

    def __init__(
        self, fs: fsspec.AbstractFileSystem, root: str, clock: Callable[[], datetime] = utc_now
    ) -> None:
        self._fs = fs
        self._raw = posixpath.join(root, "raw") if root else "raw"
        self._clock = clock

    def keep(
        self,
        raw: bytes,
        key: LawKey,
        *,
        media_type: str,
        origin: Origin,
        address: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[Snapshot, bool]:
        """Keep `raw`; returns its record and whether it differs from the last one for `key`.

        The same bytes as last time leave the store untouched and return the record already there. Raises
        StoreError when there are no bytes or the folder cannot be written.
        """
        if not raw:
            raise StoreError(f"no bytes to keep for {key.folder()}")
        digest = hashlib.sha256(raw).hexdigest()
        if not self._holds(digest):
            self._write(self.path_of(digest), raw)
        last = self.latest(key)
        if last is not None and last.sha256 == digest:
            return last, False
        kept = {name.lower(): value for name, value in (headers or {}).items()}
        snapshot = Snapshot(
            key=key,
            sha256=digest,
            size=len(raw),
            media_type=media_type,
            origin=origin,
            address=address,
            retrieved_at=self._clock(),
            headers={name: kept[name] for name in KEPT_HEADERS if name in kept},
        )
        record = (snapshot.model_dump_json(indent=2) + "\n").encode("utf-8")
        if not self._fs.exists(self.path_of(digest) + ".json"):
            self._write(self.path_of(digest) + ".json", record)
        number = len(self.history(key)) + 1
        self._write(f"{self._folder(key)}/{number:06d}-{digest[:12]}.json", record)
        return snapshot, True

    def history(self, key: LawKey) -> list[Snapshot]:
        """Every record for `key`, oldest first; empty when nothing was ever kept."""
        folder = self._folder(key)
        self._fs.invalidate_cache(folder)
        if not self._fs.exists(folder):
            return []
        names = sorted(str(name) for name in self._fs.ls(folder, detail=False))
        return [self._read_record(name) for name in names if name.endswith(".json")]

    def latest(self, key: LawKey) -> Snapshot | None:
        """The newest record for `key`."""
        records = self.history(key)
        return records[-1] if records else None

    def keys(self, law_id: str) -> list[LawKey]:
        """Every version and language kept for one law, sorted."""
        folder = f"{self._raw}/index/{law_id}"
        LawKey(law_id=law_id, version="x", language="x").folder()
        found = set()
        for path in self._fs.find(folder) if self._fs.exists(folder) else []:
            version, language = str(path).split("/")[-3:-1]
            found.add((version, language))
        return [
            LawKey(law_id=law_id, version=version, language=language) for version, language in sorted(found)
        ]

    def read(self, snapshot: Snapshot) -> bytes:
        """The bytes, checked against their SHA-256; raises StoreError when they are absent or altered."""
        path = self.path_of(snapshot.sha256)
        try:
            raw = self._fs.cat_file(path)
        except FileNotFoundError as error:
            raise StoreError(
                f"{path} is missing; acquire {snapshot.key.law_id} again with refresh"
            ) from error
        if not isinstance(raw, bytes) or hashlib.sha256(raw).hexdigest() != snapshot.sha256:
            raise StoreError(f"{path} does not hold the bytes its name says; remove it and acquire again")
        return raw

    def path_of(self, sha256: str) -> str:
        """Where the bytes with this hash lie."""
        return f"{self._raw}/{sha256}"

    def _folder(self, key: LawKey) -> str:
        return f"{self._raw}/index/{key.folder()}"

    def _read_record(self, path: str) -> Snapshot:
        try:
            return Snapshot.model_validate_json(self._fs.cat_file(path))
        except ValidationError as error:
            raise StoreError(f"{path} is not a snapshot record: {error.error_count()} errors") from error

    def _holds(self, digest: str) -> bool:
        path = self.path_of(digest)
        return bool(self._fs.exists(path)) and hashlib.sha256(self._fs.cat_file(path)).hexdigest() == digest

    def _write(self, path: str, content: bytes) -> None:
        """Write under a temporary name, then rename, so that a reader sees all of it or nothing."""
        folder, name = path.rsplit("/", 1)
        temporary = f"{folder}/.{name}.{uuid.uuid4().hex}.tmp"
        try:
            self._fs.makedirs(folder, exist_ok=True)
            self._fs.pipe_file(temporary, content)
            self._fs.mv(temporary, path)
        except OSError as error:
            self._remove(temporary)
            raise StoreError(f"cannot write {path}: {error}") from error

    def _remove(self, path: str) -> None:
        if self._fs.exists(path):
            self._fs.rm_file(path)


def describe(snapshot: Snapshot) -> dict[str, Any]:
    """The record as plain values, for `--json` and artifacts."""
    return snapshot.model_dump(mode="json")
