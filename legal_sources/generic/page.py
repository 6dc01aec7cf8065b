"""Any web page that prints a law: articles found by their printed headings, with a measure of confidence.

The last layout to be asked. A page without article headings is refused: an empty law is worse than none.
"""

from __future__ import annotations

import re

from bs4 import BeautifulSoup, Tag
from lxml import etree

from claimrag.legal_sources.articles.language import guess_language
from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.generic.build import confidence, confidence_note, pieces_of, write_pieces
from claimrag.legal_sources.generic.contents import missing_end
from claimrag.legal_sources.generic.grammar import Role, classify
from claimrag.legal_sources.generic.lines import INLINE_TAGS, is_chrome, lines_of, main_element, soup_of
from claimrag.legal_sources.health import words_in_tree
from claimrag.legal_sources.markup import Document, local_name
from claimrag.legal_sources.parsed import UNKNOWN_DATE, ActHead, ParsedAct, Problem
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.errors import UnrecognisedLayoutError
from claimrag.schemas.unit import UnitKind

LAYOUT = "generic-page"
CONFIDENCE_MIN = 0.5
"""Below this share of well-formed articles the page is refused."""


def recognises(document: Document) -> bool:
    """Any HTML page."""
    return local_name(document.root).lower() in ("html", "body", "div")


def parse(document: Document) -> ParsedAct:
    """Find the law on the page; UnrecognisedLayoutError when no articles stand out clearly enough."""
    soup = soup_of(document)
    main = main_element(soup)
    before, pieces = pieces_of(classify(lines_of([main])))
    articles = [piece for piece in pieces if piece.part.role is Role.ARTICLE]
    single = len(articles) == 1 and articles[0].part.number.lower() in ("unique", "1", "1er", "premier")
    if not articles or (len(articles) == 1 and not single) or confidence(pieces) < CONFIDENCE_MIN:
        raise UnrecognisedLayoutError(
            f"{document.origin}: a web page on which no law was found ({len(articles)} article headings, confidence"
            f" {confidence(pieces):.2f}); give the page that prints the law itself"
        )
    builder = TreeBuilder()
    title = _title(soup, main)
    if before:
        builder.open(UnitKind.PREAMBLE)
        for line in before:
            builder.block(line)
        builder.close()
    builder.open(UnitKind.ENACTING_TERMS)
    write_pieces(builder, pieces)
    builder.close()
    text = " ".join(line for piece in pieces for line in piece.text)
    head, notes = _head(document, soup, title, text)
    counted = words_in_tree(_same_part(document, main), is_chrome, INLINE_TAGS)
    return assemble(
        builder, head, document, counted, [*notes, confidence_note(pieces), *missing_end(document.root)]
    )


def _same_part(document: Document, main: Tag) -> etree._Element:
    """The element of the lxml tree that `main` is in BeautifulSoup's; the page when it is not found."""
    for element in document.root.iter("main"):
        if main.name == "main":
            return element
    by_role = document.root.xpath("//*[@role='main']")
    if (
        main.get("role") == "main"
        and isinstance(by_role, list)
        and by_role
        and isinstance(by_role[0], etree._Element)
    ):
        return by_role[0]
    return document.root


def _title(soup: BeautifulSoup, main: Tag) -> str:
    for found in (main.find("h1"), soup.find("title"), soup.find("h1")):
        if isinstance(found, Tag):
            title = " ".join(found.get_text(" ").split())
            if title:
                return title[:500]
    return "Untitled page"


def _head(document: Document, soup: BeautifulSoup, title: str, text: str) -> tuple[ActHead, list[Problem]]:
    guessed = guess_language(text)
    html = soup.find("html")
    declared = html.get("lang") if isinstance(html, Tag) else None
    language = guessed or (
        declared[:2].lower() if isinstance(declared, str) and declared[:2].isalpha() else None
    )
    notes = [Problem(code="work_unknown", detail="a web page; the work is named by the hash of its bytes")]
    if language is None:
        notes.append(
            Problem(code="language_unknown", detail="neither the page nor its words tell the language")
        )
    if not document.well_formed:
        notes.append(Problem(code="repaired_markup", detail="the page is not well-formed XML"))
    return (
        ActHead(
            publisher="web",
            work=f"unknown-{document.raw_sha256[:12]}",
            title=re.sub(r"\s+", " ", title),
            language=language or "en",
            version_date=UNKNOWN_DATE,
            consolidated=True,
            layout=LAYOUT,
            licence="not stated",
            attribution="not stated",
        ),
        notes,
    )
