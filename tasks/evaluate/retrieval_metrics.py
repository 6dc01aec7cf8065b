"""Retrieval metrics of one question: by unit of the law, and by character at a fixed budget.

A chunk is relevant when its body touches a unit that the question's evidence lies in; what a chunk cites or
is prefixed with never counts. Overlapping spans are merged first, so that no character counts twice.
Character metrics look at the first `CHARACTER_BUDGET` retrieved characters, so that systems with short and
with long chunks are compared over equal amounts of text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from claimrag.schemas.base import UnitId
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.occurrence import Evidence, Occurrence
from claimrag.tasks.evaluate.metric import Metric

CHARACTER_BUDGET = 8_000

Span = tuple[int, int]


@dataclass(frozen=True)
class Retrieved:
    """What was retrieved for one question, best first, and the occurrence that it is held against."""

    occurrence: Occurrence
    chunks: Sequence[Chunk]
    budget: int = CHARACTER_BUDGET

    @cached_property
    def units(self) -> list[UnitId]:
        """The units that the evidence lies in."""
        return sorted({evidence.unit_id for evidence in self.occurrence.evidence})

    @cached_property
    def wanted(self) -> list[Span]:
        """The characters of the evidence."""
        return merge_spans((evidence.start, evidence.end) for evidence in self.occurrence.evidence)

    @cached_property
    def taken(self) -> tuple[list[Span], int]:
        """The characters of the act within the budget, and how many characters of any act were taken."""
        return _spans_within(self.chunks, self.occurrence, self.budget)


def retrieval_scores(
    occurrence: Occurrence, retrieved: Sequence[Chunk], *, budget: int = CHARACTER_BUDGET
) -> dict[str, float | None]:
    """Every retrieval metric by name, for chunks best first.

    Fractions 0..1; None where the occurrence has no evidence, or nothing was retrieved (precision).
    """
    known = Retrieved(occurrence, retrieved, budget)
    return {metric.name: metric.value(known) if occurrence.evidence else None for metric in RETRIEVAL_METRICS}


def holds_evidence(chunk: Chunk, occurrence: Occurrence) -> bool:
    """Whether the chunk's body overlaps a quotation that supports the answer."""
    return chunk.act_id == occurrence.act_id and any(
        _overlap(chunk, evidence) for evidence in occurrence.evidence
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


def _touches(chunk: Chunk, unit: UnitId, occurrence: Occurrence) -> bool:
    """A chunk lists articles, recitals and annexes; evidence may lie in a paragraph or point of one.

    Evidence outside of them (in a citation, a final formula) is found by its characters.
    """
    if chunk.act_id != occurrence.act_id:
        return False
    if any(unit == listed or unit.startswith(f"{listed}.") for listed in chunk.unit_ids):
        return True
    return any(_overlap(chunk, evidence) for evidence in occurrence.evidence if evidence.unit_id == unit)


def _overlap(chunk: Chunk, evidence: Evidence) -> bool:
    return chunk.start < evidence.end and evidence.start < chunk.end


def _unit_recall(known: Retrieved) -> float:
    held = [
        unit for unit in known.units if any(_touches(chunk, unit, known.occurrence) for chunk in known.chunks)
    ]
    return len(held) / len(known.units)


def _unit_mrr(known: Retrieved) -> float:
    for rank, chunk in enumerate(known.chunks, start=1):
        if any(_touches(chunk, unit, known.occurrence) for unit in known.units):
            return 1 / rank
    return 0.0


def _character_recall(known: Retrieved) -> float:
    spans, _ = known.taken
    return overlap(known.wanted, spans) / length(known.wanted)


def _character_precision(known: Retrieved) -> float | None:
    spans, spent = known.taken
    return overlap(known.wanted, spans) / spent if spent else None


def _spans_within(retrieved: Sequence[Chunk], occurrence: Occurrence, budget: int) -> tuple[list[Span], int]:
    """The merged spans in the occurrence's act among the first `budget` characters; and how many were taken.

    Characters retrieved twice are spent once: overlapping chunks of one act are merged before counting.
    """
    spans: dict[str, list[Span]] = {}
    spent = 0
    for chunk in retrieved:
        before = spans.get(chunk.act_id, [])
        for start, end in _without(before, (chunk.start, chunk.end)):
            kept = min(end - start, budget - spent)
            if kept <= 0:
                return spans.get(occurrence.act_id, []), spent
            spans[chunk.act_id] = merge_spans([*spans.get(chunk.act_id, []), (start, start + kept)])
            spent += kept
    return spans.get(occurrence.act_id, []), spent


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


RETRIEVAL_METRICS: tuple[Metric[Retrieved], ...] = (
    Metric(
        "unit_recall",
        "Unit recall",
        "The share of the units of the law with evidence that some chunk touches.",
        _unit_recall,
    ),
    Metric(
        "unit_mrr", "Unit MRR", "One over the rank of the first chunk that touches such a unit.", _unit_mrr
    ),
    Metric(
        "character_recall",
        "Char recall",
        f"The share of the evidence's characters among the first {CHARACTER_BUDGET:,} retrieved.",
        _character_recall,
    ),
    Metric(
        "character_precision",
        "Char precision",
        f"The share of the first {CHARACTER_BUDGET:,} retrieved characters that are evidence.",
        _character_precision,
    ),
)
