"""Rules for scored answers against what was retrieved: as many columns as chunks were shown, and metrics recomputed.

The chunks of a question may lie in any group, so that these rules are judged once all have been seen. Of each
answer only the ids of its chunks, the place of its evidence and a few numbers are kept until then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import NamedTuple, cast

from claimrag.schemas.base import ActId, ChunkId, RunId, UnitId
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.run import Retrieval, Run, ScoredAnswer, ScoreStatus
from claimrag.tasks.evaluate.retrieval_metrics import RETRIEVAL_METRICS, retrieval_scores
from claimrag.tasks.validate.lookup import Lookup
from claimrag.tasks.validate.rule import Later, Rule
from claimrag.tasks.validate.seen import ChunkPlace, Seen

TOLERANCE = 1e-6
NAMES = tuple(metric.name for metric in RETRIEVAL_METRICS)


class _Shown(NamedTuple):
    run_id: RunId
    chunk_ids: tuple[ChunkId, ...]
    status: ScoreStatus
    widths: tuple[int, ...]


class _Found(NamedTuple):
    chunk_ids: tuple[ChunkId, ...]
    act_id: ActId
    evidence: tuple[tuple[UnitId, int, int], ...]
    metrics: tuple[float | None, ...]


def _chunk_ids(row: ScoredAnswer, group: Lookup) -> tuple[ChunkId, ...]:
    return tuple(one.chunk_id for one in group.retrieved.get((row.run_id, row.question_id), ()))


def _shown(row: ScoredAnswer, group: Lookup) -> Later | None:
    if row.status in (ScoreStatus.NO_ANSWER_CLAIMS, ScoreStatus.NOT_SAMPLED):
        return None
    widths = tuple(sorted({len(line) for line in (*row.retrieved2response, *row.retrieved2answer)}))
    return Later(_Shown(row.run_id, _chunk_ids(row, group), row.status, widths))


def _columns_are_the_shown_chunks(fact: _Shown, seen: Seen) -> bool | None:
    chunks = _places(fact.chunk_ids, seen)
    run = seen.runs.get(fact.run_id)
    if chunks is None or run is None:
        return None
    shown = _fitting(chunks, run)
    if fact.status is ScoreStatus.OK:
        return fact.widths == (shown,) and shown > 0
    return (shown == 0) is (fact.status is ScoreStatus.NO_CHUNKS)


def _fitting(chunks: Sequence[ChunkPlace], run: Run) -> int:
    """How many chunks a prompt has room for, best first; one that is too long is passed over."""
    room, shown = run.system.context_tokens - run.system.reserved_tokens, 0
    for chunk in chunks:
        if chunk.tokens <= room:
            room -= chunk.tokens
            shown += 1
    return shown


def _found(row: ScoredAnswer, group: Lookup) -> Later | None:
    occurrence = group.occurrences.get(row.question_id, {}).get(row.act_id)
    if occurrence is None:
        return None
    evidence = tuple((one.unit_id, one.start, one.end) for one in occurrence.evidence)
    values = tuple(getattr(row, name) for name in NAMES)
    return Later(_Found(_chunk_ids(row, group), row.act_id, evidence, values))


def _metrics_follow_from_chunks(fact: _Found, seen: Seen) -> bool | None:
    chunks = _places(fact.chunk_ids, seen)
    if chunks is None:
        return None
    evidence = [
        SimpleNamespace(unit_id=unit_id, start=start, end=end) for unit_id, start, end in fact.evidence
    ]
    occurrence = cast(Occurrence, SimpleNamespace(act_id=fact.act_id, evidence=evidence))
    expected = retrieval_scores(occurrence, cast(Sequence[Chunk], chunks))
    return all(is_close(expected[name], value) for name, value in zip(NAMES, fact.metrics, strict=True))


def _places(chunk_ids: Sequence[ChunkId], seen: Seen) -> list[ChunkPlace] | None:
    """None where one is not known: that is another rule's."""
    chunks = [seen.chunks.get(chunk_id) for chunk_id in chunk_ids]
    known = [chunk for chunk in chunks if chunk is not None]
    return known if len(known) == len(chunks) else None


def is_close(one: float | None, other: float | None) -> bool:
    """Whether two metrics are the same, apart from rounding; one that is not defined equals no number."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, abs_tol=TOLERANCE)


SHOWN_RULES = (
    Rule(
        "columns_are_shown_chunks",
        "The verdict matrices have one column per chunk that the prompt had room for; without any, its status says so",
        _shown,
        needs=(Run, Retrieval),
        late_check=_columns_are_the_shown_chunks,
    ),
    Rule(
        "metrics_follow_from_chunks",
        "Every retrieval metric is what the retrieved chunks and the evidence give",
        _found,
        needs=(Retrieval, Occurrence),
        late_check=_metrics_follow_from_chunks,
    ),
)
