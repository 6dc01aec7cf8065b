"""Opens and closes books, titles, chapters and sections as the path of each article asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from claimrag.legal_sources.legilux.numbers import division_number
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.unit import UnitKind

_WORDS: tuple[tuple[str, UnitKind], ...] = (
    (r"(?:livre|book|tome)\b", UnitKind.BOOK),
    (r"(?:\w+ )?(?:partie|part)\b", UnitKind.PART),
    (r"(?:sous-titre|titre|title)\b", UnitKind.TITLE),
    (r"(?:chapitre|chapter)\b", UnitKind.CHAPTER),
    (r"(?:sous-section|sub-?section|paragraphe|§)", UnitKind.SUBSECTION),
    (r"section\b", UnitKind.SECTION),
)
_ORDER = (
    UnitKind.BOOK,
    UnitKind.PART,
    UnitKind.TITLE,
    UnitKind.CHAPTER,
    UnitKind.SECTION,
    UnitKind.SUBSECTION,
)


def division_kind(title: str, above: UnitKind | None = None) -> UnitKind:
    """What a division is, by its first word; an unnamed one is one step below the division above it."""
    plain = title.strip(" *«»").casefold()
    for pattern, kind in _WORDS:
        if re.match(pattern, plain):
            return kind
    if above in _ORDER:
        return _ORDER[min(_ORDER.index(above) + 1, len(_ORDER) - 1)]
    return UnitKind.SECTION


class Divisions:
    """Keeps the open divisions equal to the path of the article that comes next."""

    def __init__(self, builder: TreeBuilder, separator: str = " — ") -> None:
        self._builder = builder
        self._separator = separator
        self._open: list[tuple[str, UnitKind]] = []
        self._base = builder.depth

    def enter(self, path: Sequence[str]) -> None:
        """Close the divisions that `path` leaves and open those it enters."""
        shared = 0
        while shared < min(len(path), len(self._open)) and path[shared] == self._open[shared][0]:
            shared += 1
        self._builder.close_to(self._base + shared)
        del self._open[shared:]
        for title in path[shared:]:
            kind = division_kind(title, self._open[-1][1] if self._open else None)
            label, heading = self._split(title)
            self._builder.open(kind, number=division_number(label), label=label, heading=heading)
            self._open.append((title, kind))

    def _split(self, title: str) -> tuple[str, str | None]:
        label, found, heading = title.partition(self._separator)
        return (label, heading) if found else (title, None)
