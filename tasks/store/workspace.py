"""Workspace: reads and writes the tables of one build.

    tables/<stage>/<scope>/<name>.parquet      kept rows      written once, never changed
    rejected/<stage>/<scope>/<name>.parquet    rejected rows  written once, never changed
    tables/<stage>/<scope>.json                the record: which of them is the table, counts, hashes

Promises: a crash leaves the old table or the new one, because the record is replaced last and in one step; what
is damaged, missing or of another version is no table, so that it is made again; nothing is read whole unless
`read_table` asks for it. It holds no opinion on whether a table is current: see tasks/run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, TypeVar

import pyarrow as pa

from claimrag.schemas.base import Noun
from claimrag.schemas.errors import StoreError
from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.tasks.store.check import REMEDY, examine, record_at, record_paths, stage_names
from claimrag.tasks.store.clean import Removed, find_removable
from claimrag.tasks.store.files import (
    make_folder,
    open_filesystem,
    read_bytes,
    remove_file,
    shown,
    write_atomically,
)
from claimrag.tasks.store.lock import WorkspaceLock
from claimrag.tasks.store.record import FileRef, TableRecord
from claimrag.tasks.store.rows import GROUP_ROWS, RowsHash, check_column, iter_rows, select_rows
from claimrag.tasks.store.tables import TableRef
from claimrag.tasks.store.writer import TableWriter

T = TypeVar("T", bound=Noun)


class Workspace:
    """One folder. Safe to share between threads: each table is written by one of them."""

    def __init__(self, address: str, filesystem: Any, root: str) -> None:
        self.address = address
        self.fs = filesystem
        self.root = root
        self._lock: WorkspaceLock | None = None
        self._read_before: set[str] = set()

    @classmethod
    def open(cls, address: str, *, create: bool = True) -> Workspace:
        """Open the folder at `address`; when it is not there, create it, or raise StoreError without `create`."""
        filesystem, root = open_filesystem(address)
        try:
            if create:
                make_folder(filesystem, root)
            elif not filesystem.isdir(root):
                raise StoreError(f"workspace {shown(address)} is not there; run `claimrag build` first")
        except OSError as error:
            raise StoreError(
                f"workspace {shown(address)} cannot be opened: {error}. Check permissions"
            ) from error
        return cls(address, filesystem, root)

    @property
    def shown(self) -> str:
        """The address as people may see it, without a user name and password."""
        return shown(self.address)

    def path(self, *parts: str) -> str:
        """A path inside the workspace, for its file system; parts with `..` are refused."""
        if any(piece == ".." for part in parts for piece in part.split("/")):
            raise StoreError(f"path leaves the workspace: {'/'.join(parts)}")
        return "/".join((self.root, *parts))

    @contextmanager
    def lock(self, purpose: str) -> Iterator[WorkspaceLock]:
        """Hold the workspace; `purpose` is the command, for others. WorkspaceBusyError when another run has it."""
        with WorkspaceLock(self.fs, self.root, self.address, purpose) as lock:
            self._lock = lock
            try:
                yield lock
            finally:
                self._lock = None

    # Writing.

    def write_table(
        self,
        ref: TableRef,
        model: type[T],
        kept: Sequence[T],
        rejected: Sequence[Rejected] = (),
        made_from: Mapping[str, Any] | None = None,
    ) -> StageCounts:
        """Write a table; `made_from` is any JSON that says what it was made from. Returns the counts."""
        with self.table_writer(ref, model, made_from) as writer:
            writer.add(kept, rejected)
        return writer.counts

    @contextmanager
    def table_writer(
        self, ref: TableRef, model: type[T], made_from: Mapping[str, Any] | None = None
    ) -> Iterator[TableWriter[T]]:
        """A writer that takes batches; the table is replaced when the `with` ends without an exception."""
        self._check_lock()
        writer = TableWriter(self.fs, self.root, ref, model, made_from)
        try:
            writer.start()
            yield writer
            self._check_lock()
            writer.finish()
        except BaseException:
            writer.discard()
            raise

    def write_json(self, value: Any, *parts: str) -> str:
        """Write sorted, indented JSON; returns the path."""
        return self.write_text(json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False) + "\n", *parts)

    def write_text(self, text: str, *parts: str) -> str:
        """Write UTF-8 text; returns the path."""
        self._check_lock()
        path = self.path(*parts)
        write_atomically(self.fs, path, text.encode())
        return path

    def clean(self, *, dry_run: bool = False) -> list[Removed]:
        """Remove what nothing points to, under the lock; with `dry_run` only say what would go."""
        if dry_run:
            return list(find_removable(self.fs, self.root))
        held = self._lock is not None and self._lock.is_held
        with nullcontext() if held else self.lock("claimrag clean"):
            found = list(find_removable(self.fs, self.root))
            for file in found:
                self._check_lock()
                remove_file(self.fs, self.path(file.path))
        return found

    # Reading.

    def record(self, ref: TableRef, model: type[Noun] | None = None) -> TableRecord | None:
        """What is known of a table; None when it cannot be read, or with `model` is not one of today's columns."""
        return examine(self.fs, self.root, ref, model)[0]

    def has_table(self, ref: TableRef) -> bool:
        """Whether the table is there, complete and sound."""
        return self.record(ref) is not None

    def tables(self, stage: str) -> list[TableRef]:
        """The sound tables of a stage, by scope."""
        found = (record_at(self.fs, self.root, path) for path in record_paths(self.fs, self.root, [stage]))
        refs = sorted((record.ref for record in found if record is not None), key=lambda ref: ref.scope)
        return [ref for ref in refs if self.has_table(ref)]

    def stages(self) -> list[str]:
        """The stages that have a sound table, by name."""
        return [stage for stage in stage_names(self.fs, self.root) if self.tables(stage)]

    def read_counts(self, ref: TableRef) -> StageCounts:
        """The counts as they were written; StoreError when the table cannot be read."""
        return self._sound(ref).counts

    def rows_sha256(self, ref: TableRef) -> str:
        """A hash of the kept rows: what a later table names as its input."""
        return self._sound(ref).rows_sha256

    def read_table(self, ref: TableRef, model: type[T]) -> list[T]:
        """Every kept row, in order; StoreError with the remedy when the table cannot be read."""
        return [row for rows in self.iter_table(ref, model) for row in rows]

    def iter_table(self, ref: TableRef, model: type[T], rows_at_once: int = GROUP_ROWS) -> Iterator[list[T]]:
        """The kept rows in lists of at most `rows_at_once`, in order; memory is bounded by a row group."""
        self._sound(ref, model)
        return self._iterate(ref, model, rows_at_once)

    def read_rows(self, ref: TableRef, model: type[T], column: str, values: Iterable[Any]) -> list[T]:
        """The kept rows whose `column` (a plain one) is one of `values`, in order, without the other groups."""
        check_column(model, column)
        with self._opened(ref, model, lambda record: record.kept) as (_, file):
            return select_rows(model, file, column, values)

    def read_rejected(self, ref: TableRef) -> list[Rejected]:
        """Every rejected row, in order."""
        return [row for rows in self.iter_rejected(ref) for row in rows]

    def iter_rejected(self, ref: TableRef, rows_at_once: int = GROUP_ROWS) -> Iterator[list[Rejected]]:
        """The rejected rows in lists of at most `rows_at_once`, in order."""
        self._sound(ref)
        return self._iterate_rejected(ref, rows_at_once)

    def read_json(self, *parts: str) -> Any:
        """Read a JSON file of the workspace; StoreError when it is not there or damaged."""
        path = self.path(*parts)
        try:
            return json.loads(read_bytes(self.fs, path))
        except ValueError as error:
            raise StoreError(
                f"{path} is damaged: {error}. Remove it and run `claimrag build` again"
            ) from error

    def _iterate(self, ref: TableRef, model: type[T], rows_at_once: int) -> Iterator[list[T]]:
        with self._opened(ref, model, lambda record: record.kept) as (record, file):
            digest = None if record.kept.path in self._read_before else RowsHash(model)
            for rows in iter_rows(model, file, rows_at_once):
                if digest is not None:
                    digest.update(rows)
                yield rows
            if digest is not None and digest.hexdigest() != record.rows_sha256:
                raise StoreError("it does not hold the rows that were written")
            self._read_before.add(record.kept.path)

    def _iterate_rejected(self, ref: TableRef, rows_at_once: int) -> Iterator[list[Rejected]]:
        with self._opened(ref, None, lambda record: record.rejected) as (_, file):
            yield from iter_rows(Rejected, file, rows_at_once)

    @contextmanager
    def _opened(
        self, ref: TableRef, model: type[Noun] | None, which: Callable[[TableRecord], FileRef]
    ) -> Iterator[tuple[TableRecord, Any]]:
        """The record and one of its files, open; damage inside the `with` becomes StoreError with the remedy."""
        record = self._sound(ref, model)
        try:
            file = self.fs.open(self.path(which(record).path), "rb")
        except FileNotFoundError:
            # Replaced and cleaned away since the record was read: the record now names another file.
            record = self._sound(ref, model)
            file = self.fs.open(self.path(which(record).path), "rb")
        try:
            yield record, file
        except (pa.ArrowException, OSError, ValueError, LookupError, OverflowError, StoreError) as error:
            path = self.path(which(record).path)
            raise StoreError(f"{path} cannot be read as a table of {ref.stage}: {error}; {REMEDY}") from error
        finally:
            file.close()

    def _sound(self, ref: TableRef, model: type[Noun] | None = None) -> TableRecord:
        record, wrong = examine(self.fs, self.root, ref, model)
        if record is None:
            raise StoreError(f"table {ref.stage} of {ref.scope} cannot be read: {wrong}; {REMEDY}")
        return record

    def _check_lock(self) -> None:
        if self._lock is not None:
            self._lock.check()
