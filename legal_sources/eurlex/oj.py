"""The Official Journal's XHTML with ELI subdivisions (`oj-` classes, `art_6`, `rct_26`), since 2004.

An article is `div.eli-subdivision` with an `art_` id, never a heading by its looks: acts that amend others
print the headings of what they quote. The live EUR-Lex page is the same markup read by the HTML parser.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lxml import etree

from claimrag.legal_sources import health
from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.eurlex.act_writer import ActWriter
from claimrag.legal_sources.eurlex.classes import Role, level_of, role_of
from claimrag.legal_sources.eurlex.content import ContentWriter
from claimrag.legal_sources.eurlex.flow import css_class
from claimrag.legal_sources.eurlex.headings import annex_label, article_label, container_label
from claimrag.legal_sources.eurlex.identity import head_of_act
from claimrag.legal_sources.eurlex.notes import FootnoteReader
from claimrag.legal_sources.eurlex.oj_page import page_furniture, page_header
from claimrag.legal_sources.eurlex.page_frame import act_frame, eli_articles
from claimrag.legal_sources.eurlex.provisions import ProvisionWriter
from claimrag.legal_sources.markup import Document, text_content
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.legal_sources.tree import TreeBuilder, normalise, without_calls
from claimrag.schemas.unit import UnitKind

LAYOUT = "eurlex-oj"

_CONTAINER_CODES = {
    "prt": UnitKind.PART,
    "tis": UnitKind.TITLE,
    "cpt": UnitKind.CHAPTER,
    "sct": UnitKind.SECTION,
    "sbs": UnitKind.SUBSECTION,
}
_ARTICLE_ID = re.compile(rb"""id=["']art_\d+[a-z]*["']""")
"""The id of an article of the act itself; what an amending act quotes has none."""
_PARAGRAPH_ID = re.compile(r"\d{3}[A-Z]*\.\d{3}[A-Z]*")
_QUOTED_ID = re.compile(r"\d{3}[A-Z]*")


def recognises(document: Document) -> bool:
    """Whether the page has ELI subdivisions with articles and Official Journal classes."""
    root = document.root
    if root.tag != "html" or next(eli_articles(root), None) is None:
        return False
    return root.find(".//p[@class='oj-ti-art']") is not None or root.find(".//p[@class='ti-art']") is not None


def parse(document: Document) -> ParsedAct:
    """Parse the act; annexes and final part included."""
    return OfficialJournal(document).parse()


class OfficialJournal(ContentWriter):
    """One parse of one page."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.builder = TreeBuilder()
        super().__init__(ProvisionWriter(self.builder), FootnoteReader(self.builder, document.root))
        self.writer = ActWriter(self.builder, self.provisions)
        self.title_lines: list[str] = []

    def parse(self) -> ParsedAct:
        """Walk the page's blocks, then put the act together."""
        root = self.document.root
        header = page_header(root)
        furniture = page_furniture(root)
        frame = act_frame(root)
        for element in frame:
            if element not in furniture:
                self._top(element, furniture)
        self.builder.close_to(0)
        self.notes.write()
        head, notes = head_of_act(
            self.document,
            layout=LAYOUT,
            title_lines=self.title_lines,
            language=header.language,
            version_date=header.published,
            consolidated=False,
        )
        visible = health.visible_text_without(frame, furniture | self.notes.calls)
        parsed = assemble(
            self.builder,
            head,
            self.document,
            visible,
            [*notes, *self.provisions.unplaced, *self.notes.problems],
        )
        named = len(_ARTICLE_ID.findall(self.document.raw))
        missed = health.missed_articles(named, parsed.units)
        return replace(parsed, health=health.with_problems(parsed.health, missed))

    def _top(self, element: etree._Element, furniture: frozenset[etree._Element]) -> None:
        """A block outside every part of the act: go down to the parts."""
        name, key = css_class(element), (element.get("id") or "").strip()
        if self.notes.take(element, name):
            return
        if key.startswith(("tit_", "pbl_", "enc_", "fnp_")) and "." not in key:
            self._frame(element, key)
        elif key.startswith("anx_"):
            self._annex(element)
        elif element.tag == "div":
            for child in element:
                if child not in furniture:
                    self._top(child, furniture)
        else:
            self._outside(element)

    def _outside(self, element: etree._Element) -> None:
        """Text outside every part: it stays in the part before, or in a document unit before the first."""
        if not normalise(text_content(element)):
            return
        self.provisions.place(normalise(text_content(element)))
        self.element(element)

    def _frame(self, element: etree._Element, key: str) -> None:
        kind = {
            "tit": UnitKind.TITLE_OF_ACT,
            "pbl": UnitKind.PREAMBLE,
            "enc": UnitKind.ENACTING_TERMS,
            "fnp": UnitKind.FINAL_PART,
        }[key[:3]]
        self.builder.close_to(0)
        self.builder.open(kind)
        self.provisions.begin()
        if kind is UnitKind.TITLE_OF_ACT:
            for block in element.iter("p"):
                text = self.text_of(block)
                self.title_lines.append(without_calls(text))
                self.builder.block(text)
        else:
            self.content(element)
        # A later block that belongs to no part stays in this one.
        self.builder.close_to(1)

    def element(self, element: etree._Element) -> None:
        """Write one block element; a subdivision by its id."""
        tag = element.tag
        if tag == "p" and len(element) == 0 and css_class(element) == "normal":
            self.provisions.numbered_or_alinea(element.text or "")  # most blocks are plain text
        elif tag == "table":
            self.table(element, css_class(element))
        else:
            key = element.get("id") if tag == "div" else None
            if key is None or not self._subdivision(element, key.strip()):
                super().element(element)

    def special(self, element: etree._Element, name: str) -> bool:
        """Headings inside annexes by their class."""
        if name != "normal" and element.tag == "p" and role_of(name) is Role.SECTION:
            self.writer.section(self.text_of(element), level_of(name))
            return True
        return False

    def _subdivision(self, element: etree._Element, key: str) -> bool:
        in_article = self.provisions.article is not None
        code, underscore, number = key.rpartition(".")[2].partition("_")
        if underscore:
            if code == "art" and not in_article:
                self._article(element, number)
                return True
            if code in _CONTAINER_CODES and not in_article:
                self._container(element, _CONTAINER_CODES[code], number)
                return True
            if code == "cit":
                self._citation(element)
                return True
            if code == "rct":
                self._recital(element)
                return True
            if code == "anx" and self.builder.depth == 0:
                self._annex(element)
                return True
        if in_article and _PARAGRAPH_ID.fullmatch(key):
            self._numbered_paragraph(element)
            return True
        if in_article and _QUOTED_ID.fullmatch(key):
            with self.provisions.quotation():
                self.content(element)
            return True
        return False

    def _citation(self, element: etree._Element) -> None:
        node = self.builder.open(UnitKind.CITATION)
        self.content(element)
        self.builder.close_if_open(node)

    def _recital(self, element: etree._Element) -> None:
        self.provisions.begin()
        rows = list(element.iter("tr"))
        cells = [cell for cell in rows[0] if cell.tag == "td"] if rows else []
        label = normalise(self.text_of(cells[0])) if len(cells) == 2 else ""
        number = label.strip("()‘’. ")
        node = self.builder.open(UnitKind.RECITAL, number=number or None, label=label or None, inline=True)
        if label:
            self.content(cells[1])
            for row in rows[1:]:
                if row.getparent() is rows[0].getparent():
                    self.content(row)
        else:
            self.content(element)
        self.builder.close_if_open(node)

    def _container(self, element: etree._Element, kind: UnitKind, number: str) -> None:
        label, heading, rest = self._headings(element)
        found = container_label(label)
        printed = found.number if found and found.kind is kind else number.strip() or None
        node = self.builder.open(
            kind,
            number=printed,
            label=label or None,
            heading=heading or None,
            id_number=number.strip() or None,
        )
        self.elements(rest)
        self.builder.close_if_open(node)

    def _article(self, element: etree._Element, number: str) -> None:
        label, heading, rest = self._headings(element)
        found = article_label(label)
        node = self.builder.open(
            UnitKind.ARTICLE,
            number=found.number if found else number.strip() or None,
            label=label or None,
            heading=heading or None,
            id_number=number.strip() or None,
        )
        self.provisions.begin()
        if found and found.number and found.rest and not heading:
            node.heading = found.rest
        self.elements(rest)
        self.builder.close_if_open(node)

    def _headings(self, element: etree._Element) -> tuple[str, str, list[etree._Element]]:
        """The label and heading that start a subdivision, and the elements after them."""
        labels: list[str] = []
        headings: list[str] = []
        children = list(element)
        for index, child in enumerate(children):
            name = css_class(child)
            if name in ("ti-art", "ti-section-1"):
                labels.append(self._plain(child))
            elif name in ("sti-art", "ti-section-2") or name.startswith("eli-title"):
                headings.append(self._plain(child))
            else:
                return " ".join(labels), " ".join(headings), children[index:]
        return " ".join(labels), " ".join(headings), []

    def _plain(self, element: etree._Element) -> str:
        return without_calls(self.text_of(element))

    def _numbered_paragraph(self, element: etree._Element) -> None:
        if not self.provisions.may_start_paragraph:
            self.content(element)
            return
        self.provisions.close_to_article()
        article = self.builder.current
        self.content(element)
        while article is not None and self.builder.is_open(article) and self.builder.current is not article:
            self.builder.close()

    def _annex(self, element: etree._Element) -> None:
        self.builder.close_to(0)
        self.provisions.begin()
        children = list(element)
        titles: list[str] = []
        while children and css_class(children[0]) in ("doc-ti", "ti-annex"):
            titles.append(self._plain(children.pop(0)))
        found = annex_label(titles[0]) if titles else None
        number = (element.get("id") or "").partition("_")[2].strip(" \u00a0")
        self.builder.open(
            UnitKind.ANNEX,
            number=(found.number if found else None) or number or None,
            label=titles[0] if titles else None,
            heading=" ".join(titles[1:]) or None,
        )
        self.elements(children)
        self.builder.close_to(1)
