"""Rejected rows of a workspace, counted and read, by stage, reason and law.

Promises: counts are those of the tables' records, so that they add up with them; a table that cannot be read is
named, and the others are answered. Holds as many rows as were asked for, never all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from claimrag.schemas.errors import InputError, StoreError
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejection import RejectedCount, RejectedRow, Rejections
from claimrag.tasks.run.at_hand import AtHand, act_in, acts_called, counted_once, tables_at_hand
from claimrag.tasks.store import TableRecord, Workspace

COMMANDS = {
    "parse": "units",
    "segment": "context_units",
    "generate": "questions",
    "chunk": "chunks",
    "retrieve": "retrievals",
    "evaluate": "scored_answers",
}
"""The stage whose table a command makes, where people may name it by the command."""


def find_rejections(
    workspace: Workspace,
    stage: str | None = None,
    *,
    reason: str | None = None,
    law: str | None = None,
    limit: int | None = None,
) -> Rejections:
    """What was rejected; with `stage` also its rows, at most `limit` of them.

    Raises InputError for a stage, reason or law that is not there, naming those that are.
    """
    at_hand = tables_at_hand(workspace)
    chosen = counted_once(at_hand)
    if stage is not None:
        name = _stage(stage, at_hand)
        chosen = [record for record in at_hand.of(name) if record in chosen] or at_hand.of(name)
    if law is not None:
        acts = acts_called(workspace, at_hand, law)
        chosen = [record for record in chosen if act_in(record.scope) in acts]
    code = None if reason is None else _reason(reason, at_hand)
    damaged = list(at_hand.damaged)
    rows = () if stage is None else tuple(islice(_rows(workspace, chosen, code, damaged), limit))
    return Rejections(
        considered=_summed((record.stage, record.counts.considered) for record in chosen),
        kept=_summed((record.stage, record.counts.kept) for record in chosen),
        counts=tuple(_counts(chosen, code)),
        rows=rows,
        damaged=tuple(damaged),
    )


def _stage(word: str, at_hand: AtHand) -> str:
    wanted = word.strip().casefold().replace("-", "_").replace(" ", "_")
    there = list(dict.fromkeys(record.stage for record in at_hand.records))
    for name in (wanted, COMMANDS.get(wanted)):
        if name in there:
            return str(name)
    if not there:
        raise InputError("the workspace holds no table that can be read; run `claimrag build` on it first")
    raise InputError(f"the workspace holds no stage {word!r}; it holds: {', '.join(there)}")


def _reason(word: str, at_hand: AtHand) -> str:
    """The code; one that occurs in no table is refused, because nothing could be shown."""
    wanted = word.strip().casefold().replace("-", "_").replace(" ", "_")
    there = {code for record in at_hand.records for code in record.counts.rejected}
    if wanted in there:
        return wanted
    listed = f"reasons that occur: {', '.join(sorted(there))}" if there else "no row was rejected at all"
    if wanted in {reason.value for reason in Reason}:
        raise InputError(f"no row of the workspace was rejected as {wanted}; {listed}")
    raise InputError(f"there is no reason {word!r}; {listed}")


def _counts(records: Iterable[TableRecord], code: str | None) -> Iterator[RejectedCount]:
    """By stage in the order of the build, the most frequent reason first."""
    by_stage: dict[str, Counter[str]] = {}
    for record in records:
        by_stage.setdefault(record.stage, Counter()).update(record.counts.rejected)
    for stage, reasons in by_stage.items():
        for reason, number in sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0])):
            if code in (None, reason):
                yield RejectedCount.of(stage, reason, number)


def _rows(
    workspace: Workspace, records: Iterable[TableRecord], code: str | None, damaged: list[str]
) -> Iterator[RejectedRow]:
    for record in records:
        if code is not None and code not in record.counts.rejected:
            continue
        try:
            for rows in workspace.iter_rejected(record.ref):
                for row in rows:
                    if code in (None, row.reason.value):
                        yield RejectedRow.of(record.stage, record.scope, act_in(record.scope), row)
        except StoreError as error:
            damaged.append(str(error))


def _summed(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for stage, number in pairs:
        total[stage] += number
    return dict(total)
