"""Changes: the rows of a release compared with those of the previous one, by key and by content.

The previous release is read from its Parquet files before the new rows come, so that a column that is gone or has
another type is noticed even though today's schema no longer knows it. Of each row only two hashes are held, and the
key of one that is new; the rows that are gone or others are read again at the end, to say why.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq

from claimrag.schemas.arrow import arrow_schema, to_table
from claimrag.schemas.base import Noun
from claimrag.schemas.release import ChangeKind
from claimrag.tasks.release.amendments import ROWS_AT_ONCE, Amendments, Why
from claimrag.tasks.release.history_rows import ChangeRow, RejectionRow
from claimrag.tasks.release.law_rows import ClaimRow, ContextUnitRow, CorpusRow, QaRow
from claimrag.tasks.release.rows import COMPARED, REQUIRED, data_path
from claimrag.tasks.release.system_rows import AnswerRow, ChunkRow, RunRow
from claimrag.tasks.release.version import Changes, ConfigurationChanges

KEYS: dict[type[Noun], tuple[str, ...]] = {
    QaRow: ("id",),
    ClaimRow: ("id",),
    CorpusRow: ("act_id", "unit_id"),
    ContextUnitRow: ("act_id", "id"),
    RunRow: ("id",),
    AnswerRow: ("run_id", "question_id"),
    ChunkRow: ("id",),
    RejectionRow: ("id",),
}
"""The columns that name a row, by configuration."""
_SHOW_WHY = ("act_id", "versions", "in_force", "unit_ids", "evidence")
"""The columns that tell why a row is gone or is another, where a configuration has them."""
_HASH_BYTES = 16

OpenFile = Callable[[str], AbstractContextManager[Any] | None]


class RowComparison:
    """The rows of one configuration against the earlier ones; `add` takes the new rows, in any order."""

    def __init__(self, name: str, earlier: Any | None) -> None:
        """`earlier` is the open Parquet file of the previous release; None where it has none."""
        self._model = COMPARED[name]
        self._key = KEYS[self._model]
        schema = arrow_schema(self._model)
        self.new_columns: list[str] = []
        self.breaking: list[str] = []
        self._shared = list(schema.names)
        self._earlier: dict[bytes, bytes] = {}
        self._name = name
        self._held_rows = False
        self.read = earlier is not None
        self._removed_unmatched = 0
        self._added: list[tuple[str, ...]] = []
        self._changed: set[bytes] = set()
        if earlier is not None:
            file = pq.ParquetFile(earlier)
            self._held_rows = file.metadata.num_rows > 0
            self._compare_columns(name, file.schema_arrow, schema)
            self._read(file)

    def _compare_columns(self, name: str, before: pa.Schema, after: pa.Schema) -> None:
        self._shared = [column for column in after.names if column in before.names]
        self.new_columns = [f"{name}.{column}" for column in after.names if column not in before.names]
        for column in before.names:
            if column not in after.names:
                self.breaking.append(f"column {name}.{column} is gone")
            elif before.field(column).type != after.field(column).type:
                self.breaking.append(
                    f"column {name}.{column} was {before.field(column).type}, is {after.field(column).type}"
                )

    def _read(self, file: pq.ParquetFile) -> None:
        if not set(self._key) <= set(self._shared):
            self._removed_unmatched = file.metadata.num_rows
            return
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=self._shared):
            self._earlier.update(self._hashes(batch.to_pylist()))

    def add(self, rows: Sequence[Noun]) -> None:
        """Compare rows of the new release."""
        self._held_rows = self._held_rows and not rows
        table = to_table(self._model, rows).select(self._shared)
        for row, (key, content) in zip(rows, self._hashes(table.to_pylist()), strict=True):
            before = self._earlier.pop(key, None)
            if before is None:
                self._added.append(tuple(getattr(row, name) for name in self._key))
            elif before != content:
                self._changed.add(key)

    def result(self) -> ConfigurationChanges:
        """What differs, once every row was added."""
        if self._held_rows:
            self.breaking.append(f"configuration {self._name} is gone")
        removed = len(self._earlier) + self._removed_unmatched
        return ConfigurationChanges(added=len(self._added), removed=removed, changed=len(self._changed))

    def rows(self, earlier: Any | None, amendments: Amendments) -> Iterator[ChangeRow]:
        """Each row that differs, once every row was added: those that are new, then the others, in their files' order.

        `earlier` is as for the constructor, open again.
        """
        for key in self._added:
            yield self._row(ChangeKind.ADDED, key, Why())
        if earlier is None or not (self._earlier or self._changed):
            return
        file = pq.ParquetFile(earlier)
        names = [name for name in file.schema_arrow.names if name in (*self._key, *_SHOW_WHY)]
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=names):
            for row in batch.to_pylist():
                key_hash = self._key_hash(row)
                if key_hash in self._earlier:
                    yield self._row(ChangeKind.REMOVED, self._key_of(row), amendments.why_removed(row))
                elif key_hash in self._changed:
                    yield self._row(ChangeKind.CHANGED, self._key_of(row), amendments.why_changed(row))

    def _row(self, kind: ChangeKind, key: tuple[str, ...], why: Why) -> ChangeRow:
        return ChangeRow(
            configuration=self._name, kind=kind, key=key, reason=why.reason, unit_ids=why.unit_ids
        )

    def _key_of(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(row[name] for name in self._key)

    def _key_hash(self, row: Mapping[str, Any]) -> bytes:
        return _hash([row.get(name) for name in self._key])

    def _hashes(self, rows: Iterable[Mapping[str, Any]]) -> Iterable[tuple[bytes, bytes]]:
        for row in rows:
            yield (
                self._key_hash(row),
                _hash([row[name] for name in self._shared]),
            )


class Comparison:
    """Every configuration against the previous release."""

    def __init__(self, open_earlier: OpenFile) -> None:
        """`open_earlier` opens a file of the previous release by its path, or gives None where it is not there.

        Raises what pyarrow raises for a damaged file.
        """
        self._open = open_earlier
        self._amendments = Amendments()
        self._rows: dict[str, RowComparison] = {}
        for name, model in COMPARED.items():
            with self._opened(name) as file:
                self._rows[name] = RowComparison(name, file)
                if file is not None and model is CorpusRow:
                    self._amendments.read(pq.ParquetFile(file))

    def add(self, name: str, rows: Sequence[Noun]) -> None:
        """Compare rows of a configuration."""
        self._rows[name].add(rows)
        if COMPARED[name] is CorpusRow:
            self._amendments.add(cast(Sequence[CorpusRow], rows))

    def result(self) -> Changes:
        """What differs, once every row was added."""
        results = {name: one.result() for name, one in self._rows.items()}
        configurations = {
            name: one for name, one in results.items() if name in REQUIRED or one.any or self._rows[name].read
        }
        return Changes(
            configurations=configurations,
            new_columns=tuple(column for one in self._rows.values() for column in one.new_columns),
            breaking=tuple(sentence for one in self._rows.values() for sentence in one.breaking),
        )

    def rows(self) -> Iterator[ChangeRow]:
        """Each row that differs, by configuration, once every row was added; some rows are held at a time."""
        for name, one in self._rows.items():
            with self._opened(name) as file:
                yield from one.rows(file, self._amendments)

    def _opened(self, name: str) -> AbstractContextManager[Any]:
        """A file of the previous release, or None inside the `with` where it has none."""
        return self._open(data_path(name)) or nullcontext()


def _hash(values: list[Any]) -> bytes:
    return hashlib.blake2b(repr(values).encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()
