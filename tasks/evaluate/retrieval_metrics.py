"""Retrieval metrics of one question: by unit of the law, and by character at a fixed budget.

A chunk is relevant when its body touches a unit that the question's evidence lies in; what a chunk cites or
is prefixed with never counts. Overlapping spans are merged first, so that no character counts twice.
Character metrics look at the first `CHARACTER_BUDGET` retrieved characters, so that systems with short and
with long chunks are compared over equal amounts of text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from claimrag.schemas.base import UnitId
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.question import Evidence, Question

CHARACTER_BUDGET = 8_000

Span = tuple[int, int]


@dataclass(frozen=True)
class RetrievalScores:
    """Fractions 0..1; None where the question has no evidence, or nothing was retrieved (precision)."""

    unit_recall: float | None
    unit_mrr: float | None
    character_recall: float | None
    character_precision: float | None


def retrieval_scores(
    question: Question, retrieved: Sequence[Chunk], *, budget: int = CHARACTER_BUDGET
) -> RetrievalScores:
    """Score the retrieved chunks, best first, against the question's evidence."""
    if not question.evidence:
        return RetrievalScores(None, None, None, None)
    units = sorted({evidence.unit_id for evidence in question.evidence})
    found = [unit for unit in units if any(_touches(chunk, unit, question) for chunk in retrieved)]
    wanted = merge_spans((evidence.start, evidence.end) for evidence in question.evidence)
    taken, spent = _spans_within(retrieved, question, budget)
    covered = overlap(wanted, taken)
    return RetrievalScores(
        unit_recall=len(found) / len(units),
        unit_mrr=_reciprocal_rank(retrieved, question),
        character_recall=covered / length(wanted),
        character_precision=covered / spent if spent else None,
    )


def holds_evidence(chunk: Chunk, question: Question) -> bool:
    """Whether the chunk's body overlaps a quotation that supports the answer."""
    return chunk.act_id == question.act_id and any(
        _overlap(chunk, evidence) for evidence in question.evidence
    )


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """The same characters as disjoint spans, in order."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def overlap(one: Sequence[Span], other: Sequence[Span]) -> int:
    """How many characters two lists of disjoint spans share."""
    return sum(max(0, min(a_end, b_end) - max(a, b)) for a, a_end in one for b, b_end in other)


def length(spans: Iterable[Span]) -> int:
    """How many characters disjoint spans hold."""
    return sum(end - start for start, end in spans)


def _touches(chunk: Chunk, unit: UnitId, question: Question) -> bool:
    """A chunk lists articles, recitals and annexes; evidence may lie in a paragraph or point of one.

    Evidence outside of them (in a citation, a final formula) is found by its characters.
    """
    if chunk.act_id != question.act_id:
        return False
    if any(unit == listed or unit.startswith(f"{listed}.") for listed in chunk.unit_ids):
        return True
    return any(_overlap(chunk, evidence) for evidence in question.evidence if evidence.unit_id == unit)


def _overlap(chunk: Chunk, evidence: Evidence) -> bool:
    return chunk.start < evidence.end and evidence.start < chunk.end


def _reciprocal_rank(retrieved: Sequence[Chunk], question: Question) -> float:
    units = {evidence.unit_id for evidence in question.evidence}
    for rank, chunk in enumerate(retrieved, start=1):
        if any(_touches(chunk, unit, question) for unit in units):
            return 1 / rank
    return 0.0


def _spans_within(retrieved: Sequence[Chunk], question: Question, budget: int) -> tuple[list[Span], int]:
    """The merged spans in the question's act among the first `budget` characters; and how many were taken.

    Characters retrieved twice are spent once: overlapping chunks of one act are merged before counting.
    """
    spans: dict[str, list[Span]] = {}
    spent = 0
    for chunk in retrieved:
        before = spans.get(chunk.act_id, [])
        for start, end in _without(before, (chunk.start, chunk.end)):
            kept = min(end - start, budget - spent)
            if kept <= 0:
                return spans.get(question.act_id, []), spent
            spans[chunk.act_id] = merge_spans([*spans.get(chunk.act_id, []), (start, start + kept)])
            spent += kept
    return spans.get(question.act_id, []), spent


def _without(merged: Sequence[Span], span: Span) -> list[Span]:
    """The parts of `span` that none of the disjoint, ordered `merged` spans covers."""
    parts, position = [], span[0]
    for start, end in merged:
        if end <= position or start >= span[1]:
            continue
        if start > position:
            parts.append((position, start))
        position = end
    if position < span[1]:
        parts.append((position, span[1]))
    return parts
