"""Print the English sample law as a PDF laid out like an official journal.

`python tests/make_pdf.py` writes it where the samples lie.

Running headers that alternate, page numbers, footnotes at the foot of the page that calls them, hyphen-free
paragraphs. Reads the sample's own markup; the same markup gives the same bytes. Needs reportlab (development only).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree
from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]
from reportlab.lib.units import mm  # type: ignore[import-untyped]
from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from claimrag.legal_sources.samples import PDF_FILE, read_sample

_LEFT, _RIGHT, _TOP, _BOTTOM = 20 * mm, 190 * mm, 272 * mm, 22 * mm
_BODY, _SMALL = 9.5, 7.5
_LEADING, _SMALL_LEADING = 12.0, 9.0
_REGULAR, _BOLD, _ITALIC = "Times-Roman", "Times-Bold", "Times-Italic"


@dataclass
class Block:
    """A paragraph to print.

    `marker` hangs left of the text, `cells` are a row of a table, `notes` the numbers of footnotes it calls.
    """

    text: str
    font: str = _REGULAR
    indent: float = 0.0
    marker: str = ""
    centred: bool = False
    space: float = 4.0
    notes: tuple[int, ...] = ()
    cells: tuple[str, ...] = ()


@dataclass
class Journal:
    """Fills pages from the top; footnotes grow from the bottom of the page that calls them."""

    canvas: Canvas
    footnotes: dict[int, str]
    page: int = 0
    y: float = 0.0
    floor: float = _BOTTOM
    at_foot: list[int] = field(default_factory=list)

    def print(self, blocks: list[Block]) -> None:
        """Print all blocks and close the last page."""
        self._new_page()
        for block in blocks:
            self._block(block)
        self._foot()
        self.canvas.showPage()

    def _new_page(self) -> None:
        if self.page:
            self._foot()
            self.canvas.showPage()
        self.page += 1
        self.y, self.floor = _TOP - 12, _BOTTOM
        self.at_foot = []
        self.canvas.setFont(_REGULAR, 8)
        parts = [f"L 1001/{self.page}", "Fictional sample law", "27.3.2099   EN"]
        left, centre, right = reversed(parts) if self.page % 2 else parts
        self.canvas.drawString(_LEFT, _TOP, left)
        self.canvas.drawCentredString((_LEFT + _RIGHT) / 2, _TOP, centre)
        self.canvas.drawRightString(_RIGHT, _TOP, right)
        self.canvas.line(_LEFT, _TOP - 4, _RIGHT, _TOP - 4)
        self.canvas.drawCentredString((_LEFT + _RIGHT) / 2, _BOTTOM - 22, str(self.page))

    def _block(self, block: Block) -> None:
        lines = wrap(block.text, block.font, _BODY, _RIGHT - _LEFT - block.indent)
        foot = sum(len(self._note_lines(number)) for number in block.notes) * _SMALL_LEADING + (
            8 if block.notes else 0
        )
        needed = min(len(lines), 3) * _LEADING + foot + (3 * _LEADING if block.centred else 0)
        if self.y - block.space - needed < self.floor:
            self._new_page()
        self.y -= block.space
        self.floor += foot
        self.at_foot.extend(block.notes)
        for at, line in enumerate(lines):
            if self.y - _LEADING < self.floor:
                self._new_page()
            self.y -= _LEADING
            self.canvas.setFont(block.font, _BODY)
            if block.centred:
                self.canvas.drawCentredString((_LEFT + _RIGHT) / 2, self.y, line)
                continue
            if block.cells:
                for column, cell in enumerate(block.cells):
                    self.canvas.drawString(_LEFT + block.indent + column * 60 * mm, self.y, cell)
                continue
            if at == 0 and block.marker:
                self.canvas.drawString(_LEFT + block.indent - 9 * mm, self.y, block.marker)
            self.canvas.drawString(_LEFT + block.indent, self.y, line)

    def _foot(self) -> None:
        if not self.at_foot:
            return
        y = self.floor - 6
        self.canvas.line(_LEFT, y + 4, _LEFT + 40 * mm, y + 4)
        self.canvas.setFont(_REGULAR, _SMALL)
        for number in self.at_foot:
            for line in self._note_lines(number):
                y -= _SMALL_LEADING
                self.canvas.drawString(_LEFT, y + 4, line)

    def _note_lines(self, number: int) -> list[str]:
        return wrap(f"({number}) {self.footnotes[number]}", _REGULAR, _SMALL, _RIGHT - _LEFT)


def wrap(text: str, font: str, size: float, width: float) -> list[str]:
    """Lines of at most `width` points, broken between words."""
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and stringWidth(longer, font, size) > width:
            lines.append(line)
            longer = word
        line = longer
    return [*lines, line] if line else lines


def blocks_of(markup: bytes) -> tuple[list[Block], dict[int, str]]:
    """The law's blocks in print order, and its footnotes by number."""
    root = etree.fromstring(markup)
    for element in root.iter("{http://www.w3.org/1999/xhtml}*"):
        element.tag = etree.QName(element).localname
    footnotes = {}
    for at, note in enumerate(root.iterfind(".//p[@class='oj-note']"), 1):
        footnotes[at] = text_of(note).partition(") ")[2]
    return list(_blocks(root.find("body"), 0)), footnotes


