"""The Official Journal's XHTML without ELI subdivisions (`ti-art` headings), and acts without articles.

Older conversions print headings and paragraphs side by side. A page with Official Journal classes but no
article (a corrigendum, a short decision) becomes one document unit, whose text is kept in full.
"""

from __future__ import annotations

from lxml import etree

from claimrag.legal_sources import health
from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.eurlex.document_unit import NO_ARTICLES, write_document
from claimrag.legal_sources.eurlex.flat_page import FlatPage
from claimrag.legal_sources.eurlex.flow import css_class
from claimrag.legal_sources.eurlex.identity import head_of_act
from claimrag.legal_sources.eurlex.notes import FootnoteReader
from claimrag.legal_sources.eurlex.oj_page import PageHeader, page_furniture, page_header
from claimrag.legal_sources.eurlex.page_frame import act_frame
from claimrag.legal_sources.markup import Document, text_content
from claimrag.legal_sources.parsed import ParsedAct, Problem
from claimrag.legal_sources.tree import TreeBuilder, without_calls

LAYOUT = "eurlex-oj-flat"
DOCUMENT_LAYOUT = "eurlex-oj-document"

_OJ_CLASSES = frozenset(("doc-ti", "hd-date", "hd-oj", "hd-uniq", "ti-art"))


def recognises(document: Document) -> bool:
    """Whether the page has classes of the Official Journal."""
    return document.root.tag == "html" and any(
        css_class(element) in _OJ_CLASSES for element in document.root.iter("p")
    )


def parse(document: Document) -> ParsedAct:
    """Parse the act; without articles it is one document unit, with the note `no_articles`."""
    if not any(css_class(element) == "ti-art" for element in document.root.iter("p")):
        return _parse_document(document)
    root = document.root
    furniture = page_furniture(root)
    page = FlatPage(root, furniture, consolidated=False)
    page.walk(act_frame(root))
    page.builder.close_to(0)
    page.notes.write()
    return _assemble(
        document,
        LAYOUT,
        page.builder,
        page.writer.title_lines,
        page.notes,
        furniture,
        page_header(root),
        page.provisions.unplaced,
    )


def _parse_document(document: Document) -> ParsedAct:
    root = document.root
    furniture = page_furniture(root)
    builder = TreeBuilder()
    notes = FootnoteReader(builder, root)
    title_lines = [
        without_calls(text_content(element))
        for element in root.iter("p")
        if css_class(element) == "doc-ti" and element not in furniture
    ]
    write_document(builder, act_frame(root), notes, furniture)
    notes.write()
    header = page_header(root)
    return _assemble(document, DOCUMENT_LAYOUT, builder, title_lines, notes, furniture, header, [NO_ARTICLES])


def _assemble(
    document: Document,
    layout: str,
    builder: TreeBuilder,
    title_lines: list[str],
    notes: FootnoteReader,
    furniture: frozenset[etree._Element],
    header: PageHeader,
    found: list[Problem],
) -> ParsedAct:
    head, missing = head_of_act(
        document,
        layout=layout,
        title_lines=title_lines,
        language=header.language,
        version_date=header.published,
        consolidated=False,
    )
    visible = health.visible_text_without(act_frame(document.root), furniture | notes.calls)
    return assemble(builder, head, document, visible, [*missing, *found, *notes.problems])
