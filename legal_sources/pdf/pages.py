"""The printed lines of a PDF, in reading order, with their place, size and style.

Words are grouped into lines by their height on the page; a page set in two columns is read column by column.
A small raised figure is marked, so that a footnote call can be distinguished from a number. Pages and bytes are
bounded. Nothing is recognised here. Why pdfplumber and not Poppler: docs/decisions/pdf-text.md.
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from claimrag.legal_sources.markup import Source
from claimrag.schemas.errors import SourceError

MAX_PAGES = 3000
RAISED_OPEN, RAISED_CLOSE = "\ue000", "\ue001"
"""Private characters around a raised figure in a line's text; they reach no unit."""
_RAISED_SIZE = 0.72
_GUTTER = 9.0
# What pdfminer lets through for damaged objects, besides its own exceptions.
_DAMAGE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
_DIGITS = re.compile(r"[0-9]{1,3}[a-z]?")


@dataclass(frozen=True)
class Line:
    """One printed line. Lengths in points, from the top left of the page; `page` counts from 0.

    `size` and `bold`, `italic` are those of most of its characters; `column` is 0 for a line across the page
    or in the left column, 1 in the right one.
    """

    page: int
    top: float
    bottom: float
    x0: float
    x1: float
    text: str
    size: float
    bold: bool
    italic: bool
    column: int = 0


@dataclass(frozen=True)
class Page:
    """The lines of one page and its measures."""

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]


def read_pages(source: Source) -> list[Page]:
    """The pages of a PDF; raises SourceError for one that is damaged, locked, too long or without text."""
    import pdfplumber
    from pdfminer.psexceptions import PSException
    from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException

    try:
        with pdfplumber.open(io.BytesIO(source.raw)) as document:
            if len(document.pages) > MAX_PAGES:
                raise SourceError(
                    f"{source.origin}: {len(document.pages)} pages, more than {MAX_PAGES}; give one act"
                )
            announced = _announced_pages(document)
            if announced > len(document.pages):
                raise SourceError(
                    f"{source.origin}: the PDF announces {announced} pages and holds {len(document.pages)}; "
                    "it is cut off, fetch it again"
                )
            pages = [_page(number, page) for number, page in enumerate(document.pages)]
    except (PSException, PdfminerException, MalformedPDFException, *_DAMAGE) as error:
        reason = str(error) or type(error).__name__
        raise SourceError(f"{source.origin}: the PDF cannot be read ({reason}); fetch it again") from error
    if not any(page.lines for page in pages):
        raise SourceError(
            f"{source.origin}: the PDF has no text layer (a scan?); give a PDF with text, or the law's web page"
        )
    return pages


def _announced_pages(document: Any) -> int:
    """How many pages the root of the page tree says there are; 0 when it does not say."""
    from pdfminer.pdftypes import resolve1

    root = resolve1(document.doc.catalog.get("Pages"))
    count = resolve1(root.get("Count")) if isinstance(root, dict) else None
    return count if isinstance(count, int) else 0


def _page(number: int, page: Any) -> Page:
    words = page.extract_words(extra_attrs=["fontname", "size"], use_text_flow=False)
    page.close()
    lines = [_line(number, row, column) for column, row in _rows(words, float(page.width))]
    return Page(number, float(page.width), float(page.height), tuple(line for line in lines if line.text))


def _rows(words: Sequence[dict[str, Any]], width: float) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Rows of words in reading order, each with its column."""
    rows = list(_by_height(words))
    gutter = _gutter(rows, width)
    if gutter is None:
        for row in rows:
            yield 0, row
        return
    band: list[dict[str, Any]] = []
    for row in rows:
        if any(word["x0"] < gutter - 1 and word["x1"] > gutter + 1 for word in row):
            yield from _columns(band, gutter)
            band = []
            yield 0, row
        else:
            band += row
    yield from _columns(band, gutter)


def _columns(band: Sequence[dict[str, Any]], gutter: float) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    for column, side in enumerate(
        ([w for w in band if w["x1"] <= gutter + 1], [w for w in band if w["x1"] > gutter + 1])
    ):
        for row in _by_height(side):
            yield column, row


def _by_height(words: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Words whose middle lies within the height of the tallest word of a row are one row."""
    row: list[dict[str, Any]] = []
    for word in sorted(words, key=lambda w: (round(w["top"], 1), w["x0"])):
        if row:
            tallest = max(row, key=lambda w: float(w["bottom"] - w["top"]))
            middle = (word["top"] + word["bottom"]) / 2
            other = (tallest["top"] + tallest["bottom"]) / 2
            inside = tallest["top"] <= middle <= tallest["bottom"] or word["top"] <= other <= word["bottom"]
            if not inside:
                yield sorted(row, key=lambda w: float(w["x0"]))
                row = []
        row.append(word)
    if row:
        yield sorted(row, key=lambda w: float(w["x0"]))


def _gutter(rows: Sequence[Sequence[dict[str, Any]]], width: float) -> float | None:
    """The middle of the white band between two columns, when most rows of the page leave it free."""
    candidates: list[float] = []
    for row in rows:
        for left, right in pairwise(row):
            middle = (left["x1"] + right["x0"]) / 2
            if right["x0"] - left["x1"] >= _GUTTER and 0.4 * width < middle < 0.6 * width:
                candidates.append(middle)
    if len(candidates) < max(12, 0.5 * len(rows)):
        return None
    at = sorted(candidates)[len(candidates) // 2]
    free = [row for row in rows if not any(w["x0"] < at - 1 and w["x1"] > at + 1 for w in row)]
    both = [row for row in free if row[0]["x1"] < at < row[-1]["x0"]]
    return at if len(both) >= 0.5 * len(rows) else None


def _line(number: int, row: Sequence[dict[str, Any]], column: int) -> Line:
    weights: dict[tuple[float, str], int] = {}
    for word in row:
        style = (round(float(word["size"]), 1), str(word["fontname"]))
        weights[style] = weights.get(style, 0) + len(word["text"])
    size, font = max(weights, key=lambda style: (weights[style], style))
    name = font.rpartition("+")[2].lower()
    tallest = max(row, key=lambda w: float(w["size"]))
    return Line(
        page=number,
        top=float(tallest["top"]),
        bottom=float(tallest["bottom"]),
        x0=float(row[0]["x0"]),
        x1=float(row[-1]["x1"]),
        text=_text(row, size),
        size=size,
        bold="bold" in name or "black" in name,
        italic="italic" in name or "oblique" in name,
        column=column,
    )


def _text(row: Sequence[dict[str, Any]], size: float) -> str:
    """The words of a row with a space where the print leaves one; raised figures marked."""
    pieces: list[str] = []
    end: float | None = None
    for word in row:
        text = str(word["text"])
        if float(word["size"]) < _RAISED_SIZE * size and _DIGITS.fullmatch(text):
            text = f"{RAISED_OPEN}{text}{RAISED_CLOSE}"
        if end is not None and float(word["x0"]) - end > 0.12 * size:
            pieces.append(" ")
        pieces.append(text)
        end = float(word["x1"])
    return "".join(pieces).strip()
