"""Walks the body of a Formex act: title, preamble, divisions, articles, paragraphs, lists, annexes."""

from __future__ import annotations

from lxml import etree

from claimrag.legal_sources.eurlex.act_writer import ActWriter
from claimrag.legal_sources.eurlex.formex_text import FormexText
from claimrag.legal_sources.eurlex.headings import Label, article_label
from claimrag.legal_sources.tree import normalise, without_calls
from claimrag.schemas.unit import UnitKind

_SKIPPED = frozenset(
    ("INFO.CONSLEG", "INFO.PROD", "BIB.INSTANCE", "FAM.COMP", "BIB.DATA", "GR.NOTES.REF", "TOC")
)


class FormexBody:
    """One pass over one act."""

    def __init__(self, writer: ActWriter, text: FormexText) -> None:
        self.writer = writer
        self.provisions = writer.provisions
        self.builder = writer.builder
        self.text = text

    def act(self, root: etree._Element) -> None:
        """Write the parts of the act that lie directly under `root`."""
        for child in self._kept(root):
            if child.tag == "TITLE":
                for line in self._lines(child):
                    self.writer.title(line)
            elif child.tag == "PREAMBLE":
                self._preamble(child)
            elif child.tag in ("ENACTING.TERMS", "CONTENTS"):
                self._content(child)
            elif child.tag == "FINAL":
                self.writer.final_part()
                self._blocks(child)
            elif child.tag in ("CONS.ANNEX", "ANNEX"):
                self._annex(child)
            elif child.tag not in _SKIPPED:
                if self.builder.depth == 0:
                    self.builder.open(UnitKind.DOCUMENT)
                self._element(child)

    def _kept(self, element: etree._Element) -> list[etree._Element]:
        return [child for child in element if isinstance(child.tag, str) and child not in self.text.deleted]

    def _lines(self, title: etree._Element) -> list[str]:
        """The paragraphs of a TITLE as lines."""
        lines = [self.text.inline(line) for line in title.iter("P", "NP")]
        return [line for line in lines or [self.text.inline(title)] if normalise(line)]

    def _preamble(self, preamble: etree._Element) -> None:
        for child in self._kept(preamble):
            if child.tag in ("GR.VISA", "GR.CONSID"):
                self._preamble(child)
            elif child.tag == "CONSID":
                self._recital(child)
            elif child.tag == "VISA":
                self.builder.close_to(1)
                self.writer.preamble(self.text.inline(child))
            else:
                for line in self.text.cell_blocks(child):
                    self.writer.preamble(line)

    def _recital(self, element: etree._Element) -> None:
        numbered = element.find("NP")
        source = numbered if numbered is not None else element
        label_element = source.find("NO.P")
        label = normalise(self.text.inline(label_element)) if label_element is not None else None
        self.writer.recital(label.strip("(). ") if label else None, label)
        for piece in self.text.pieces_of(source):
            if isinstance(piece, str):
                self.provisions.alinea(piece)
            elif piece.tag != "NO.P":
                self._element(piece)
        self.builder.close_to(1)

    def _content(self, element: etree._Element) -> None:
        for piece in self.text.pieces_of(element):
            if isinstance(piece, str):
                self.provisions.tail(piece)
            else:
                self._element(piece)

    def _element(self, element: etree._Element) -> None:
        tag = element.tag
        if tag == "DIVISION":
            self._division(element)
        elif tag == "ARTICLE":
            self._article(element)
        elif tag == "PARAG":
            self._paragraph(element)
        elif tag in ("ALINEA", "P", "TXT"):
            self._alinea(element)
        elif tag in ("NP", "DLIST.ITEM"):
            self._point(element)
        elif tag == "ITEM":
            self._item(element)
        elif tag == "TBL":
            self._table(element)
        elif tag == "QUOT.S":
            with self.provisions.quotation():
                self._content(element)
        elif tag == "GR.SEQ":
            self._group(element)
        elif tag in ("NO.P", "NO.PARAG"):
            self.provisions.alinea(self.text.inline(element))
        else:
            self._content(element)

    def _division(self, element: etree._Element) -> None:
        if self.provisions.article is not None:
            self._content(element)
            return
        title = element.find("TITLE")
        depth = self.builder.depth
        if title is not None:
            self._division_heading(title)
        for child in self._kept(element):
            if child is not title:
                self._element(child)
        self.builder.close_to(max(depth, 1))

    def _division_heading(self, title: etree._Element) -> None:
        heads = [self.text.inline(child) for child in title if child.tag == "TI"]
        subheads = [self.text.inline(child) for child in title if child.tag == "STI"]
        self.writer.container(" ".join(heads) or " ".join(subheads))
        for subhead in subheads if heads else []:
            self.writer.heading(subhead)

    def _article(self, element: etree._Element) -> None:
        if self.provisions.article is not None:
            with self.provisions.quotation():
                self._content(element)
            return
        title, heading = element.find("TI.ART"), element.find("STI.ART")
        printed = without_calls(self.text.inline(title)) if title is not None else ""
        number = (element.get("IDENTIFIER") or "").lstrip("0").lower()
        label = article_label(printed) or Label(UnitKind.ARTICLE, number or None, printed)
        depth = self.builder.depth
        self.writer.article(label)
        if heading is not None:
            self.writer.heading(self.text.inline(heading))
        for piece in self.text.pieces_of(element):
            if isinstance(piece, str):
                self.provisions.alinea(piece)
            elif piece is not title and piece is not heading:
                self._element(piece)
        self.builder.close_to(max(depth, 1))

    def _paragraph(self, element: etree._Element) -> None:
        printed = element.find("NO.PARAG")
        label = normalise(self.text.inline(printed)) if printed is not None else ""
        if not self.provisions.may_start_paragraph:
            self._flattened(label, element, printed)
            return
        self.provisions.open_paragraph(label.strip("(). ") or "", label)
        for child in self._kept(element):
            if child is not printed:
                self._element(child)
        self.provisions.close_to_article()

    def _alinea(self, element: etree._Element) -> None:
        """An alinea or P: its first run of text, then lists and tables; further runs are further alineas."""
        for piece in self.text.pieces_of(element):
            if isinstance(piece, str):
                self.provisions.alinea(piece)
            else:
                self._element(piece)

    def _point(self, element: etree._Element) -> None:
        marker_element = element.find("NO.P")
        marker = normalise(self.text.inline(marker_element)) if marker_element is not None else ""
        label = self.provisions.point_of(marker)
        if label is None:
            self._flattened(marker, element, marker_element)
            return
        node = self.provisions.open_point(label)
        for piece in self.text.pieces_of(element):
            if isinstance(piece, str):
                self.provisions.tail(piece)
            elif piece is not marker_element:
                self._element(piece)
        self.provisions.close_point(node)

    def _item(self, element: etree._Element) -> None:
        """An ITEM without NP is a dash or a bare line of a list."""
        parent = element.getparent()
        kind = (parent.get("TYPE") or "") if parent is not None else ""
        label: Label | None = None
        if element.find("NP") is None and kind.upper() in ("DASH", "BULLET", "NDASH"):
            label = self.provisions.point_of("—" if kind.upper() != "BULLET" else "•")
        node = self.provisions.open_point(label) if label else None
        self._content(element)
        if node:
            self.provisions.close_point(node)

    def _flattened(self, marker: str, element: etree._Element, skipped: etree._Element | None) -> None:
        """A labelled block that is no unit: the label joins its first line."""
        pieces = [piece for piece in self.text.pieces_of(element) if piece is not skipped]
        first = pieces[0] if pieces else ""
        lines = [first] if isinstance(first, str) else self.text.cell_blocks(first)
        for line in [f"{marker} {lines[0]}" if lines else marker, *lines[1:]]:
            self.provisions.alinea(line)
        for piece in pieces[1:]:
            if isinstance(piece, str):
                self.provisions.tail(piece)
            else:
                self._element(piece)

    def _table(self, element: etree._Element) -> None:
        for child in self._kept(element):
            if child.tag == "CORPUS":
                self.provisions.table(self.text.grid(child))
            else:
                self._content(child)

    def _group(self, element: etree._Element) -> None:
        title = element.find("TITLE")
        level = element.get("LEVEL") or "1"
        if title is not None:
            line = " ".join(self._lines(title))
            self.writer.section(line, int(level) if level.isdecimal() and len(level) < 3 else 1)
        for piece in self.text.pieces_of(element):
            if isinstance(piece, str):
                self.provisions.alinea(piece)
            elif piece is not title:
                self._element(piece)

    def _blocks(self, element: etree._Element) -> None:
        for line in self.text.cell_blocks(element):
            self.provisions.alinea(line)

    def _annex(self, element: etree._Element) -> None:
        title = element.find("TITLE")
        lines = self._lines(title) if title is not None else []
        self.writer.annex(lines[0] if lines else "")
        for line in lines[1:]:
            self.writer.heading(line)
        for child in self._kept(element):
            if child is not title and child.tag not in _SKIPPED:
                self._element(child)
        self.builder.close_to(1)
