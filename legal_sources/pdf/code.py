"""Consolidated codes as printed by Legilux, and any other PDF whose articles have printed headings.

The generic reader of printed headings does the work; bold and centred blocks count as headings. The title is
the running header of a Luxembourg code, else the first line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.eurlex.identity import long_date
from claimrag.legal_sources.generic.build import confidence_note, pieces_of, write_pieces
from claimrag.legal_sources.generic.grammar import Part, classify
from claimrag.legal_sources.generic.lines import Line as PrintedLine
from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import UNKNOWN_DATE, ActHead, ParsedAct, Problem
from claimrag.legal_sources.pdf.blocks import Block
from claimrag.legal_sources.pdf.calls import Calls, plain, without_raised
from claimrag.legal_sources.pdf.footnotes import Note
from claimrag.legal_sources.pdf.pages import Line
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.errors import UnrecognisedLayoutError
from claimrag.schemas.unit import UnitKind

LAYOUT = "legilux-pdf"
OTHER_LAYOUT = "pdf"

_CONSOLIDATED = re.compile(r"Version consolidée au (?P<date>\d{1,2}(?:er)? \w+ \d{4})")
_LEGILUX = re.compile(r"Service central de législation")
_ARTICLE = re.compile(r"(?:Art\.|Article)\s?(?:[LRD]\.\s?)?\d[^\s]*\s*(?:$|[A-ZÉÈÀ(])")
_LEAST = 5
_OPENERS, _CLOSERS = '«“‘„" ', "”»’"
_LICENCE = "CC-BY-4.0"
_ATTRIBUTION = "Legilux — Ministère d'État, Service central de législation, Grand-Duché de Luxembourg"
_UNKNOWN_TERMS = "Not stated by the source; see the publisher"


def recognises(blocks: Sequence[Block]) -> bool:
    """Whether articles are printed as headings (`Art. 5.`, `Article 5`)."""
    return sum(bool(_ARTICLE.match(plain(block.text))) for block in blocks) >= _LEAST


def parse(
    source: Source, furniture: Sequence[Line], blocks: Sequence[Block], notes: Sequence[Note]
) -> ParsedAct:
    """The law; raises UnrecognisedLayoutError when no article can be found by its printed heading."""
    builder = TreeBuilder()
    calls = Calls(builder, notes, blocks)
    lines = [_printed(block, calls) for block in blocks]
    before, pieces = pieces_of(_classify(lines))
    if not pieces:
        raise UnrecognisedLayoutError(
            f"{source.origin}: no article or section is printed as a heading; give the law's web page or XML"
        )
    title = _title(furniture, before)
    builder.open(UnitKind.TITLE_OF_ACT)
    builder.block(title)
    builder.close()
    if before:
        builder.open(UnitKind.PREAMBLE)
        for text in before:
            builder.block(text)
        builder.close()
    write_pieces(builder, pieces)
    calls.write([plain(" ".join(note.lines)) for note in notes])
    return assemble(
        builder, _head(source, furniture, title), source, None, [confidence_note(pieces), *_unnamed(source)]
    )


def _printed(block: Block, calls: Calls) -> PrintedLine:
    """A heading loses its footnote calls, which would hide its number; other blocks keep theirs."""
    if block.centred or block.bold:
        return PrintedLine(without_raised(block.text), level=1)
    return PrintedLine(calls.mark(block.text, block.page))


def _classify(lines: Sequence[PrintedLine]) -> list[Part]:
    """The role of each line; an article printed as a heading ends any quotation left open before it.

    A print cuts quotations into blocks and may never close them, which must not swallow the articles after.
    """
    closed: list[PrintedLine] = []
    article_follows = False
    for line in reversed(lines):
        text = line.text.lstrip(_OPENERS) or line.text if line.level else line.text
        closed.append(replace(line, text=text + (_CLOSERS if article_follows and not line.level else "")))
        article_follows = _is_article(line) or (article_follows and bool(line.level))
    closed.reverse()
    return [replace(part, line=line) for part, line in zip(classify(closed), lines, strict=True)]


def _is_article(line: PrintedLine) -> bool:
    return line.level > 0 and bool(_ARTICLE.match(line.text))


def _title(furniture: Sequence[Line], before: Sequence[str]) -> str:
    """The bold running header (Legilux prints the code's name there), else the first line of the text."""
    named = next((line.text for line in furniture if line.bold and not _CONSOLIDATED.search(line.text)), None)
    return named or (before[0] if before else "")


def _head(source: Source, furniture: Sequence[Line], title: str) -> ActHead:
    header = " ".join(dict.fromkeys(line.text for line in furniture))
    legilux = bool(_LEGILUX.search(header))
    dated = _CONSOLIDATED.search(header)
    return ActHead(
        publisher="lu" if legilux else "file",
        work=_work(source),
        title=title or _work(source),
        language="fr" if legilux else "en",
        version_date=(long_date(dated["date"]) if dated else None) or UNKNOWN_DATE,
        consolidated=dated is not None,
        layout=LAYOUT if legilux else OTHER_LAYOUT,
        licence=_LICENCE if legilux else _UNKNOWN_TERMS,
        attribution=_ATTRIBUTION if legilux else source.origin,
    )


def _work(source: Source) -> str:
    return f"sha256-{source.raw_sha256[:16]}"


def _unnamed(source: Source) -> list[Problem]:
    return [
        Problem(code="work_unknown", detail=f"a PDF names no identifier; the work is called {_work(source)}")
    ]
