"""Writes EUR-Lex HTML content (paragraphs, layout tables, real tables, lists) through a ProvisionWriter.

Shared by all HTML layouts. Point lists are layout tables in the Official Journal and grids of `div` in
consolidated texts; both end up as points. Footnotes met on the way are kept for the end of the act.
"""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from claimrag.legal_sources.eurlex.flow import (
    BLOCKS,
    blocks,
    css_class,
    flow,
    grid_cells,
    inline_text,
    table_rows,
)
from claimrag.legal_sources.eurlex.headings import (
    Label,
    after_label,
    leading_marker,
    point_label,
    starts_with_quote,
)
from claimrag.legal_sources.eurlex.notes import FootnoteReader
from claimrag.legal_sources.eurlex.provisions import ProvisionWriter
from claimrag.legal_sources.tree import normalise

_FURNITURE_TAGS = frozenset(("hr", "script", "style", "head", "img", "colgroup", "col", "caption"))
_TITLES_OF_QUOTED_ACTS = frozenset(("ti-art", "sti-art", "title-article-norm", "stitle-article-norm"))
_REAL_TABLES = frozenset(("table", "tbl", "borderOj"))


class ContentWriter:
    """Walks content elements in order; a layout handles its own headings first by overriding `special`."""

    def __init__(
        self,
        provisions: ProvisionWriter,
        notes: FootnoteReader,
        furniture: frozenset[etree._Element] = frozenset(),
    ) -> None:
        """`furniture` are elements to leave out."""
        self.provisions = provisions
        self.notes = notes
        self.furniture = furniture

    def text_of(self, element: etree._Element) -> str:
        """The text of an element as one run, with call marks."""
        return inline_text(element, self.notes.call) if len(element) else element.text or ""

    def special(self, element: etree._Element, name: str) -> bool:  # noqa: ARG002 - layouts look at the class
        """Deal with a block, given its class, in the layout's own way; False when it has none for it."""
        return element in self.furniture

    def element(self, element: etree._Element) -> None:
        """Write one block element, without its tail."""
        name, tag = css_class(element), element.tag
        if tag in _FURNITURE_TAGS or self.notes.take(element, name) or self.special(element, name):
            return
        if tag == "p" and not (len(element) and _holds_block(element)):
            self._paragraph(element, name)
        elif tag == "table":
            self.table(element, name)
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
        children = list(element)
        if _are_only_blocks(element.text, children):
            for child in children:
                self.element(child)
            return
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
            tail = element.tail
            if tail and not tail.isspace():
                self.provisions.tail(tail)

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
        label = self.provisions.point_of(normalise(self.text_of(parts[0]))) if len(parts) >= 2 else None
        if label:
            node = self.provisions.open_point(label)
            self.elements(parts[1:])
            self.provisions.close_point(node)
        else:
            self.provisions.alinea(" ".join(blocks(element, self.notes.call)))

    def _grid(self, element: etree._Element) -> None:
        """A consolidated text's list item: column 1 the marker, column 2 the text."""
        columns = [child for child in element if child.tag == "div"]
        marker = self.text_of(columns[0]) if columns else ""
        if len(columns) == 2:
            self._labelled(normalise(marker), columns[1])
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
        node = self.provisions.open_point(marker)
        self.provisions.alinea(after_label(text, marker.label))
        for part in parts[1:]:
            if isinstance(part, str):
                self.provisions.tail(part)
            else:
                self.element(part)
        self.provisions.close_point(node)

    def _filled(self, element: etree._Element) -> list[str | etree._Element]:
        return [
            item
            for item in flow(element, self.notes.call)
            if isinstance(item, str) or item.tag not in _FURNITURE_TAGS
        ]

    def table(self, table: etree._Element, name: str) -> None:
        """Write a table, given its class: points, where it only indents text, else cells."""
        if self._is_one_point(table, name):
            return
        rows = table_rows(table)
        markers = None if _is_drawn(table, name) else self._layout_markers(rows)
        if markers is None:
            self.provisions.table(grid_cells(table, self.notes.call))
            return
        for row, marker in zip(rows, markers, strict=True):
            if marker:
                self._labelled(marker, row[-1])
            elif row:
                self.content(row[-1])

    def _is_one_point(self, table: etree._Element, name: str) -> bool:
        """Write a table of one row, a point's marker and its text, as most points are; False for any other."""
        row = table[0] if len(table) == 1 else None
        if row is None or row.tag != "tr" or len(row) != 2 or _is_drawn(table, name):
            return False
        label = self.provisions.point_of(normalise(self.text_of(row[0])))
        if label is None:
            return False
        self._point(label, row[1])
        return True

    def _layout_markers(self, rows: list[list[etree._Element]]) -> list[str] | None:
        """What each row of a layout table starts with; None when the table is no layout table."""
        markers: list[str] = []
        for row in rows:
            marker = self._marker(row)
            if not _may_mark_a_row(marker):
                return None
            markers.append(marker)
        return markers

    def _marker(self, row: list[etree._Element]) -> str:
        return normalise(" ".join([self.text_of(cell) for cell in row[:-1]]))

    def _labelled(self, marker: str, cell: etree._Element) -> None:
        """A point and its text; in a quoted text the marker joins the first block and nothing is a unit."""
        label = self.provisions.point_of(marker)
        if label:
            self._point(label, cell)
            return
        texts = blocks(cell, self.notes.call)
        first = f"{marker} {texts[0]}" if texts else marker
        for text in (first, *texts[1:]):
            self.provisions.alinea(text)

    def _point(self, label: Label, cell: etree._Element) -> None:
        node = self.provisions.open_point(label)
        self.content(cell)
        self.provisions.close_point(node)


def _is_drawn(table: etree._Element, name: str) -> bool:
    """Whether a table is one to the eye, by its class or its border, and not a means to indent text."""
    return name in _REAL_TABLES or table.get("border") not in (None, "", "0")


def _may_mark_a_row(marker: str) -> bool:
    """Whether a layout table's row may start so: with nothing, a point's marker, or a quotation."""
    return (
        not marker
        or point_label(marker.lstrip("‘“« ")) is not None
        or (starts_with_quote(marker) and len(marker) <= 16)
    )


def _are_only_blocks(text: str | None, children: Iterable[etree._Element]) -> bool:
    """Whether `children` are blocks, and neither `text` before them nor that between them says anything."""
    if text and not text.isspace():
        return False
    for child in children:
        text = child.tail
        if child.tag not in BLOCKS or (text and not text.isspace()):
            return False
    return True


def _holds_block(element: etree._Element) -> bool:
    return any(inner.tag in BLOCKS for inner in element.iterdescendants())
