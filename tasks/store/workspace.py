"""Workspace: reads and writes the tables of one build.

A table is three files: `tables/<stage>/<scope>.parquet` (kept), `rejected/<stage>/<scope>.parquet`, and
`tables/<stage>/<scope>.json` (counts, and the hashes of what it was made from). The counts are written
last, so a table without them does not exist: a crash leaves the old table or the new one.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from claimrag.schemas.arrow import from_table, to_table, write_parquet
from claimrag.schemas.base import Noun
from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.schemas.errors import StoreError
from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.tasks.store.files import open_filesystem, read_bytes, write_atomically
from claimrag.tasks.store.tables import TableRef

T = TypeVar("T", bound=Noun)


class Workspace:
    """One folder. Safe to share between tasks: each table is written by one of them."""

    def __init__(self, address: str, filesystem: Any, root: str) -> None:
        self.address = address
        self.fs = filesystem
        self.root = root

    @classmethod
    def open(cls, address: str) -> Workspace:
        """Open the folder at `address`, creating it when it is not there."""
        filesystem, root = open_filesystem(address)
        workspace = cls(address, filesystem, root)
        try:
            filesystem.makedirs(root, exist_ok=True)
        except OSError as error:
            raise StoreError(f"workspace {address} cannot be created: {error}") from error
        return workspace

    def path(self, *parts: str) -> str:
        """A path inside the workspace; parts with `..` are refused."""
        if any(piece == ".." for part in parts for piece in part.split("/")):
            raise StoreError(f"path leaves the workspace: {'/'.join(parts)}")
        return "/".join((self.root, *parts))

    def write_table(
        self,
        ref: TableRef,
        model: type[T],
        kept: Sequence[T],
        rejected: Sequence[Rejected] = (),
        made_from: Mapping[str, str] | None = None,
    ) -> StageCounts:
        """Write kept rows, rejected rows, then counts; returns the counts."""
        counts = StageCounts.of(len(kept), rejected)
        self._write_rows("tables", ref, model, kept)
        self._write_rows("rejected", ref, Rejected, rejected)
        record = {
            "counts": counts.model_dump(mode="json"),
            "made_from": dict(sorted((made_from or {}).items())),
            "rows_sha256": rows_sha256(kept),
        }
        self.write_json(record, "tables", ref.stage, f"{ref.slug}.json")
        return counts

    def read_table(self, ref: TableRef, model: type[T]) -> list[T]:
        """Every kept row, in order."""
        self._record(ref)
        return self._read_rows("tables", ref, model)

    def read_rejected(self, ref: TableRef) -> list[Rejected]:
        """Every rejected row, in order."""
        self._record(ref)
        return self._read_rows("rejected", ref, Rejected)

    def read_counts(self, ref: TableRef) -> StageCounts:
        """The counts as they were written."""
        return StageCounts.model_validate(self._record(ref)["counts"])

    def rows_sha256(self, ref: TableRef) -> str:
        """A hash of the kept rows: what a later table names as its input."""
        return str(self._record(ref)["rows_sha256"])

    def has_table(self, ref: TableRef) -> bool:
        """Whether the table was written completely."""
        return bool(self.fs.exists(self.path("tables", ref.stage, f"{ref.slug}.json")))

    def is_current(self, ref: TableRef, made_from: Mapping[str, str]) -> bool:
        """Whether the table exists and was made from exactly these inputs."""
        return self.has_table(ref) and self._record(ref)["made_from"] == dict(made_from)

    def tables(self, stage: str) -> list[TableRef]:
        """The complete tables of a stage, by scope in order."""
        found = []
        for path in self.fs.glob(self.path("tables", stage, "*.json")):
            scope = str(path).rpartition("/")[2].removesuffix(".json").replace("~", "/")
            found.append(TableRef(stage=stage, scope=scope))
        return sorted(found, key=lambda ref: ref.scope)

    def write_json(self, value: Any, *parts: str) -> str:
        """Write canonical, indented JSON; returns the path."""
        path = self.path(*parts)
        text = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
        write_atomically(self.fs, path, text.encode())
        return path

    def write_text(self, text: str, *parts: str) -> str:
        """Write UTF-8 text; returns the path."""
        path = self.path(*parts)
        write_atomically(self.fs, path, text.encode())
        return path

    def read_json(self, *parts: str) -> Any:
        """Read a JSON file of the workspace; StoreError when it is damaged."""
        path = self.path(*parts)
        try:
            return json.loads(read_bytes(self.fs, path))
        except json.JSONDecodeError as error:
            raise StoreError(f"{path} is damaged: {error}. Delete it and rerun the stage") from error

    def _record(self, ref: TableRef) -> dict[str, Any]:
        record = self.read_json("tables", ref.stage, f"{ref.slug}.json")
        return dict(record)

    def _write_rows(self, folder: str, ref: TableRef, model: type[T], rows: Sequence[T]) -> None:
        buffer = io.BytesIO()
        write_parquet(to_table(model, rows), buffer)
        write_atomically(self.fs, self.path(folder, ref.stage, f"{ref.slug}.parquet"), buffer.getvalue())

    def _read_rows(self, folder: str, ref: TableRef, model: type[T]) -> list[T]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = self.path(folder, ref.stage, f"{ref.slug}.parquet")
        try:
            table = pq.read_table(io.BytesIO(read_bytes(self.fs, path)))
        except pa.ArrowInvalid as error:
            raise StoreError(f"{path} is not a readable Parquet file: {error}. Rerun the stage") from error
        return from_table(model, table)


def rows_sha256(rows: Iterable[Noun]) -> str:
    """SHA-256 over the canonical JSON of the rows, in order."""
    return sha256_text("\n".join(canonical_json(row.model_dump(mode="json")) for row in rows))
