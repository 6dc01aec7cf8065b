"""From classified lines to the tree: divisions, articles with their paragraphs and points, annexes.

Says how sure it is: the share of articles whose numbers follow one another and that have text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from claimrag.legal_sources.articles.divisions import Divisions, division_kind
from claimrag.legal_sources.articles.structure import write_text
from claimrag.legal_sources.generic.grammar import Part, Role
from claimrag.legal_sources.legilux.abrogation import says_abrogated
from claimrag.legal_sources.legilux.numbers import article_number, division_number
from claimrag.legal_sources.parsed import Problem
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.unit import UnitKind, UnitStatus

_POINT = re.compile(r"(?:\([a-z]{1,4}\)|[a-z]{1,2}\)|\d{1,3}(?:bis|ter)?°|\d{1,3}\)|[-–—•])\s")
_SEPARATOR = " — "


@dataclass
class Piece:
    """An article or annex with the lines of its text, and the divisions above it."""

    part: Part
    path: tuple[str, ...]
    text: list[str]
    heading: str | None = None


def pieces_of(parts: Sequence[Part]) -> tuple[list[str], list[Piece]]:
    """The lines before the first article, and the articles and annexes; a table of contents is left before."""
    begin = _after_contents(parts)
    before = [part.line.text for part in parts[:begin] if part.role is not Role.DIVISION]
    divisions: list[tuple[UnitKind | None, str]] = []
    pieces: list[Piece] = []
    waiting_title = False
    for part in parts[begin:]:
        if part.role is Role.DIVISION:
            title = f"{part.label}{_SEPARATOR}{part.rest}" if part.rest else part.label
            divisions = _above(divisions, part)
            divisions.append((_rank(part), title))
            waiting_title = not part.rest
        elif part.role in (Role.ARTICLE, Role.ANNEX):
            path = tuple(title for _, title in divisions) if part.role is Role.ARTICLE else ()
            pieces.append(_piece(part, path))
            waiting_title = False
        elif waiting_title and divisions:
            # "CHAPTER II" on one line, its title on the next.
            divisions[-1] = (divisions[-1][0], f"{divisions[-1][1]}{_SEPARATOR}{part.line.text}")
            waiting_title = False
        elif pieces:
            pieces[-1].text.append(part.line.text)
        else:
            before.append(part.line.text)
    return before, pieces


def write_pieces(builder: TreeBuilder, pieces: Sequence[Piece]) -> None:
    """Write articles and annexes into `builder`; annexes close every division."""
    depth = builder.depth
    divisions = Divisions(builder, _SEPARATOR)
    for piece in pieces:
        divisions.enter(piece.path)
        is_article = piece.part.role is Role.ARTICLE
        text = _joined(piece.text)
        builder.open(
            UnitKind.ARTICLE if is_article else UnitKind.ANNEX,
            number=article_number(piece.part.label) if is_article else division_number(piece.part.label),
            label=piece.part.label,
            heading=piece.heading,
            status=UnitStatus.ABROGATED if says_abrogated(text) else UnitStatus.IN_FORCE,
        )
        write_text(builder, text)
        builder.close()
    builder.close_to(depth)


def confidence(pieces: Sequence[Piece]) -> float:
    """0 to 1: the share of articles that have text and whose number is not below the one before."""
    articles = [piece for piece in pieces if piece.part.role is Role.ARTICLE]
    if not articles:
        return 0.0
    good, last = 0, 0
    for piece in articles:
        match = re.search(r"\d+", piece.part.number)
        number = int(match.group()) if match and len(match.group()) < 6 else last
        good += bool(piece.text or piece.heading) and number >= last
        last = number
    return good / len(articles)


def confidence_note(pieces: Sequence[Piece]) -> Problem:
    """What the reader should know: how many articles were found by their printed headings, and how surely."""
    share = confidence(pieces)
    count = sum(piece.part.role is Role.ARTICLE for piece in pieces)
    return Problem(
        code="uncertain_structure",
        detail=f"structure found by printed headings: {count} articles, confidence {share:.2f} of 1; check a few",
    )


def _piece(part: Part, path: tuple[str, ...]) -> Piece:
    rest = part.rest
    if not rest:
        return Piece(part, path, [])
    # A rest that reads as a sentence is text; a short one without a full stop, on a heading line, a title.
    is_heading = part.role is Role.ANNEX or (
        len(rest) < 150 and not rest.endswith((".", ";", ":", ",")) and bool(part.line.level)
    )
    return Piece(part, path, [] if is_heading else [rest], rest if is_heading else None)


def _after_contents(parts: Sequence[Part]) -> int:
    """Index of the first article of the law itself: a table of contents before it names the same number."""
    first = next((at for at, part in enumerate(parts) if part.role is Role.ARTICLE), 0)
    if not parts or parts[first].role is not Role.ARTICLE:
        return 0
    again = [
        at
        for at, part in enumerate(parts)
        if at > first and part.role is Role.ARTICLE and part.number == parts[first].number
    ]
    if again and not any(
        part.role is Role.TEXT and len(part.line.text) > 120 for part in parts[first : again[0]]
    ):
        first = again[0]
    return _with_divisions_above(parts, first)


def _with_divisions_above(parts: Sequence[Part], first: int) -> int:
    """Go back over divisions that stand directly above the first article, and the titles on lines of their own."""
    begin = first
    while begin > 0:
        if parts[begin - 1].role is Role.DIVISION:
            begin -= 1
        elif begin > 1 and parts[begin - 2].role is Role.DIVISION and len(parts[begin - 1].line.text) < 200:
            begin -= 2
        else:
            break
    return begin


def _rank(part: Part) -> UnitKind | None:
    return division_kind(part.label)


def _above(divisions: list[tuple[UnitKind | None, str]], part: Part) -> list[tuple[UnitKind | None, str]]:
    """The open divisions that may hold `part`: those before the first of its own kind."""
    rank = _rank(part)
    kinds = [kind for kind, _ in divisions]
    return divisions[: kinds.index(rank)] if rank in kinds else _wider(divisions, rank)


def _wider(
    divisions: list[tuple[UnitKind | None, str]], rank: UnitKind | None
) -> list[tuple[UnitKind | None, str]]:
    order = [
        UnitKind.BOOK,
        UnitKind.PART,
        UnitKind.TITLE,
        UnitKind.CHAPTER,
        UnitKind.SECTION,
        UnitKind.SUBSECTION,
    ]
    if rank not in order:
        return divisions
    return [each for each in divisions if each[0] not in order or order.index(each[0]) < order.index(rank)]


def _joined(lines: Sequence[str]) -> str:
    """Lines as `write_text` reads them: an empty line before each, except before points."""
    joined = ""
    for line in lines:
        joined += ("\n" if joined and _POINT.match(line) else "\n\n") + line
    return joined.strip()
