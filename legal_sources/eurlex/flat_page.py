"""Reads a flat EUR-Lex page (headings known by their class) into an ActWriter.

Serves the Official Journal without ELI subdivisions and consolidated texts: both are a run of paragraphs
whose class says what they are. Elements inside a numbered paragraph, list or table are never headings.
"""

from __future__ import annotations

import re

from lxml import etree

from claimrag.legal_sources.eurlex.act_writer import ActWriter
from claimrag.legal_sources.eurlex.classes import Role, level_of, role_of
from claimrag.legal_sources.eurlex.content import ContentWriter
from claimrag.legal_sources.eurlex.flow import css_class, flow
from claimrag.legal_sources.eurlex.headings import annex_label, article_label
from claimrag.legal_sources.eurlex.notes import FootnoteReader
from claimrag.legal_sources.eurlex.provisions import ProvisionWriter
from claimrag.legal_sources.eurlex.recital_tables import write_recitals
from claimrag.legal_sources.tree import TreeBuilder, normalise, without_calls
from claimrag.schemas.unit import UnitKind, UnitStatus

_TRANSPARENT = frozenset(
    ("eli-container", "eli-subdivision", "eli-main-title", "eli-title", "preamble", "final")
)
_PARAGRAPH_LABEL = re.compile(r"\(?(?P<number>\d{1,3}\s?[a-z]{0,12})\s?[.)]{0,2}")
_MISSING_PARAGRAPHS = 12


class FlatPage(ContentWriter):
    """One pass over one page; `furniture` are the elements to leave out."""

    def __init__(
        self, root: etree._Element, furniture: frozenset[etree._Element], consolidated: bool
    ) -> None:
        self.builder = TreeBuilder()
        provisions = ProvisionWriter(self.builder, _MISSING_PARAGRAPHS if consolidated else 0)
        super().__init__(provisions, FootnoteReader(self.builder, root), furniture)
        self.writer = ActWriter(self.builder, self.provisions)
        self._article_divs = any(
            (div.get("id") or "").startswith("art_") for div in root.iter("div") if consolidated
        )

    def walk(self, element: etree._Element) -> None:
        """Write the content of `element`, going down through the page's scaffolding."""
        for item in flow(element, self.notes.call):
            if isinstance(item, str):
                self.writer.text(item)
            elif item not in self.furniture:
                self._block(item)

    def _block(self, element: etree._Element) -> None:
        name = css_class(element)
        if self.notes.take(element, name):
            return
        if element.tag == "p":
            self._printed(element, name)
        elif element.tag == "table" and self._is_preamble() and write_recitals(self.writer, self, element):
            return
        elif self._is_transparent(element, name):
            if name == "final" or (element.get("id") or "").startswith("fnp_"):
                self.writer.final_part()
            self.walk(element)
        elif self.builder.current is None:
            self.writer.text(self.text_of(element))
        else:
            self.element(element)

    def _is_transparent(self, element: etree._Element, name: str) -> bool:
        if element.tag != "div" or element.get("style"):
            return False
        return not name or bool(_TRANSPARENT.intersection(name.split())) or element.get("id") is not None

    def _is_preamble(self) -> bool:
        return self.writer.part in (UnitKind.PREAMBLE, UnitKind.TITLE_OF_ACT)

    def _printed(self, element: etree._Element, name: str) -> None:
        role = role_of(name)
        if any(inner.tag in ("p", "div", "table") for inner in element.iterdescendants()):
            self.walk(element)
            return
        text = self.text_of(element)
        if role is Role.FURNITURE or not normalise(text):
            self._note_deletion(element)
            return
        if role is Role.TITLE:
            self._title(text)
        elif role is Role.ARTICLE:
            self._article(element, text)
        elif role in (Role.ARTICLE_HEADING, Role.CONTAINER_HEADING, Role.ANNEX_HEADING):
            self.writer.heading(text)
        elif role is Role.CONTAINER:
            self.writer.container(text)
        elif role is Role.ANNEX:
            self._annex(element, text)
        elif role is Role.SECTION:
            self.writer.section(text, level_of(name))
        else:
            self.writer.text(text)

    def _note_deletion(self, element: etree._Element) -> None:
        """A mark "DELETED" straight under an article's heading: the article is abrogated, not empty."""
        node = self.builder.current
        if node is None or node.kind is not UnitKind.ARTICLE or not self.writer.awaits_heading:
            return
        if any((anchor.get("title") or "").endswith(": DELETED") for anchor in element.iter("a")):
            node.status = UnitStatus.ABROGATED

    def _title(self, text: str) -> None:
        """A title line: of the act while none has begun, of an annex or attached text afterwards."""
        if self.writer.part in (None, UnitKind.TITLE_OF_ACT) or (
            self.writer.part is UnitKind.PREAMBLE and not annex_label(without_calls(text))
        ):
            self.writer.title(text)
        elif annex_label(without_calls(text)) or not (
            self.writer.part is UnitKind.ANNEX and self.writer.awaits_heading
        ):
            self.writer.annex(text)
        else:
            self.writer.heading(text)

    def _annex(self, element: etree._Element, text: str) -> None:
        holder = element.getparent()
        key = (holder.get("id") or "") if holder is not None else ""
        number = key.partition("_")[2].strip(" \u00a0") if key.startswith("anx_") else ""
        self.writer.annex(text, number or None)

    def _article(self, element: etree._Element, text: str) -> None:
        plain = without_calls(text)
        label = article_label(plain)
        holder = element.getparent()
        key = (holder.get("id") or "") if holder is not None else ""
        quoted = self._article_divs and not key.startswith("art_")
        if label is None or quoted:
            with self.provisions.quotation():
                self.provisions.alinea(text)
            return
        self.writer.article(label)

    def special(self, element: etree._Element, name: str) -> bool:
        """Blocks inside provisions: amendment marks, numbered paragraphs, furniture."""
        if element in self.furniture or role_of(name) is Role.FURNITURE:
            return True
        if element.tag != "div" or len(element) == 0:
            return False
        first = element[0]
        if first.tag != "span" or css_class(first) != "no-parag":
            return False
        label = normalise(self.text_of(first))
        match = _PARAGRAPH_LABEL.fullmatch(label)
        if match is None or not self.provisions.may_start_paragraph:
            self.provisions.alinea(self.text_of(element))
            return True
        self.provisions.open_paragraph(match.group("number").strip(), label)
        if first.tail and first.tail.strip():
            self.provisions.alinea(first.tail)
        self.elements(list(element)[1:])
        return True
