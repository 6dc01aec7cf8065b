"""One chunk per article, recital and annex; what lies between them (title, citations, formulas) on its own.

Promises that every character but white space between chunks is in exactly one chunk. A long article is not
cut: a limit on length is another chunker's work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from claimrag.schemas.unit import Unit, UnitKind
from claimrag.tasks.chunk.chunker import Span

CHUNKED_KINDS = (UnitKind.ARTICLE, UnitKind.RECITAL, UnitKind.ANNEX)


@dataclass(frozen=True)
class ArticleChunker:
    """One chunk per article, recital and annex."""

    name: str = "article"

    def spans(self, text: str, units: Sequence[Unit]) -> list[Span]:
        """The spans of the outermost units, and of the text between them."""
        spans: list[Span] = []
        position = 0
        for unit in outermost_units(units):
            spans.extend(_gap(text, position, unit.start))
            spans.append((unit.start, unit.end))
            position = unit.end
        spans.extend(_gap(text, position, len(text)))
        return spans


def outermost_units(units: Sequence[Unit]) -> list[Unit]:
    """Articles, recitals and annexes in the order of the text, without those inside another one."""
    listed: list[Unit] = []
    for unit in sorted(units, key=lambda unit: (unit.start, -unit.end, unit.depth)):
        inside = bool(listed) and unit.end <= listed[-1].end
        if unit.kind in CHUNKED_KINDS and unit.start < unit.end and not inside:
            listed.append(unit)
    return listed


def _gap(text: str, start: int, end: int) -> list[Span]:
    """The span between two units without the white space around it; none where nothing is left."""
    between = text[start:end]
    if not between.strip():
        return []
    return [(start + len(between) - len(between.lstrip()), start + len(between.rstrip()))]
