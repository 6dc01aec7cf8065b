"""Snapshots: the raw bytes of a law, kept by SHA-256 under `raw/`, with a record of where they came from.

Promises: bytes are never overwritten or changed; a record is only ever added; keeping the same bytes again
changes nothing; a reader never sees half a file (tasks/store/files.py writes). It does not parse anything and
does not know the network.

    raw/<sha256>                                            the bytes
    raw/<sha256>.json                                       where they first came from
    raw/index/<law>/<version>/<language>/<n>-<sha12>.json   every change of the bytes, in order
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Literal

import fsspec
from pydantic import Field, ValidationError

from claimrag.schemas.base import Noun, Sha256
from claimrag.schemas.errors import StoreError
from claimrag.tasks.run.clock import utc_now
from claimrag.tasks.store.files import files_under, listing, read_if_there, write_atomically

Origin = Literal["fetched", "file", "sample"]
KEPT_HEADERS = ("content-language", "content-type", "etag", "last-modified")
_RECORD = re.compile(r"/\d{6,}-[0-9a-f]{12}\.json$")
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
        if self._sha256_at(self.path_of(digest)) != digest:
            write_atomically(self._fs, self.path_of(digest), raw)
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
        if self._record_at(self.path_of(digest) + ".json") is None:
            write_atomically(self._fs, self.path_of(digest) + ".json", record)
        names = self._record_names(key)
        number = int(names[-1].rpartition("/")[2].partition("-")[0]) + 1 if names else 1
        write_atomically(self._fs, f"{self._folder(key)}/{number:06d}-{digest[:12]}.json", record)
        return snapshot, True

    def history(self, key: LawKey) -> list[Snapshot]:
        """Every record for `key`, oldest first; empty when nothing was ever kept.

        A damaged record is read from its copy beside the bytes, where that is of the same law; else StoreError.
        """
        return [self._read_record(name, key) for name in self._record_names(key)]

    def latest(self, key: LawKey) -> Snapshot | None:
        """The newest record for `key`; the older ones are not read."""
        names = self._record_names(key)
        return self._read_record(names[-1], key) if names else None

    def keys(self, law_id: str) -> list[LawKey]:
        """Every version and language kept for one law, sorted."""
        folder = f"{self._raw}/index/{law_id}"
        LawKey(law_id=law_id, version="x", language="x").folder()
        kept = set()
        for file in files_under(self._fs, folder):
            version, language = str(file["name"]).split("/")[-3:-1]
            kept.add((version, language))
        return [
            LawKey(law_id=law_id, version=version, language=language) for version, language in sorted(kept)
        ]

    def read(self, snapshot: Snapshot) -> bytes:
        """The bytes, checked against their SHA-256; raises StoreError when they are absent or altered."""
        path = self.path_of(snapshot.sha256)
        raw = read_if_there(self._fs, path)
        if raw is None:
            raise StoreError(f"{path} is missing; acquire {snapshot.key.law_id} again with refresh")
        if hashlib.sha256(raw).hexdigest() != snapshot.sha256:
            raise StoreError(f"{path} does not hold the bytes its name says; remove it and acquire again")
        return raw

    def path_of(self, sha256: str) -> str:
        """Where the bytes with this hash lie."""
        return f"{self._raw}/{sha256}"

    def _record_names(self, key: LawKey) -> list[str]:
        """The paths of the records for `key`, oldest first."""
        names = [str(entry["name"]) for entry in listing(self._fs, self._folder(key))]
        return sorted(name for name in names if _RECORD.search(name))

    def _folder(self, key: LawKey) -> str:
        return f"{self._raw}/index/{key.folder()}"

    def _read_record(self, path: str, key: LawKey) -> Snapshot:
        record = self._record_at(path)
        if record is not None:
            return record
        digest = path.rpartition("-")[2].removesuffix(".json")
        for entry in listing(self._fs, self._raw):
            name = str(entry["name"])
            copy = self._record_at(name) if name.endswith(".json") and f"/{digest}" in name else None
            if copy is not None and copy.key == key:
                return copy
        raise StoreError(
            f"{path} is not a snapshot record: it is damaged; remove it and acquire the law again"
        )

    def _record_at(self, path: str) -> Snapshot | None:
        raw = read_if_there(self._fs, path)
        try:
            return None if raw is None else Snapshot.model_validate_json(raw)
        except ValidationError:
            return None

    def _sha256_at(self, path: str) -> str:
        raw = read_if_there(self._fs, path)
        return "" if raw is None else hashlib.sha256(raw).hexdigest()


def describe(snapshot: Snapshot) -> dict[str, Any]:
    """The record as plain values, for `--json` and artifacts."""
    return snapshot.model_dump(mode="json")
