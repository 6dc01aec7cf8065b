"""Small PDFs of our own, set with reportlab as the known publishers print."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from claimrag.legal_sources.markup import Source

WIDTH, HEIGHT = A4
ROMAN, BOLD, ITALIC = "Times-Roman", "Times-Bold", "Times-Italic"
Row = tuple[str, float, float, str, float]
"""Text, x (a negative one centres the text), distance from the line above, font, size."""


def row(text: str, x: float = 60, step: float = 12, font: str = ROMAN, size: float = 10) -> Row:
    return text, x, step, font, size


def centred(text: str, step: float = 24, font: str = ROMAN) -> Row:
    return row(text, -1, step, font)


def pdf(pages: Iterable[Sequence[Row]], header: str = "", footer: str = "", top: float = 100) -> bytes:
    """One page per list of rows; `#` in the header or footer is the page's number."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4, invariant=1)
    for number, rows in enumerate(pages, start=1):
        for text, y in ((header, 50.0), (footer, HEIGHT - 40)):
            canvas.setFont(ROMAN, 9)
            canvas.drawCentredString(WIDTH / 2, HEIGHT - y, text.replace("#", str(number)))
        y = top
        for text, x, step, font, size in rows:
            y += step
            canvas.setFont(font, size)
            if x < 0:
                canvas.drawCentredString(WIDTH / 2, HEIGHT - y, text)
            else:
                canvas.drawString(x, HEIGHT - y, text)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def source(raw: bytes) -> Source:
    return Source.of(raw, origin="law.pdf")
