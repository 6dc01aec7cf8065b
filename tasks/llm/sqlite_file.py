"""One SQLite file of ours: shared between processes, kept whole, and rescued when it is damaged.

Promises that a write is committed before it returns and that a process killed at any moment leaves the file
whole (WAL with synchronous=NORMAL: a power cut may lose the last writes). A damaged file is never a dead end and
never thrown away: the rows that can be read go into a new file, the old one stays beside it as `*.damaged`, and a
warning says so. Only a file that cannot be opened at all is a StoreError.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from claimrag.schemas.errors import StoreError
from claimrag.tasks.llm.sqlite_carve import Row, carve_rows

T = TypeVar("T")

BUSY_TIMEOUT_S = 30.0
_OPEN_ATTEMPTS = 100
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@dataclass(frozen=True)
class Layout:
    """What is in the file. `tables` are statements that may be run again; `columns` are `(table, column type)`
    added since the first version; `insert` gives the statement that keeps a rescued row, or None."""

    tables: Sequence[str]
    columns: Sequence[tuple[str, str]]
    insert: Callable[[Row], tuple[str, Row] | None]


class SqliteFile:
    """A connection to the file; safe to share between threads. Each process opens its own."""

    def __init__(self, path: Path, layout: Layout) -> None:
        """Open or create the file; raises StoreError where it cannot be read or written."""
        self.path = path
        self.warnings: list[str] = []
        self._layout = layout
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if self._rescued.exists():
                self._finish_a_rescue()
        except (OSError, sqlite3.Error) as error:
            raise self._store_error(error) from error
        self._connection = self._opened()

    def read(self, statement: str, *values: Any) -> list[Any]:
        """The rows of a query."""
        return self._guarded(lambda connection: connection.execute(statement, values).fetchall())

    def write(self, statement: str, *values: Any) -> int:
        """Run and commit one statement; gives how many rows it changed."""
        return self._guarded(lambda connection: connection.execute(statement, values).rowcount)

    def transaction(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` and commit all of it or nothing; it may be run twice when the file has to be rescued."""

        def all_or_nothing(connection: sqlite3.Connection) -> T:
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            return result

        return self._guarded(all_or_nothing)

    def close(self) -> None:
        """Close the file; it cannot be used afterwards."""
        with self._lock:
            self._connection.close()

    def _guarded(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            try:
                return work(self._connection)
            except sqlite3.Error as error:
                if not _is_damage(error):
                    raise self._store_error(error) from error
                self._connection.close()
                self._rescue()
                self._connection = self._opened()
            try:
                return work(self._connection)
            except sqlite3.Error as error:
                raise self._store_error(error) from error

    def _opened(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.Error as error:
            if not _is_damage(error):
                raise self._store_error(error) from error
        self._rescue()
        try:
            return self._connect()
        except sqlite3.Error as error:
            raise self._store_error(error) from error

    def _connect(self) -> sqlite3.Connection:
        connection = _connection(self.path)
        try:
            _prepare(connection, self._layout)
            self._inode = self.path.stat().st_ino
        except BaseException:
            connection.close()
            raise
        return connection

    @property
    def _rescued(self) -> Path:
        return self.path.with_name(self.path.name + ".rescued")

    def _rescue(self) -> None:
        """Move what can be read into a new file, unless another process has just done so."""
        opened = getattr(self, "_inode", None)
        try:
            with self._alone():
                if opened is not None and self.path.stat().st_ino != opened:
                    return
                kept = self._read_what_is_left()
                self._put_in_place(f"{kept} rows")
        except (OSError, sqlite3.Error) as error:
            raise self._store_error(error) from error

    def _finish_a_rescue(self) -> None:
        """Go on where a process was killed after everything had been read."""
        with self._alone():
            if self._rescued.exists():
                self._put_in_place("its rows")

    def _read_what_is_left(self) -> int:
        new = self.path.with_name(self.path.name + ".rescuing")
        new.unlink(missing_ok=True)
        kept = 0
        with closing(_connection(new)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
            _create(connection, self._layout)
            connection.execute("BEGIN")
            for row in carve_rows(self.path):
                found = self._layout.insert(row)
                if found is not None:
                    kept += connection.execute(*found).rowcount
            connection.execute("COMMIT")
        new.replace(self._rescued)
        return kept

    def _put_in_place(self, kept: str) -> None:
        """Old file and its log aside, new file in their place; done again from the start when interrupted."""
        aside = self.path.with_name(self.path.name + ".damaged")
        number = 1
        while aside.exists():
            number += 1
            aside = self.path.with_name(f"{self.path.name}.damaged-{number}")
        for side in ("", "-wal"):
            old = self.path.with_name(self.path.name + side)
            if old.exists():
                old.rename(aside.with_name(aside.name + side))
        self.path.with_name(self.path.name + "-shm").unlink(missing_ok=True)
        self._rescued.replace(self.path)
        self.warnings.append(
            f"{self.path} was damaged: {kept} could be read and are kept, the damaged file is {aside}. What could "
            "not be read will be asked for, and paid for, again"
        )

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Of several processes that find the damage, one at a time looks after it."""
        lock = _connection(self.path.with_name(self.path.name + ".lock"))
        with closing(lock):
            lock.execute("BEGIN EXCLUSIVE")
            yield

    def _store_error(self, error: Exception) -> StoreError:
        message = str(error)
        if "locked" in message or "busy" in message:
            remedy = f"another process has held it for {BUSY_TIMEOUT_S:.0f} s: wait for it or end it"
        else:
            remedy = "check that the folder exists, is writable and has free space"
        return StoreError(f"{self.path}: {message}. Remedy: {remedy}")


def _connection(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)


def _prepare(connection: sqlite3.Connection, layout: Layout) -> None:
    # Two processes that create the file at once: SQLite answers "locked" without waiting, so we wait.
    for attempt in range(1, _OPEN_ATTEMPTS + 1):
        try:
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            _create(connection, layout)
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or attempt == _OPEN_ATTEMPTS:
                raise
            time.sleep(0.02)


def _create(connection: sqlite3.Connection, layout: Layout) -> None:
    for statement in layout.tables:
        connection.execute(statement)
    for table, column in layout.columns:
        known = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        if column.split()[0] in known:
            continue
        try:
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
        except sqlite3.OperationalError as error:
            if "duplicate column" not in str(error):  # another process has just added it
                raise


def _is_damage(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED
