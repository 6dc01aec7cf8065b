"""TableRecord: what is known of one table. The only file of a table that changes, and the last one written.

A record checks itself: the names of its two files are a hash over everything else in it, so a flipped byte, a
record moved to another place or one edited by hand is no record. It says nothing about whether the files are
there and sound: tasks/store/check.py does.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pyarrow as pa
import pydantic
from pydantic import ValidationError

from claimrag.schemas.arrow import arrow_schema
from claimrag.schemas.base import Noun, Sha256
from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.tasks.store.tables import TableRef

FORMAT = 2


class FileRef(Noun):
    """One file: `path` in the workspace, hash and size in bytes."""

    path: str
    sha256: Sha256
    size: int


class TableRecord(Noun):
    """`made_from` is what the table was made from, in canonical JSON; `noun` the model of its kept rows.

    `schema_sha256` changes when the columns of that model or of Rejected change. `rows_sha256` is over the
    kept rows in order, and does not depend on how Parquet packs them.
    """

    format: int
    stage: str
    scope: str
    noun: str
    schema_sha256: Sha256
    made_from: dict[str, Any]
    counts: StageCounts
    kept: FileRef
    rejected: FileRef
    rows_sha256: Sha256

    @property
    def ref(self) -> TableRef:
        """The table this is the record of."""
        return TableRef(stage=self.stage, scope=self.scope)

    def to_json(self) -> bytes:
        """The record as it is written."""
        return (
            json.dumps(self.model_dump(mode="json"), sort_keys=True, indent=2, ensure_ascii=False) + "\n"
        ).encode()


def parse_record(data: bytes) -> TableRecord | None:
    """The record in `data`, None when it is damaged or of another format."""
    try:
        record = TableRecord.model_validate_json(data)
        return record if record.format == FORMAT and record == with_paths(record) else None
    except (ValidationError, UnicodeEncodeError):
        return None


def with_paths(record: TableRecord) -> TableRecord:
    """`record` with the paths that follow from the rest of it."""
    rest = record.model_dump(mode="json", exclude={"kept": {"path"}, "rejected": {"path"}})
    name = f"{record.stage}/{record.ref.slug}/{sha256_text(canonical_json(rest))[:16]}.parquet"
    kept = record.kept.model_copy(update={"path": f"tables/{name}"})
    rejected = record.rejected.model_copy(update={"path": f"rejected/{name}"})
    return record.model_copy(update={"kept": kept, "rejected": rejected})


@cache
def schema_sha256(model: type[Noun]) -> str:
    """A hash of the columns of `model` and of Rejected.

    The minor version of pydantic belongs to it, because `rows_sha256` is over the JSON that pydantic writes.
    """
    columns = [*_columns(arrow_schema(model)), "rejected", *_columns(arrow_schema(Rejected))]
    return sha256_text("\n".join([*columns, f"pydantic {pydantic.VERSION.rpartition('.')[0]}"]))


def _columns(schema: pa.Schema) -> list[str]:
    return [f"{field.name}: {field.type}{'' if field.nullable else ' not null'}" for field in schema]
