"""Joins printed lines into blocks: one alinea, point or heading each, with hyphens at line ends undone.

A block ends where the print leaves a gap, where the style or the alignment changes, and where a line that
ends a sentence is followed by one that opens a point or paragraph. A block goes on over a page break when
its sentence does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from claimrag.legal_sources.pdf.pages import Line, Page

_OPENS = re.compile(
    r"(?:\(?[a-z]{1,2}\)|\(?[ivx]{1,5}\)|\(\d{1,3}[a-z]?\)|\d{1,3}(?:bis|ter)?°|\d{1,3}\)|\d{1,3}(?:\.\d+)*\.|[–—•-])\s"
)
_LABEL = re.compile(r"Art\.\s?(?:[LRD]\.\s?)?\d[\w.-]*(?:\s(?:bis|ter|quater))?\.?")
_ENDS = re.compile(r"[.;:!?»”’]\s*$|[;,]\s*(?:and|or|et|ou)\s*$")
_ENDS_SENTENCE = re.compile(r"[.!?:;»”]\s*$")
_HYPHEN = re.compile(r"(\w+)[-\u2010\u00ad]$")
_SOFT = "\u00ad"
_ADDRESS = re.compile(r"https?://\S*\.$")
_WORD = re.compile(r"\w+(?:[-’']\w+)*")
_CENTRED_BY = 4.0
_OTHER_SIZE = 0.6
_WIDE, _WIDER = 1.5, 1.2


@dataclass(frozen=True)
class Block:
    """Text of one or more lines; place and style are those of the first line."""

    page: int
    text: str
    centred: bool
    bold: bool
    italic: bool
    size: float
    x0: float


def blocks_of(pages: Sequence[Page]) -> list[Block]:
    """The blocks of all pages, in reading order."""
    lines = [line for page in pages for line in page.lines]
    columns = _columns(pages)
    leading = _leading(lines)
    words = Words(lines)
    blocks: list[Block] = []
    run: list[Line] = []
    for line in lines:
        if run and _breaks(run, line, columns, leading):
            blocks.append(_block(run, columns, words))
            run = []
        run.append(line)
    if run:
        blocks.append(_block(run, columns, words))
    return blocks


@dataclass(frozen=True)
class _Column:
    """Where the text of a column begins and ends, and the middles by which a line may be centred."""

    left: float
    right: float
    middles: tuple[float, ...]


def _columns(pages: Sequence[Page]) -> dict[int, _Column]:
    """The columns of the print; the middle of the page counts where it is set in one column."""
    found: dict[int, _Column] = {}
    for column in (0, 1):
        lines = [line for page in pages for line in page.lines if line.column == column]
        if lines:
            ends = sorted(line.x1 for line in lines)
            left, right = min(line.x0 for line in lines), ends[int(0.98 * (len(ends) - 1))]
            found[column] = _Column(left, right, ((left + right) / 2,))
    if list(found) == [0]:
        middle = median(page.width for page in pages) / 2
        found[0] = replace(found[0], middles=(*found[0].middles, middle))
    return found


def _leading(lines: Sequence[Line]) -> float:
    """The usual distance from one line to the next inside a block, in points: a low one of those printed.

    Type is rarely set wider than 1.4 of its size, so short blocks with gaps between them do not mislead.
    """
    steps = sorted(
        after.top - before.top
        for before, after in pairwise(lines)
        if before.page == after.page and before.column == after.column and after.top > before.top
    )
    widest = 1.4 * median(line.size for line in lines) if lines else 12.0
    return min(steps[len(steps) // 5], widest) if steps else widest


def _centred(line: Line, columns: dict[int, _Column]) -> bool:
    return _around_middle(line, columns) and line.x0 > columns[line.column].left + 3 * _CENTRED_BY


def _around_middle(line: Line, columns: dict[int, _Column]) -> bool:
    """Whether a line lies as far from the left as from the right: centred, or as wide as the column."""
    middle = (line.x0 + line.x1) / 2
    return any(abs(middle - other) < _CENTRED_BY for other in columns[line.column].middles)


def _heads(last: Line, line: Line, columns: dict[int, _Column]) -> bool:
    """Whether a bold heading, too long for one line, goes on centred under a line that fills the column."""
    return last.bold and line.bold and _around_middle(last, columns) and _centred(line, columns)


def _breaks(run: Sequence[Line], line: Line, columns: dict[int, _Column], leading: float) -> bool:
    last = run[-1]
    if _is_label(line) or _is_label(last):
        return True
    if (
        _centred(last, columns) != _centred(line, columns)
        and not _is_middle(run, line, columns)
        and not _heads(last, line, columns)
    ):
        return True
    if abs(last.size - line.size) > _OTHER_SIZE:
        return True
    if last.bold != line.bold and not _HYPHEN.search(last.text):
        return True
    if last.page != line.page or last.column != line.column:
        return _breaks_over_page(last, line, columns)
    step = (line.top - last.top) / leading
    ended = _ENDS_SENTENCE.search(last.text) or (last.text.endswith(",") and line.text[:1].isupper())
    if step > _WIDE or (step > _WIDER and ended):
        return True
    return _opens(last, line, columns)


def _is_label(line: Line) -> bool:
    """An article's label alone on its line, set apart by its type, is a block of its own."""
    return (line.bold or line.italic) and bool(_LABEL.fullmatch(line.text))


