"""Amendments: why a row of the previous release is gone or is another, as far as the laws of both releases tell.

Of each article, recital and annex only a hash of its words is held. What is not shown by the rows of the two releases,
such as a change of settings or an expert's decision, is not guessed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from claimrag.schemas.base import ActId, LawId, UnitId
from claimrag.schemas.release import ChangeReason
from claimrag.tasks.release.law_rows import CorpusRow
from claimrag.tasks.run.versions import expression_of

ROWS_AT_ONCE = 1_000
_TEXT_COLUMNS = ("act_id", "unit_id", "text")


class Why(NamedTuple):
    """A reason, None where it is not known, and the units that it is about, as the previous release names them."""

    reason: ChangeReason | None = None
    unit_ids: tuple[UnitId, ...] = ()


class Amendments:
    """The words of the laws in two releases: every version of the previous one, the newest ones of the new one."""

    def __init__(self) -> None:
        self._before: dict[UnitId, bytes] = {}
        self._after: dict[tuple[tuple[LawId, str], str], bytes] = {}
        self._acts: set[ActId] = set()
        self._expressions: set[tuple[LawId, str]] = set()

    def read(self, corpus: pq.ParquetFile) -> None:
        """Take in the `corpus` of the previous release."""
        if not set(_TEXT_COLUMNS) <= set(corpus.schema_arrow.names):
            return
        for batch in corpus.iter_batches(batch_size=ROWS_AT_ONCE, columns=list(_TEXT_COLUMNS)):
            self._before.update((row["unit_id"], _hash(row["text"])) for row in batch.to_pylist())

    def add(self, rows: Sequence[CorpusRow]) -> None:
        """Take in rows of the new `corpus`."""
        acts = {row.act_id for row in rows}
        self._acts |= acts
        self._expressions |= {expression_of(act_id) for act_id in acts}
        self._after.update(
            ((expression_of(row.act_id), _path(row.unit_id)), _hash(row.text))
            for row in rows
            if row.newest_version
        )

    def why_removed(self, row: Mapping[str, Any]) -> Why:
        """Why a row of the previous release is not in the new one."""
        if "act_id" not in row:
            return Why()
        if expression_of(row["act_id"]) not in self._expressions:
            return Why(ChangeReason.LAW_LEFT)
        amended = self._amended(row)
        if amended.reason is not None:
            return amended
        if self._acts.isdisjoint(row.get("versions") or [row["act_id"]]):
            return Why(ChangeReason.VERSION_LEFT)
        return Why(ChangeReason.LAW_UNCHANGED) if any(self._at_hand(row)) else Why()

    def why_changed(self, row: Mapping[str, Any]) -> Why:
        """Why a row has another content, where it held in the newest version before."""
        return self._amended(row) if row.get("in_force") else Why()

    def _amended(self, row: Mapping[str, Any]) -> Why:
        expression = expression_of(row["act_id"])
        units = dict.fromkeys(self._at_hand(row))
        now = {unit: self._after.get((expression, _path(unit))) for unit in units}
        others = tuple(unit for unit in units if now[unit] != self._before[unit])
        if not others:
            return Why()
        is_gone = all(now[unit] is None for unit in others)
        return Why(ChangeReason.GONE if is_gone else ChangeReason.AMENDED, others)

    def _at_hand(self, row: Mapping[str, Any]) -> Iterator[UnitId]:
        """The articles, recitals and annexes that hold the units which a question or claim rests on."""
        named = row["unit_ids"] if "versions" in row and "unit_ids" in row else ()
        for unit_id in named or [each["unit_id"] for each in row.get("evidence") or ()]:
            holder = str(unit_id)
            while holder not in self._before and "." in _path(UnitId(holder)):
                holder = holder.rpartition(".")[0]
            if holder in self._before:
                yield UnitId(holder)


def _path(unit_id: UnitId) -> str:
    return unit_id.partition("#")[2]


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
