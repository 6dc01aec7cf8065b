"""Justel, Belgium's database of consolidated law: pages in Latin-1 with anchors for articles and divisions.

Promises: articles are those the publisher anchors, so that laws quoted by amending laws do not count; the
editors' amendment notes stand apart, anchored where they are printed. The table of contents is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import date

from bs4 import BeautifulSoup, Tag
from lxml import etree

from claimrag.legal_sources.articles.language import guess_language
from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.generic.build import pieces_of, write_pieces
from claimrag.legal_sources.generic.contents import missing_end
from claimrag.legal_sources.generic.grammar import Part, Role
from claimrag.legal_sources.generic.lines import INLINE_TAGS, Line, is_chrome, lines_of, soup_of
from claimrag.legal_sources.health import words_in_tree
from claimrag.legal_sources.legilux.akoma_ntoso import AnnotatedTree
from claimrag.legal_sources.markup import Document
from claimrag.legal_sources.parsed import UNKNOWN_DATE, ActHead, ParsedAct, Problem
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.errors import UnrecognisedLayoutError
from claimrag.schemas.unit import UnitKind

LAYOUT = "justel"
_TEXT_BOX = "list-title-3"
_MARK = "\ufdd2"
_OPENING_MARK = re.compile(rf"\[\s*{_MARK}\s?|\s?\]\s*{_MARK}|{_MARK}")
_EDITORS_NOTE = re.compile(r"\s*<(?=[A-Z(])[^<>]{4,400}>")
_WHOLLY_ABROGATED = re.compile(r"<(?:Abrog|Opgeheven|Rapport)[^<>]{0,400}>")
_NOTE_LINE = re.compile(r"\(\d+\)\s*<.*")
_ARTICLE = re.compile(
    r"(?P<label>(?:Article|Art\.|Artikel|Artículo)\s*(?P<number>[^\s.,(\[<]+(?:\.\d+[^\s.,(\[<]*)*)\s?\.?)\s*(?P<rest>.*)"
)
_DIVISION = re.compile(r"(?P<label>[^-–.<\[(]{1,60}\.?)(?:\s*[-–]\s*|\s*)(?P<rest>.*)")
_MONTH_NAMES = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
_MONTHS = _MONTH_NAMES.split()
_DATE = re.compile(r"Publication\s*:\s*(\d{1,2})(?:er)?\s+(\w+)\s+(\d{4})")
_ELI = re.compile(r"ejustice\.just\.fgov\.be/eli/([a-z_]+/\d{4}/\d{2}/\d{2}/\w+)")


def recognises(document: Document) -> bool:
    """A page of Justel, by its own address and the box that holds the text."""
    head = document.raw[:4096]
    return b"Justel" in head and f'id="{_TEXT_BOX}"'.encode() in document.raw


def parse(document: Document) -> ParsedAct:
    """Parse a consolidated law; UnrecognisedLayoutError for a page of Justel without a text."""
    soup = soup_of(document)
    box = soup.find(id=_TEXT_BOX)
    lines = lines_of([box], _rewrite) if isinstance(box, Tag) else []
    builder = AnnotatedTree()
    lines = _notes_apart(builder, [line for line in lines if line.level == 0])
    _, pieces = pieces_of([_part(line) for line in lines])
    if not pieces:
        raise UnrecognisedLayoutError(
            f"{document.origin}: a page of Justel without the text of a law; open the law itself"
        )
    title = _text(soup.select_one("p.list-item--title"))
    builder.open(UnitKind.TITLE_OF_ACT)
    builder.block(title)
    builder.close()
    _box(builder, UnitKind.PREAMBLE, soup, "list-title-sw_prev")
    builder.open(UnitKind.ENACTING_TERMS)
    write_pieces(builder, pieces)
    builder.close()
    _box(builder, UnitKind.FINAL_PART, soup, "list-title-sw_sign")
    language = guess_language(" ".join(line for piece in pieces for line in piece.text)) or "fr"
    head, notes = _head(document, soup, title, language)
    return assemble(builder, head, document, _source_words(document), [*notes, *missing_end(document.root)])


def _part(line: Line) -> Part:
    """Articles and divisions carry the publisher's anchors (`Art.6`, `LNK0002`); other lines are text."""
    if any(anchor.startswith("Art.") for anchor in line.anchors):
        match = _ARTICLE.fullmatch(line.text)
        if match:
            return Part(Role.ARTICLE, line, match["label"].strip(), match["number"], match["rest"])
    if any(anchor.startswith("LNK") for anchor in line.anchors):
        match = _DIVISION.fullmatch(line.text)
        if match:
            if re.match(r"annexes?\b", match["label"], re.IGNORECASE):
                return Part(Role.ANNEX, line, match["label"].strip(" ."), "", match["rest"])
            return Part(Role.DIVISION, line, match["label"].strip(), "", match["rest"])
    return Part(Role.TEXT, line)


