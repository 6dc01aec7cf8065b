"""Writes EUR-Lex HTML content (paragraphs, layout tables, real tables, lists) through a ProvisionWriter.

Shared by all HTML layouts. Point lists are layout tables in the Official Journal and grids of `div` in
consolidated texts; both end up as points. Footnotes met on the way are kept for the end of the act.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lxml import etree

from legal_sources.eurlex.flow import (
    BLOCKS,
    blocks,
    css_class,
    flow,
    grid_cells,
    inline_text,
    table_rows,
)
from legal_sources.eurlex.headings import after_label, leading_marker, point_label, starts_with_quote
from legal_sources.eurlex.notes import FootnoteReader
from legal_sources.eurlex.provisions import ProvisionWriter
from legal_sources.tree import normalise

Special = Callable[[etree._Element, str], bool]
"""A layout's own handling of a block (element, class); True when it has dealt with it."""

_FURNITURE_TAGS = frozenset(("hr", "script", "style", "head", "img", "colgroup", "col", "caption"))
_TITLES_OF_QUOTED_ACTS = frozenset(("ti-art", "sti-art", "title-article-norm", "stitle-article-norm"))
_REAL_TABLES = frozenset(("table", "tbl", "borderOj"))


class ContentWriter:
    """Walks content elements in order. `special` lets a layout handle its own headings first."""

    def __init__(self, provisions: ProvisionWriter, notes: FootnoteReader, special: Special) -> None:
        self.provisions = provisions
        self.notes = notes
        self._special = special

    def element(self, element: etree._Element) -> None:
        """Write one block element, without its tail."""
        name = css_class(element)
        if element.tag in _FURNITURE_TAGS or self.notes.take(element, name) or self._special(element, name):
            return
        if element.tag == "table":
            self._table(element, name)
        elif element.tag == "p" and not _holds_block(element):
            self._paragraph(element, name)
        elif "enumeration-spacing" in name:
            self._enumeration(element)
        elif "grid-container" in name:
            self._grid(element)
        elif "text-indent: -" in (element.get("style") or ""):
            self._indented(element)
        else:
            self.content(element)

    def content(self, element: etree._Element) -> None:
        """Write everything inside `element`, in order."""
        after_block = False
        for item in flow(element, self.notes.call):
            if not isinstance(item, str):
                self.element(item)
            elif after_block:
                self.provisions.tail(item)
            else:
                self.provisions.alinea(item)
            after_block = not isinstance(item, str)

    def elements(self, elements: Iterable[etree._Element]) -> None:
        """Write several blocks and the text after each."""
        for element in elements:
            self.element(element)
            if element.tail and element.tail.strip():
                self.provisions.tail(element.tail)

    def text_of(self, element: etree._Element) -> str:
        """The text of `element` as one run, with call marks."""
        return inline_text(element, self.notes.call)

    def _paragraph(self, element: etree._Element, name: str) -> None:
        text = self.text_of(element)
        if name in _TITLES_OF_QUOTED_ACTS:
            with self.provisions.quotation():
                self.provisions.alinea(text)
        else:
            self.provisions.numbered_or_alinea(text)

    def _enumeration(self, element: etree._Element) -> None:
        """`<p>1.</p><p>text</p>` set on one line."""
        parts = list(element)
        if len(parts) >= 2 and self._is_point(self.text_of(parts[0])):
            with self.provisions.point(self.text_of(parts[0])):
                self.elements(parts[1:])
        else:
            self.provisions.alinea(" ".join(blocks(element, self.notes.call)))

    def _grid(self, element: etree._Element) -> None:
        """A consolidated text's list item: column 1 the marker, column 2 the text."""
        columns = [child for child in element if child.tag == "div"]
        marker = self.text_of(columns[0]) if columns else ""
        if len(columns) == 2 and self._is_point(marker):
            with self.provisions.point(marker):
                self.content(columns[1])
        elif len(columns) == 2:
            self._quoted_row(marker, columns[1])
        else:
            self.content(element)

    def _indented(self, element: etree._Element) -> None:
        """A hanging indent: the marker is the first word of the first block ("(a) text")."""
        parts = self._filled(element)
        first = parts[0] if parts else ""
        while not isinstance(first, str) and _holds_block(first):
            parts[:1] = self._filled(first)
            first = parts[0] if parts else ""
        text = first if isinstance(first, str) else self.text_of(first)
        marker = leading_marker(normalise(text))
        if marker is None or self.provisions.quoting:
            self.content(element)
            return
        with self.provisions.point(marker.label):
            self.provisions.alinea(after_label(text, marker.label))
            for part in parts[1:]:
                if isinstance(part, str):
                    self.provisions.tail(part)
                else:
                    self.element(part)

    def _filled(self, element: etree._Element) -> list[str | etree._Element]:
        return [
            item
            for item in flow(element, self.notes.call)
            if (item.strip() if isinstance(item, str) else item.tag not in _FURNITURE_TAGS)
        ]

    def _table(self, table: etree._Element, name: str) -> None:
        rows = table_rows(table)
        drawn = name in _REAL_TABLES or table.get("border") not in (None, "", "0")
        if not drawn and all(self._is_layout_row(row) for row in rows):
            for row in rows:
                self._layout_row(row)
        else:
            self.provisions.table(grid_cells(table, self.notes.call))

    def _is_layout_row(self, row: list[etree._Element]) -> bool:
        marker = self._marker(row)
        return (
            not marker
            or point_label(marker.lstrip("‘“« ")) is not None
            or (starts_with_quote(marker) and len(marker) <= 16)
        )

    def _marker(self, row: list[etree._Element]) -> str:
        return normalise(" ".join(self.text_of(cell) for cell in row[:-1]))

    def _layout_row(self, row: list[etree._Element]) -> None:
        if not row:
            return
        marker = self._marker(row)
        if not marker:
            self.content(row[-1])
        elif self._is_point(marker):
            with self.provisions.point(marker):
                self.content(row[-1])
        else:
            self._quoted_row(marker, row[-1])

    def _quoted_row(self, marker: str, cell: etree._Element) -> None:
        """A point of a quoted text: its marker joins its first block and nothing becomes a unit."""
        texts = blocks(cell, self.notes.call)
        first = f"{marker} {texts[0]}" if texts else marker
        for text in (first, *texts[1:]):
            self.provisions.alinea(text)

    def _is_point(self, marker: str) -> bool:
        return not self.provisions.quoting and point_label(normalise(marker)) is not None


def _holds_block(element: etree._Element) -> bool:
    return len(element) > 0 and any(inner.tag in BLOCKS for inner in element.iterdescendants())
