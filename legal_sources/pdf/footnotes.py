"""Sets footnotes apart: smaller lines at the foot of a page that begin with a raised or bracketed number.

Promises that nothing of the law's own text is taken: a smaller line with larger lines below it stays where
it is. A note that goes on at the foot of the next page is one note.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from claimrag.legal_sources.pdf.pages import RAISED_CLOSE, RAISED_OPEN, Line, Page

_SMALLER_BY = 0.6
_MARK = re.compile(
    rf"(?:\(\s*)?{RAISED_OPEN}?(?P<number>\d{{1,3}}|\*{{1,3}}){RAISED_CLOSE}?\s*(?:\)|\.)?\s*(?P<rest>.*)"
)
_MARKED = re.compile(rf"\(?\s*{RAISED_OPEN}|\(\d{{1,3}}\)\s|\d{{1,2}}\.\s|\*{{1,3}}\s")


@dataclass
class Note:
    """A footnote: the page it stands on, its number as printed, its lines."""

    page: int
    number: str
    lines: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        """What a call on the same page is matched by."""
        return f"{self.page}:{self.number}"


def body_size(pages: Sequence[Page]) -> float:
    """The type size of most of the text."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], size)) if sizes else 0.0


def without_footnotes(pages: Sequence[Page]) -> tuple[list[Page], list[Note]]:
    """The pages without their footnotes, and the footnotes in order."""
    size = body_size(pages)
    kept: list[Page] = []
    notes: list[Note] = []
    for page in pages:
        begin = _begin(page.lines, size, goes_on=bool(notes) and notes[-1].page == page.number - 1)
        kept.append(replace(page, lines=page.lines[:begin]))
        for line in page.lines[begin:]:
            mark = _MARK.match(line.text) if _MARKED.match(line.text) else None
            if mark:
                notes.append(Note(page.number, mark["number"], [mark["rest"]]))
            else:
                notes[-1].lines.append(line.text)
    return kept, notes


def _begin(lines: Sequence[Line], size: float, *, goes_on: bool) -> int:
    """Where the notes begin: the first mark within the run of smaller lines that ends the page."""
    begin = len(lines)
    while begin and lines[begin - 1].size <= size - _SMALLER_BY:
        begin -= 1
    if begin == len(lines):
        return begin
    marked = [at for at in range(begin, len(lines)) if _MARKED.match(lines[at].text)]
    if not marked:
        return len(lines)
    # Smaller lines above the first mark are the end of the note of the page before, if there was one.
    return begin if goes_on and begin else marked[0]
