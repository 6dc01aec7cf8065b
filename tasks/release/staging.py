"""Staging: the data files of a release, written row by row before it is known which release they are.

Promises: memory is bounded by one law and a row group; the figures, the hashes and the comparison with the previous
release are computed as the rows pass; a file gets its name only from the caller, and what got none is removed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from claimrag.schemas.act import Act
from claimrag.schemas.arrow import arrow_schema
from claimrag.schemas.base import Noun
from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.schemas.errors import StoreError
from claimrag.schemas.rejected import StageCounts
from claimrag.schemas.run import Run
from claimrag.tasks.release.changes import Comparison
from claimrag.tasks.release.evaluation import answer_rows, run_row
from claimrag.tasks.release.figures import Figures
from claimrag.tasks.release.files import ReleaseStore
from claimrag.tasks.release.law import (
    REMEDY,
    context_rows,
    corpus_rows,
    item_rows,
    left_out,
    read_law,
    versions_by_law,
)
from claimrag.tasks.release.rejections import rejection_rows
from claimrag.tasks.release.rows import CHANGES, COMPARED, CONFIGURATIONS, OPTIONAL, columns, data_path
from claimrag.tasks.release.source import ReleaseSource
from claimrag.tasks.release.system_rows import ChunkRow
from claimrag.tasks.release.version import Changes
from claimrag.tasks.store.files import NewFile
from claimrag.tasks.store.rows import RowsFile

T = TypeVar("T")
_ITEMS_AT_ONCE = 500


@dataclass(frozen=True)
class Staged:
    """What a release holds. `files` are by path in its folder, complete and without a name.

    `digests` are the hashes of the rows, by configuration; `changes` is None where nothing was compared.
    """

    acts: tuple[Act, ...]
    runs: tuple[Run, ...]
    counts: Mapping[str, StageCounts]
    files: dict[str, NewFile]
    digests: dict[str, str]
    figures: Figures
    changes: Changes | None


@contextmanager
def staged(source: ReleaseSource, store: ReleaseStore, comparison: Comparison | None) -> Iterator[Staged]:
    """Write the rows of `source`; files that were not named inside the `with` are removed at its end.

    Raises StoreError for rows that do not fit together and for what cannot be written.
    """
    acts = tuple(source.acts)
    writer = _Writer(store, comparison)
    try:
        for versions in versions_by_law(acts):
            writer.add_law(source, versions)
        yield writer.finish(acts, source)
    finally:
        writer.discard()


class _Writer:
    def __init__(self, store: ReleaseStore, comparison: Comparison | None) -> None:
        self._store = store
        self._comparison = comparison
        self._figures = Figures()
        self._files: dict[str, NewFile] = {}
        self._rows: dict[str, RowsFile[Any]] = {}
        try:
            with store.writing():
                for name, model in CONFIGURATIONS.items():
                    self._files[name] = store.new_file()
                    self._rows[name] = RowsFile(model, self._files[name])
        except BaseException:
            self.discard()
            raise

    def add_law(self, source: ReleaseSource, versions: tuple[Act, ...]) -> None:
        """Write everything of a law in one language, the newest version first."""
        law = read_law(source, versions)
        self._figures.left_out += left_out(law)
        for act in versions:
            newest = act is versions[0]
            for batch in _batches(item_rows(law, act, source)):
                for question, claims in batch:
                    self._figures.add(question, claims)
                self._add("qa", [question for question, _ in batch])
                self._add("claims", [claim for _, claims in batch for claim in claims])
            self._add("corpus", corpus_rows(act, source, newest_version=newest))
            self._add("context_units", context_rows(act, source, newest_version=newest))
            if newest:
                self._add_evaluation(source, act)
            for rejected in _batches(rejection_rows(source, act)):
                self._figures.add_rejected(rejected)
                self._add("rejected", rejected)

    def _add_evaluation(self, source: ReleaseSource, act: Act) -> None:
        """Write what the systems were given and answered for the newest version of a law."""
        for chunks in _batches(
            sorted(source.chunks(act.id), key=lambda chunk: (chunk.chunker, chunk.order, chunk.part))
        ):
            self._add("chunks", [ChunkRow(**columns(ChunkRow, chunk)) for chunk in chunks])
        for answers in _batches(answer_rows(source, act)):
            self._add("answers", answers)

    def _add(self, name: str, rows: Sequence[Noun]) -> None:
        self._write(name, rows)
        if self._comparison is not None:
            self._comparison.add(name, rows)

    def _write(self, name: str, rows: Sequence[Noun]) -> None:
        self._figures.rows[name] += len(rows)
        with self._store.writing():
            self._rows[name].add(rows)

    def finish(self, acts: tuple[Act, ...], source: ReleaseSource) -> Staged:
        """End the files, without those that have no row and need none; StoreError where counts do not add up."""
        self._check_rejected(source.counts)
        self._add("runs", [run_row(run) for run in sorted(source.runs, key=lambda run: run.id)])
        for changes in _batches(() if self._comparison is None else self._comparison.rows()):
            self._figures.add_changes(changes)
            self._write(CHANGES, changes)
        for name in (*OPTIONAL, CHANGES):
            if not self._figures.rows[name]:
                del self._figures.rows[name]
                self._rows.pop(name).abandon()
                self._files.pop(name).discard()
        self._figures.rows = Counter(
            {name: self._figures.rows[name] for name in CONFIGURATIONS if name in self._rows}
        )
        with self._store.writing():
            for rows in self._rows.values():
                rows.close()
        return Staged(
            acts=acts,
            runs=tuple(source.runs),
            counts=dict(source.counts),
            files={data_path(name): file for name, file in self._files.items()},
            digests={name: rows.digest.hexdigest() for name, rows in self._rows.items()},
            figures=self._figures,
            changes=None if self._comparison is None else self._comparison.result(),
        )

    def _check_rejected(self, counts: Mapping[str, StageCounts]) -> None:
        """The card states the counts; the rows stand beside it."""
        for stage, one in counts.items():
            found = {
                reason: number
                for (of, reason), number in sorted(self._figures.rejected.items())
                if of == stage
            }
            if found != one.rejected:
                raise StoreError(f"the rejected rows of {stage} are not as many as its counts say; {REMEDY}")

    def discard(self) -> None:
        """Forget what has no name."""
        with self._store.writing(), ExitStack() as each_of_them:
            for file in self._files.values():
                each_of_them.callback(file.discard)
            for rows in self._rows.values():
                each_of_them.callback(rows.abandon)


def content_sha256(rows: Staged) -> str:
    """A hash of what the release says: rows, columns, acts, scores, counts, and what was left out.

    Not in it: the version, what changed since the previous one, the lineage, and when an act was fetched, since none
    of them changes the data; and Parquet's bytes, which a new version of its library may change.
    """
    acts = [act.model_dump(mode="json", exclude={"retrieved_at"}) for act in rows.acts]
    facts = {
        "rows": {name: digest for name, digest in rows.digests.items() if name in COMPARED},
        "columns": {
            name: str(arrow_schema(model)) for name, model in COMPARED.items() if name in rows.digests
        },
        "acts": sorted(acts, key=_id),
        "runs": sorted((run.model_dump(mode="json") for run in rows.runs), key=_id),
        "counts": {stage: counts.model_dump(mode="json") for stage, counts in rows.counts.items()},
        "left_out": vars(rows.figures.left_out),
    }
    return sha256_text(canonical_json(facts))


def _id(row: dict[str, Any]) -> str:
    return str(row["id"])


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    remaining = iter(items)
    while batch := list(islice(remaining, _ITEMS_AT_ONCE)):
        yield batch
