"""The text of EUR-Lex markup as it flows: runs of inline text, and the block elements between them.

Footnote calls become call marks of the TreeBuilder; what is only furniture of the page is left out. Knows
which tags are inline and how a table's cells fall on a grid; knows nothing of the law's structure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from lxml import etree

from claimrag.legal_sources.eurlex.provisions import GridCell

BLOCKS = frozenset(
    (
        *(
            "p",
            "div",
            "table",
            "tbody",
            "thead",
            "tfoot",
            "tr",
            "td",
            "th",
            "ul",
            "ol",
            "li",
            "dl",
            "dd",
            "dt",
        ),
        *("hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "center", "body", "txt_te"),
    )
)
"""HTML elements that stand on lines of their own."""
_PARAGRAPHS = frozenset(("p", "div"))
_CELLS = frozenset(("td", "th"))
_ROW_GROUPS = frozenset(("tbody", "thead", "tfoot"))
MAX_SPAN = 1000
"""Largest colspan and rowspan that count, as in HTML; larger ones are cut to it."""

Call = Callable[[etree._Element], str | None]
"""Gives the call mark for an element that calls a footnote, "" for furniture, None for ordinary text."""


def css_class(element: etree._Element) -> str:
    """The class attribute; the Official Journal's `oj-` prefix is taken off, so that both eras agree."""
    name = element.get("class")
    return _class_of_either_era(name) if name else ""


@lru_cache(maxsize=1024)
def _class_of_either_era(name: str) -> str:
    return " ".join(part.removeprefix("oj-") for part in name.split())


def inline_text(element: etree._Element, call: Call) -> str:
    """All text inside `element` as one run, blocks inside it included; without its tail."""
    within = len(element)
    if within == 0:
        return element.text or ""
    if within == 1 and element.text is None:  # a cell around its one paragraph
        child = element[0]
        if len(child) == 0 and child.tail is None and child.tag in _PARAGRAPHS and call(child) is None:
            return child.text or ""
    pieces: list[str] = []
    _gather(element, call, pieces)
    return "".join(pieces)


def _gather(element: etree._Element, call: Call, pieces: list[str]) -> None:
    if element.text:
        pieces.append(element.text)
    for child in element:
        tag = child.tag
        mark = call(child)
        if mark is not None:
            pieces.append(mark)
        else:
            apart = tag == "br" or tag in BLOCKS
            if apart:
                pieces.append(" ")
            if len(child):
                _gather(child, call, pieces)
            elif child.text:
                pieces.append(child.text)
            if apart:
                pieces.append(" ")
        if child.tail:
            pieces.append(child.tail)


def flow(element: etree._Element, call: Call) -> Iterator[str | etree._Element]:
    """The content of `element` in order: strings for inline runs that are not blank, elements for blocks.

    An inline element that holds a block is opened up, so that no block hides in a run.
    """
    return _flow(element, call, [], is_inner=False)


def _flow(
    element: etree._Element, call: Call, run: list[str], *, is_inner: bool
) -> Iterator[str | etree._Element]:
    """Gathers inline text in `run`; before a block and at the end it gives the run away, and empties it."""
    text = element.text
    if text and (run or not text.isspace()):
        run.append(text)
    for child in element:
        tag = child.tag
        mark = call(child)
        if mark is not None:
            run.append(mark)
        elif tag in BLOCKS:
            if run and (inline := "".join(run)).strip():
                yield inline
            run.clear()
            yield child
        elif tag == "br":
            run.append(" ")
        elif len(child):
            yield from _flow(child, call, run, is_inner=True)
        elif text := child.text:
            run.append(text)
        text = child.tail
        if text and (run or not text.isspace()):
            run.append(text)
    if run and not is_inner and (inline := "".join(run)).strip():
        yield inline


def blocks(element: etree._Element, call: Call) -> list[str]:
    """The content of `element` as plain blocks of text, whatever nests inside; a layout row is one block."""
    found: list[str] = []
    for item in flow(element, call):
        if isinstance(item, str):
            found.append(item)
        elif item.tag == "tr":
            found.extend(_row_blocks(item, call))
        else:
            found.extend(blocks(item, call))
    return found


def _row_blocks(row: etree._Element, call: Call) -> list[str]:
    """A row's blocks; the first block of each cell joins the row's first, as a marker joins its text."""
    cells = [blocks(cell, call) for cell in row if cell.tag in ("td", "th")]
    cells = [cell for cell in cells if cell]
    if not cells:
        return []
    markers = [cell[0] for cell in cells[:-1] if len(cell) == 1 and len(cell[0].strip()) <= 16]
    if len(markers) == len(cells) - 1:
        return [" ".join((*markers, cells[-1][0])), *cells[-1][1:]]
    return [block for cell in cells for block in cell]


def table_rows(table: etree._Element) -> list[list[etree._Element]]:
    """The cells of each row of `table`, not of tables inside it."""
    rows: list[list[etree._Element]] = []
    for child in table:
        tag = child.tag
        if tag == "tr":
            rows.append([cell for cell in child if cell.tag in _CELLS])
        elif tag in _ROW_GROUPS:
            rows.extend(table_rows(child))
    return rows


def grid_cells(table: etree._Element, call: Call) -> list[GridCell]:
    """The cells of a real table at their places, `rowspan` and `colspan` taken into account."""
    cells: list[GridCell] = []
    taken: dict[int, int] = {}
    for number, row in enumerate(table_rows(table), start=1):
        column = 1
        for cell in row:
            while taken.get(column, 0) >= number:
                column += 1
            across, down = _span(cell, "colspan"), _span(cell, "rowspan")
            cells.append(GridCell(number, column, tuple(blocks(cell, call))))
            if down > 1:
                taken.update((column + offset, number + down - 1) for offset in range(across))
            column += across
    return cells


def _span(cell: etree._Element, attribute: str) -> int:
    value = (cell.get(attribute) or "1").strip()
    return min(max(int(value), 1), MAX_SPAN) if value.isdecimal() and len(value) < 10 else 1
