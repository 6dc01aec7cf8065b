"""Rows of one noun in one Parquet file: written group by group, read group by group, hashed by content.

Promises: memory is bounded by a row group of 1,000 rows, whatever the table; the same rows give the same bytes
and the same hash, however they were cut into batches. It knows files, not records: what a file should hold is
checked by its caller.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Generic, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import BaseModel

from claimrag.schemas.arrow import PARQUET_OPTIONS, arrow_schema, from_table, to_table
from claimrag.schemas.base import Noun
from claimrag.schemas.errors import StoreError
from claimrag.tasks.store.files import NewFile

T = TypeVar("T", bound=Noun)

GROUP_ROWS = 1_000


class RowsHash(Generic[T]):
    """SHA-256 over one line of JSON per row, in order."""

    def __init__(self, model: type[T]) -> None:
        self._model = model
        self._hash = hashlib.sha256()

    def update(self, rows: Sequence[T]) -> None:
        """Add rows as they are read back: where Arrow changes how a value is written, they go through it."""
        if rows and _written_otherwise(self._model):
            rows = from_table(self._model, to_table(self._model, rows))
        for row in rows:
            self._hash.update(row.model_dump_json().encode() + b"\n")

    def hexdigest(self) -> str:
        """The hash so far."""
        return self._hash.hexdigest()


def rows_sha256(rows: Iterable[Noun]) -> str:
    """A hash of rows of one noun, in order; the one in a table's record. No row at all has a hash too."""
    listed = list(rows)
    digest: RowsHash[Noun] = RowsHash(type(listed[0]) if listed else Noun)
    digest.update(listed)
    return digest.hexdigest()


class RowsFile(Generic[T]):
    """A Parquet file of `model` rows being written to `file`; `close` writes the last group and the footer."""

    def __init__(self, model: type[T], file: NewFile) -> None:
        self._model = model
        self._waiting: list[T] = []
        self._file = file
        self._writer: Any = None
        self.digest = RowsHash(model)

    def add(self, rows: Iterable[T]) -> None:
        """Add rows; StoreError for a row of another model or one that its columns cannot hold."""
        self._waiting.extend(rows)
        while len(self._waiting) >= GROUP_ROWS:
            self._write(self._waiting[:GROUP_ROWS])
            del self._waiting[:GROUP_ROWS]

    def close(self) -> None:
        """Write what waits and end the file."""
        if self._waiting or self._writer is None:
            self._write(self._waiting)
            self._waiting = []
        self._writer.close()

    def abandon(self) -> None:
        """End the writer when its file was discarded, so that it does not complain when it is collected."""
        with suppress(pa.ArrowException, OSError):
            if self._writer is not None:
                self._writer.close()

    def _write(self, rows: list[T]) -> None:
        table = to_table(self._model, rows)
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._file, arrow_schema(self._model), **PARQUET_OPTIONS)
        try:
            if rows:
                self._writer.write_table(table, row_group_size=GROUP_ROWS)
        except pa.ArrowInvalid as error:
            raise StoreError(
                f"rows of {self._model.__name__} cannot be written as Parquet: {error}"
            ) from error
        self.digest.update(rows)


def iter_rows(model: type[T], file: Any, rows_at_once: int) -> Iterator[list[T]]:
    """The rows of an open Parquet file in lists of at most `rows_at_once`, in order.

    Raises what pyarrow raises for a damaged file, and StoreError for rows that are not of `model`.
    """
    for batch in pq.ParquetFile(file).iter_batches(batch_size=rows_at_once):
        yield from_table(model, pa.Table.from_batches([batch]))


def select_rows(model: type[T], file: Any, column: str, values: Iterable[Any]) -> list[T]:
    """The rows whose plain `column` is one of `values`, in order.

    Groups whose smallest and largest value exclude them all are not read; of the others, first that column.
    """
    wanted = pa.array(sorted(set(values)), type=arrow_schema(model).field(column).type)
    parquet = pq.ParquetFile(file)
    found: list[T] = []
    for group in range(parquet.num_row_groups) if len(wanted) else ():
        if not _may_hold(parquet.metadata.row_group(group), column, wanted):
            continue
        hits = pc.is_in(parquet.read_row_group(group, columns=[column])[column], value_set=wanted)
        if pc.any(hits).as_py():
            found.extend(from_table(model, parquet.read_row_group(group).filter(hits)))
    return found


def check_column(model: type[Noun], column: str) -> None:
    """Raise StoreError unless `model` has that column and it holds single values."""
    schema = arrow_schema(model)
    if column not in schema.names or pa.types.is_nested(schema.field(column).type):
        raise StoreError(f"{model.__name__} has no column {column!r} of single values to choose rows by")


def _may_hold(group: Any, column: str, wanted: pa.Array) -> bool:
    for number in range(group.num_columns):
        chunk = group.column(number)
        if chunk.path_in_schema == column and chunk.is_stats_set and chunk.statistics.has_min_max:
            low, high = chunk.statistics.min, chunk.statistics.max
            return any(low <= value <= high for value in wanted.to_pylist())
    return True


@cache
def _written_otherwise(model: type[BaseModel]) -> bool:
    """Whether reading a row back may change its JSON: dicts are sorted and times turned to UTC on the way."""
    return any(
        isinstance(kind, pa.TimestampType) or _is_pairs(kind)
        for field in arrow_schema(model)
        for kind in _kinds(field.type)
    )


def _kinds(kind: pa.DataType) -> Iterator[pa.DataType]:
    yield kind
    for number in range(kind.num_fields):
        yield from _kinds(kind.field(number).type)


def _is_pairs(kind: pa.DataType) -> bool:
    return pa.types.is_struct(kind) and {kind.field(n).name for n in range(kind.num_fields)} == {
        "key",
        "value",
    }
