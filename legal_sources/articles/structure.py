"""From an article's plain text to paragraphs, alineas and points: by what is printed, nothing is invented.

A block (text between empty lines) that begins with "(2)" or "2." is a paragraph and holds the blocks that
follow it; a line that begins with "a)", "1°" or a dash is a point. Everything else is an alinea.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from claimrag.legal_sources.legilux.numbers import paragraph_number
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.unit import UnitKind

_PARAGRAPH = re.compile(
    r"(?:§\s*\d+\S*|\(\d{1,3}\s?(?:[A-Z]{1,2}|bis|ter|quater)?\)|\d{1,3}\.(?:\s?[A-Z]{1,2}\b)?)(?=\s|[A-Z«‘“\"])"
)
_POINT = re.compile(
    r"(?:\([a-z]{1,4}\)|[a-z]{1,2}\)|\d{1,3}(?:bis|ter)?°|\d{1,3}\)|\d{1,3}\.|[-–—•*])(?=\s|[A-ZÀ-Ü«‘“])"
)
_EMPHASIS = re.compile(r"\*{1,3}")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!|>~-])")
_LINK = re.compile(r"!?\[([^\]\n]{0,500})\]\([^)\n]{0,1000}\)")
_RULE = re.compile(r"\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)*\|?")


@dataclass(frozen=True)
class Line:
    """A line of text, and the marker that begins it when it is a point."""

    text: str
    marker: str | None


def plain_of_markdown(text: str) -> str:
    """Markdown without emphasis, link targets, escapes and table rules; line structure is kept."""
    lines = [line for line in text.splitlines() if not _RULE.fullmatch(line.strip() or "x")]
    plain = _LINK.sub(r"\1", _EMPHASIS.sub("", "\n".join(line.strip().strip("|") for line in lines)))
    return _ESCAPE.sub(r"\1", plain)


def write_text(builder: TreeBuilder, text: str) -> None:
    """Write an article's text into the open unit of `builder`, as paragraphs, alineas and points."""
    depth = builder.depth
    listing = False
    for block in re.split(r"\n\s*\n", text):
        lines = [_line(each) for each in block.splitlines() if each.strip()]
        if not lines:
            continue
        label = _paragraph_label(lines[0].text)
        listing = listing and label is not None and label.startswith("(")
        if listing and label:
            # "the following definitions apply:" goes on with points, however their numbers look.
            lines[0] = Line(lines[0].text, label)
        elif label:
            builder.close_to(depth)
            builder.open(UnitKind.PARAGRAPH, number=paragraph_number(label), label=label, inline=True)
            lines[0] = Line(lines[0].text[len(label) :], None)
        elif lines[0].marker is None:
            builder.close_to(depth + (1 if _holds_paragraph(builder, depth) else 0))
        _write_block(builder, lines)
        listing = listing or lines[-1].text.endswith(":")
    builder.close_to(depth)


def _holds_paragraph(builder: TreeBuilder, depth: int) -> bool:
    """Whether the unit at `depth` has a paragraph open, which the next unmarked block belongs to."""
    current = builder.current
    if builder.depth == depth + 2 and current is not None:
        current = current.parent
    return builder.depth > depth and current is not None and current.kind is UnitKind.PARAGRAPH


def _write_block(builder: TreeBuilder, lines: list[Line]) -> None:
    if lines[0].marker is None:
        if builder.current is not None and builder.current.kind is UnitKind.SUBPARAGRAPH:
            builder.close()
        builder.open(UnitKind.SUBPARAGRAPH)
    for line in lines:
        if line.marker is None:
            builder.block(line.text)
            continue
        builder.open(UnitKind.POINT, number=paragraph_number(line.marker), label=line.marker, inline=True)
        builder.block(line.text[len(line.marker) :])
        builder.close()


def _paragraph_label(text: str) -> str | None:
    match = _PARAGRAPH.match(text)
    return match.group(0) if match else None


def _line(raw: str) -> Line:
    text = " ".join(raw.split())
    match = _POINT.match(text)
    return Line(text, match.group(0) if match else None)
