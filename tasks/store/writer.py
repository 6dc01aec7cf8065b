"""TableWriter: writes one table batch by batch. The table does not exist until `finish` replaces its record.

Promises: a crash at any moment leaves the table as it was; files never change once they have their name, which
is a hash of what they hold. Memory is bounded by a row group.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Generic, TypeVar

from claimrag.schemas.base import Noun
from claimrag.schemas.canonical import canonical_json
from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.tasks.store.check import record_path
from claimrag.tasks.store.files import NewFile, cannot_write, write_atomically
from claimrag.tasks.store.record import FORMAT, FileRef, TableRecord, schema_sha256, with_paths
from claimrag.tasks.store.rows import RowsFile
from claimrag.tasks.store.tables import TableRef

T = TypeVar("T", bound=Noun)


class TableWriter(Generic[T]):
    """A table being written; comes from `Workspace.table_writer`. `counts` are those of the rows so far."""

    def __init__(
        self, filesystem: Any, root: str, ref: TableRef, model: type[T], made_from: Mapping[str, Any] | None
    ) -> None:
        self._fs, self._root, self._ref, self._model = filesystem, root, ref, model
        self._made_from = json.loads(canonical_json(dict(made_from or {})))
        self._folder = f"{ref.stage}/{ref.slug}"
        self._files: list[NewFile] = []
        self._writers: tuple[RowsFile[Any], ...] = ()
        self.counts = StageCounts.of(0, ())

    def start(self) -> None:
        """Open both files, without names; `discard` must follow a failure. StoreError as for every write."""
        with self._failure_named():
            self._kept = RowsFile(self._model, self._new_file("tables"))
            self._rejected = RowsFile(Rejected, self._new_file("rejected"))
            self._writers = (self._kept, self._rejected)

    def add(self, kept: Sequence[T] = (), rejected: Sequence[Rejected] = ()) -> None:
        """Add kept and rejected rows after those already added; StoreError for rows of another noun."""
        with self._failure_named():
            self._kept.add(kept)
            self._rejected.add(rejected)
        self.counts = self.counts + StageCounts.of(len(kept), rejected)

    def finish(self) -> TableRecord:
        """Name both files, then replace the record: from here on, readers see this table."""
        with self._failure_named():
            self._kept.close()
            self._rejected.close()
            record = self._record()
            for file, described in zip(self._files, (record.kept, record.rejected), strict=True):
                file.commit(f"{self._root}/{described.path}")
        write_atomically(self._fs, f"{self._root}/{record_path(self._ref)}", record.to_json())
        return record

    def discard(self) -> None:
        """Forget what was written without a name."""
        with ExitStack() as all_of_it:
            for writer in self._writers:
                all_of_it.callback(writer.abandon)
            for file in self._files:
                all_of_it.callback(file.discard)

    def _record(self) -> TableRecord:
        return with_paths(
            TableRecord(
                format=FORMAT,
                stage=self._ref.stage,
                scope=self._ref.scope,
                noun=self._model.__name__,
                schema_sha256=schema_sha256(self._model),
                made_from=self._made_from,
                counts=self.counts,
                kept=_described(self._files[0]),
                rejected=_described(self._files[1]),
                rows_sha256=self._kept.digest.hexdigest(),
            )
        )

    @contextmanager
    def _failure_named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise cannot_write(f"{self._root}/tables/{self._folder}", error) from error

    def _new_file(self, folder: str) -> NewFile:
        file = NewFile(self._fs, f"{self._root}/{folder}/{self._folder}")
        self._files.append(file)
        return file


def _described(file: NewFile) -> FileRef:
    return FileRef(path="", sha256=file.sha256, size=file.size)
