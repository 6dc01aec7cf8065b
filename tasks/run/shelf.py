"""Rows of a workspace by what they are called, for those who only look.

Promises: reads the one column that is searched, and of the rows those that are wanted; a table that cannot be read
is noted in `damaged`, once, and counts as holding nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.errors import StoreError
from claimrag.schemas.rejected import Rejected
from claimrag.schemas.rejection import RejectedRow
from claimrag.tasks.release.files import ReleaseStore
from claimrag.tasks.release.rows import data_path
from claimrag.tasks.run.at_hand import act_in, counted_once, tables_at_hand
from claimrag.tasks.run.step import Table
from claimrag.tasks.store import FileRef, TableRecord, Workspace
from claimrag.tasks.store.check import REMEDY
from claimrag.tasks.store.rows import select_rows

T = TypeVar("T", bound=Noun)
R = TypeVar("R")
_UNREADABLE = (pa.ArrowException, OSError, ValueError, LookupError, StoreError)


class Shelf:
    """A workspace as it stood when this was made."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.at_hand = tables_at_hand(workspace)
        self.damaged = list(self.at_hand.damaged)

    def ids(self, table: Table[Any], beginning: str) -> set[str]:
        """The ids of kept rows that begin so."""
        found: set[str] = set()
        for record in self.at_hand.of(table.stage):
            found |= self._beginning(record, record.kept, "id", beginning)
        return found

    def rejected_items(self, beginning: str) -> set[str]:
        """What rejected rows are about, where its name begins so."""
        found: set[str] = set()
        for record in counted_once(self.at_hand):
            if record.counts.rejected:
                found |= self._beginning(record, record.rejected, "item", beginning)
        return found

    def rows(
        self, table: Table[T], column: str, value: str, acts: Iterable[ActId] | None = None
    ) -> Iterator[tuple[TableRecord, T]]:
        """The kept rows whose `column` is `value`, with their table; of these acts alone where they are given."""
        chosen = None if acts is None else set(acts)
        for record in self.at_hand.of(table.stage):
            if chosen is None or act_in(record.scope) in chosen:
                for row in self._rows(record, table.noun, column, value):
                    yield record, row

    def all_rows(self, table: Table[T], *scope: str) -> list[T]:
        """Every kept row of one table; none where it is not there or cannot be read."""
        ref = table.of(*scope)
        if not any(record.ref == ref for record in self.at_hand.records):
            return []
        try:
            return self.workspace.read_table(ref, table.noun)
        except StoreError as error:
            self._note(str(error))
            return []

    def rejections(self, items: Iterable[str]) -> tuple[RejectedRow, ...]:
        """Every rejected row about one of these, in the order of the build."""
        wanted = sorted(set(items))
        found: list[RejectedRow] = []
        for record in counted_once(self.at_hand):
            if not record.counts.rejected or not wanted:
                continue
            nothing: list[Rejected] = []
            rows = self._opened(
                record, record.rejected, lambda file: select_rows(Rejected, file, "item", wanted), nothing
            )
            found += [RejectedRow.of(record.stage, record.scope, act_in(record.scope), row) for row in rows]
        return tuple(found)

    def releases(self, configuration: str, row_id: str) -> tuple[str, ...]:
        """The versions of the releases whose `configuration` has that row, the newest first."""
        store = ReleaseStore(self.workspace.fs, self.workspace.path("releases"))
        found: list[str] = []
        for version in store.versions():
            try:
                with store.opened(version, data_path(configuration)) as file:
                    if pc.any(pc.equal(_column(file, "id"), row_id)).as_py():
                        found.append(version)
            except StoreError:
                continue  # a folder without data is what a killed run left: no release
        return tuple(found)

    def _rows(self, record: TableRecord, model: type[T], column: str, value: str) -> list[T]:
        try:
            return self.workspace.read_rows(record.ref, model, column, [value])
        except StoreError as error:
            self._note(str(error))
            return []

    def _beginning(self, record: TableRecord, file: FileRef, column: str, beginning: str) -> set[str]:
        def read(opened: Any) -> set[str]:
            names = _column(opened, column)
            return set(names.filter(pc.starts_with(names, beginning)).to_pylist())

        return self._opened(record, file, read, set())

    def _opened(self, record: TableRecord, file: FileRef, read: Callable[[Any], R], nothing: R) -> R:
        path = self.workspace.path(file.path)
        try:
            with self.workspace.fs.open(path, "rb") as opened:
                return read(opened)
        except _UNREADABLE as error:
            what = "is not there" if isinstance(error, FileNotFoundError) else f"cannot be read: {error}"
            self._note(f"{path}, of the table {record.stage} of {record.scope}, {what}; {REMEDY}")
            return nothing

    def _note(self, sentence: str) -> None:
        if sentence not in self.damaged:
            self.damaged.append(sentence)


def _column(file: Any, name: str) -> pa.ChunkedArray:
    """Read in this thread: one that pyarrow leaves behind aborts the process when the command ends in an error."""
    return pq.ParquetFile(file).read(columns=[name], use_threads=False)[name]