def _is_middle(run: Sequence[Line], line: Line, columns: dict[int, _Column]) -> bool:
    """A line of an alinea may happen to lie in the middle of the page."""
    last = run[-1]
    if _centred(last, columns):
        return len(run) > 1 and not _centred(run[0], columns) and line.x0 <= last.x0 + 1
    hanging = line.x0 <= last.x0 + 3 * line.size
    return line.x0 <= last.x0 + 1 or (hanging and not _ENDS_SENTENCE.search(last.text))


def _opens(last: Line, line: Line, columns: dict[int, _Column]) -> bool:
    """Whether a marker begins a point or paragraph here, rather than being a reference that was wrapped."""
    if not _OPENS.match(line.text):
        return False
    short = last.x1 < columns[last.column].right - 2 * line.size
    return short or bool(_ENDS.search(last.text))


def _breaks_over_page(last: Line, line: Line, columns: dict[int, _Column]) -> bool:
    if _opens(last, line, columns):
        return True
    if not _ENDS_SENTENCE.search(last.text):
        return False
    full = last.x1 >= columns[last.column].right - 2 * line.size
    return not full or not line.text[:1].islower()


class Words:
    """The words that no line break divides, by which a hyphen at a line's end is judged.

    A print that uses soft hyphens breaks words with those alone: its other hyphens belong to the words.
    """

    def __init__(self, lines: Iterable[Line]) -> None:
        self._unbroken: set[str] = set()
        self._soft = False
        begins_inside = False
        for line in lines:
            self._soft = self._soft or line.text.endswith(_SOFT)
            inside = _WORD.findall(line.text)[begins_inside:-1]
            self._unbroken.update(word.casefold() for word in inside)
            begins_inside = bool(_HYPHEN.search(line.text))
        self._first_parts = {word.partition("-")[0] for word in self._unbroken if "-" in word}

    def keeps_hyphen(self, head: str, rest: str) -> bool:
        """Whether `head-` at a line's end, followed by `rest`, is a word with a hyphen."""
        if self._soft:
            return True
        unbroken, split = f"{head}{rest}".casefold(), f"{head}-{rest}".casefold()
        first = head.casefold()
        known = first in self._unbroken or first in self._first_parts
        both = known and not self._unbroken.isdisjoint((rest.casefold(), rest.casefold().partition("-")[0]))
        return split in self._unbroken or (unbroken not in self._unbroken and both)


def _block(run: Sequence[Line], columns: dict[int, _Column], words: Words) -> Block:
    text = run[0].text
    for line in run[1:]:
        text = joined(text, line.text, words)
    first, last = run[0], run[-1]
    return Block(
        first.page,
        text,
        all(_centred(line, columns) or _heads(line, last, columns) for line in run),
        first.bold,
        first.italic,
        first.size,
        first.x0,
    )


def joined(text: str, following: str, words: Words) -> str:
    """`text` with the next line; a hyphen that only broke the line is undone."""
    hyphen = _HYPHEN.search(text)
    if hyphen is None or not following[:1].islower():
        broken = text.endswith("/") or (_ADDRESS.search(text) and following[:1].islower())
        return f"{text}{'' if broken else ' '}{following}"
    tail = _WORD.match(following)
    keep = not text.endswith(_SOFT) and words.keeps_hyphen(hyphen[1], tail[0] if tail else "")
    return f"{text}{following}" if keep else f"{text[:-1]}{following}"
