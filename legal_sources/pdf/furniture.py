"""Takes away what a page prints around the law: running headers and footers, page numbers.

A line near the top or bottom edge is furniture when the same line, figures aside, stands there on many pages
(alternating headers are two such lines), or when it is a page number alone. The lines taken are returned,
because headers say the date and the language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from claimrag.legal_sources.pdf.pages import Line, Page

_EDGE = 0.12
_FIGURES = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"[-–—\s]*(?:page\s*)?\d{1,4}(?:\s*(?:/|of|sur)\s*\d{1,4})?[-–—\s.]*", re.IGNORECASE
)


def without_furniture(pages: Sequence[Page]) -> tuple[list[Page], list[Line]]:
    """The pages without their furniture, and the lines that were furniture, in order."""
    seen = Counter(shape for page in pages for shape in {_shape(line) for line in _edges(page)})
    enough = max(3, 0.2 * len(pages))
    kept: list[Page] = []
    taken: list[Line] = []
    for page in pages:
        edges = set(_edges(page))
        gone = {line for line in edges if seen[_shape(line)] >= enough or _is_page_number(line, page)}
        taken += [line for line in page.lines if line in gone]
        kept.append(replace(page, lines=tuple(line for line in page.lines if line not in gone)))
    return kept, taken


def _edges(page: Page) -> list[Line]:
    return [line for line in page.lines if _at_edge(line, page)]


def _at_edge(line: Line, page: Page) -> bool:
    return line.bottom < _EDGE * page.height or line.top > (1 - _EDGE) * page.height


def _shape(line: Line) -> str:
    return _FIGURES.sub("#", line.text)


def _is_page_number(line: Line, page: Page) -> bool:
    alone = all(line is other or not _at_edge(other, page) or other.top < line.top for other in page.lines)
    first = line.top <= min(other.top for other in page.lines)
    return bool(_PAGE_NUMBER.fullmatch(line.text)) and (alone or first)