def _rewrite(node: Tag) -> str | None:
    """Superscript marks of amendments become one character, to be taken out with their brackets."""
    if node.name == "sup" and node.find("font") is not None:
        return _MARK
    return None


def _notes_apart(builder: TreeBuilder, lines: list[Line]) -> list[Line]:
    kept: list[Line] = []
    for line in lines:
        text = _OPENING_MARK.sub("", line.text)
        if re.fullmatch(r"-{4,}", text):
            continue
        if _NOTE_LINE.fullmatch(text) and kept:
            kept[-1].text += _note(builder, text)
            continue
        if kept and _WHOLLY_ABROGATED.fullmatch(text):
            kept.append(Line(text.strip("<> "), line.level, line.anchors))
            continue
        text = _EDITORS_NOTE.sub(lambda found: _note(builder, found.group()), text)
        kept.append(Line(text, line.level, line.anchors))
    return kept


def _note(builder: TreeBuilder, text: str) -> str:
    key = str(len(builder.footnotes))
    builder.footnote(key, number=None, label=None, text=text)
    return builder.call(key)


def _box(builder: TreeBuilder, kind: UnitKind, soup: BeautifulSoup, identifier: str) -> None:
    box = soup.find(id=identifier)
    lines = [line for line in lines_of([box]) if line.level == 0] if isinstance(box, Tag) else []
    if lines:
        builder.open(kind)
        for line in lines:
            builder.block(line.text)
        builder.close()


def _source_words(document: Document) -> Counter[str]:
    """Words of the boxes that hold the law; headings of the page, marks of amendments and rules left out."""
    counted: Counter[str] = Counter()
    for element in document.root.iter("div"):
        if element.get("id") in (_TEXT_BOX, "list-title-sw_prev", "list-title-sw_sign"):
            counted += words_in_tree(element, _not_counted, INLINE_TAGS)
    return counted


def _not_counted(element: etree._Element) -> bool:
    if is_chrome(element) or element.tag == "h2":
        return True
    return element.tag == "sup" and element.find(".//font") is not None


def _head(
    document: Document, soup: BeautifulSoup, title: str, language: str
) -> tuple[ActHead, list[Problem]]:
    match = _ELI.search(document.raw.decode(document.encoding, errors="replace"))
    notes = [] if match else [Problem(code="work_unknown", detail="the page does not give the law's ELI")]
    published = _DATE.search(" ".join(soup.get_text(" ").split()))
    version = UNKNOWN_DATE
    if published and published.group(2).lower() in _MONTHS:
        version = date(
            int(published.group(3)), _MONTHS.index(published.group(2).lower()) + 1, int(published.group(1))
        )
    return (
        ActHead(
            publisher="be",
            work=match.group(1).replace("/", "-") if match else f"unknown-{document.raw_sha256[:12]}",
            title=title,
            language=language,
            version_date=version,
            consolidated=True,
            layout=LAYOUT,
            licence="public legislation (Belgium, Code of Economic Law, Art. XI.172)",
            attribution="Justel, Service public fédéral Justice, Belgium",
            eli=f"https://www.ejustice.just.fgov.be/eli/{match.group(1)}" if match else None,
        ),
        notes,
    )


def _text(element: Tag | None) -> str:
    return " ".join(element.get_text(" ").split()) if element is not None else ""