def text_of(element: etree._Element) -> str:
    """White space collapsed."""
    return " ".join("".join(str(part) for part in element.itertext()).split())


def _blocks(element: etree._Element | None, depth: int) -> Iterator[Block]:
    for child in [] if element is None else element:
        kind = child.get("class") or ""
        if child.tag == "p":
            if not kind.startswith(("oj-hd", "oj-note")):
                yield _paragraph(child, kind, depth)
        elif child.tag == "table" and kind == "oj-table":
            yield from _rows(child)
        elif child.tag == "table" and child.find(".//p[@class='oj-hd-date']") is None:
            cells = child.findall("tbody/tr/td")
            inner = list(_blocks(cells[1], depth + 1))
            inner[0].marker = text_of(cells[0])
            yield from inner
        elif child.tag == "div":
            yield from _blocks(child, depth)


def _paragraph(element: etree._Element, kind: str, depth: int) -> Block:
    called = tuple(int(text_of(tag)) for tag in element.iterfind(".//span[@class='oj-super oj-note-tag']"))
    block = Block(text_of(element), indent=depth * 9 * mm, notes=called)
    if kind in ("oj-doc-ti", "oj-ti-section-2"):
        block.font, block.centred, block.space = _BOLD, True, 6
    elif kind in ("oj-ti-section-1", "oj-ti-art", "oj-sti-art"):
        block.font, block.centred = (_BOLD if kind == "oj-sti-art" else _ITALIC), True
        block.space = 2 if kind == "oj-sti-art" else 12
    return block


def _rows(table: etree._Element) -> Iterator[Block]:
    for row in table.iter("tr"):
        cells = tuple(text_of(cell) for cell in row if cell.tag == "td")
        yield Block(cells[0], indent=9 * mm, cells=cells)


_DATA = Path(__file__).resolve().parents[1] / "legal_sources" / "samples" / "data"


def make_pdf(target: Path) -> int:
    """Write the PDF to `target`; returns its number of pages."""
    canvas = Canvas(str(target), pagesize=A4, invariant=True, pageCompression=1)
    canvas.setTitle("Regulation (EU) 2099/1001 (fictional sample law)")
    canvas.setAuthor("claimrag")
    blocks, footnotes = blocks_of(read_sample("sample-en"))
    journal = Journal(canvas, footnotes)
    journal.print(blocks)
    canvas.save()
    return journal.page


if __name__ == "__main__":
    made = Path(sys.argv[1]) if len(sys.argv) > 1 else _DATA / PDF_FILE
    make_pdf(made)
