"""An act without articles (a corrigendum, a short decision) as one document unit that keeps all its text."""

from __future__ import annotations

from lxml import etree

from claimrag.legal_sources.eurlex.flow import blocks, css_class
from claimrag.legal_sources.eurlex.notes import FootnoteReader
from claimrag.legal_sources.parsed import Problem
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.unit import UnitKind

NO_ARTICLES = Problem(code="no_articles", detail="no article; the text is one document unit")


def write_document(
    builder: TreeBuilder,
    page: etree._Element,
    notes: FootnoteReader,
    furniture: frozenset[etree._Element],
) -> None:
    """Write the blocks of `page`, without `furniture` and footnotes, into one document unit."""
    builder.open(UnitKind.DOCUMENT)
    _write(page, builder, notes, furniture)
    builder.close()


def _write(
    element: etree._Element,
    builder: TreeBuilder,
    notes: FootnoteReader,
    furniture: frozenset[etree._Element],
) -> None:
    builder.block(element.text or "")
    for child in element:
        if child not in furniture and not notes.take(child, css_class(child)):
            if child.tag in ("div", "body", "txt_te"):
                _write(child, builder, notes, furniture)
            else:
                for text in blocks(child, notes.call):
                    builder.block(text)
        builder.block(child.tail or "")
