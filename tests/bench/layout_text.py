"""A law from the text of Poppler's `pdftotext -layout`: places are characters and rows, and there are no fonts.

The rules of our PDF parser do the rest, so that only the reading differs. What fonts tell there is guessed here
from the text: a short line that opens as a heading does is bold, and the last lines of a page are footnotes
when they carry the next numbers of notes.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.legal_sources.pdf import code, journal, statute
from claimrag.legal_sources.pdf.blocks import blocks_of
from claimrag.legal_sources.pdf.contents import without_leader_pages
from claimrag.legal_sources.pdf.footnotes import Note
from claimrag.legal_sources.pdf.pages import Line, Page

ROW, SIZE = 12.0, 10.0
LEFT, COLUMN = 40.0, 240.0
"""Every page is brought to one column of this width: `-layout` gives each page a scale of its own."""
_HEADING = re.compile(
    r"(?:Art\.|Article|CHAPTER|Chapter|\d{1,4}(?:[A-Z]{0,2}\.\s+|[A-Z]{1,2}\s)[A-Z]|Comments?$|State amendments?$)"
)
_NOTE = re.compile(r"\((?P<number>\d{1,3})\)\s+(?P<rest>.*)")
_FIGURES = re.compile(r"\d+")
_SHORT, _INDENTED, _ASIDE = 0.9, 0.1, 0.12


def command(file: Path) -> list[str]:
    """The command that writes the text of `file` to its standard output."""
    return ["pdftotext", "-layout", "-enc", "UTF-8", str(file), "-"]


def parse(file: Path) -> ParsedAct:
    """The law, read through Poppler."""
    done = subprocess.run(command(file), capture_output=True, check=True)
    return parse_text(Source.of(file.read_bytes(), origin=file.name), done.stdout.decode("utf-8"))


def parse_text(source: Source, text: str) -> ParsedAct:
    """The law from what Poppler wrote; the same steps as in `legal_sources.pdf.act`."""
    pages, furniture = without_furniture(pages_of(text))
    pages = without_leader_pages(pages)
    blocks = blocks_of(pages)
    if journal.recognises(furniture, blocks):  # elsewhere numbered paragraphs would be taken for notes
        body, notes = without_notes(pages)
        return journal.parse(source, furniture, blocks_of(body), notes)
    if statute.recognises(pages) and not code.recognises(blocks):
        return statute.parse(source, pages, ())
    return code.parse(source, furniture, blocks, ())


def pages_of(text: str) -> list[Page]:
    """The pages that form feeds part, rows without text left out."""
    printed = [page.split("\n") for page in text.split("\f")[:-1]]
    return [_page(number, rows) for number, rows in enumerate(printed)]


def _page(number: int, rows: Sequence[str]) -> Page:
    margins = _margins([row for row in rows if row.strip()])
    lines = tuple(_line(number, at, row, *margins) for at, row in enumerate(rows) if row.strip())
    return Page(number, COLUMN + 2 * LEFT, max(len(rows), 1) * ROW, lines)


def _line(number: int, at: int, row: str, left: int, right: int) -> Line:
    """A row as a line; one that lies nearly in the middle is put there, which characters cannot do exactly."""
    width = right - left
    begin, end = float(_indent(row) - left), float(len(row.rstrip()) - left)
    aside = (begin + end - width) / 2
    if begin > _INDENTED * width and abs(aside) < _ASIDE * width:
        begin, end = begin - aside, end - aside
    return Line(
        page=number,
        top=at * ROW,
        bottom=at * ROW + SIZE,
        x0=LEFT + max(begin, 0.0) * COLUMN / width,
        x1=LEFT + end * COLUMN / width,
        text=" ".join(row.split()),
        size=SIZE,
        bold=_is_heading(row, width),
        italic=False,
    )


def _margins(rows: Sequence[str]) -> tuple[int, int]:
    """Where the text of a page begins and ends, whatever its few widest and outermost rows."""
    if not rows:
        return 0, 100
    begins, ends = sorted(map(_indent, rows)), sorted(len(row.rstrip()) for row in rows)
    left, right = begins[len(begins) // 10], ends[len(ends) * 9 // 10]
    return left, max(right, left + 40)


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip())


def _is_heading(row: str, width: int) -> bool:
    text = " ".join(row.split())
    opens = bool(_HEADING.match(text)) and not text.endswith((",", ";", ":"))
    return (opens or text.isupper()) and len(text) < _SHORT * width


def without_furniture(pages: Sequence[Page]) -> tuple[list[Page], list[Line]]:
    """The pages without the first row and the last two where, figures aside, they come again and again."""
    edges = [{*page.lines[:1], *page.lines[-2:]} for page in pages]
    seen = Counter(shape for lines in edges for shape in {_shape(line) for line in lines})
    enough = max(3, 0.2 * len(pages))
    gone = [{line for line in lines if seen[_shape(line)] >= enough} for lines in edges]
    kept = [
        replace(page, lines=tuple(line for line in page.lines if line not in lines))
        for page, lines in zip(pages, gone, strict=True)
    ]
    return kept, [
        line for page, lines in zip(pages, gone, strict=True) for line in page.lines if line in lines
    ]


def _shape(line: Line) -> str:
    return _FIGURES.sub("#", line.text.replace(" ", ""))


def without_notes(pages: Sequence[Page]) -> tuple[list[Page], list[Note]]:
    """The pages without the lines at their foot whose numbers go on from the last note, or begin again at 1."""
    kept: list[Page] = []
    notes: list[Note] = []
    for page in pages:
        begin = _begin(page.lines, int(notes[-1].number) if notes else 0)
        kept.append(replace(page, lines=page.lines[:begin]))
        for line in page.lines[begin:]:
            found = _NOTE.match(line.text)
            if found:
                notes.append(Note(page.number, found["number"], [found["rest"]]))
            else:
                notes[-1].lines.append(line.text)
    return kept, notes


def _begin(lines: Sequence[Line], last: int) -> int:
    """Where the groups of rows without an empty row between them are notes, down to the page's end."""
    begin = len(lines)
    for group in reversed(_groups(lines)):
        if not _NOTE.match(lines[group[0]].text):
            break
        numbers = [int(found["number"]) for at in group if (found := _NOTE.match(lines[at].text))]
        if numbers[0] not in (last + 1, 1) or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            break
        begin = group[0]
    return begin


def _groups(lines: Sequence[Line]) -> list[list[int]]:
    indexed = enumerate(lines)
    return [
        [at for at, _ in group]
        for _, group in groupby(indexed, key=lambda pair: round(pair[1].top / ROW) - pair[0])
    ]
