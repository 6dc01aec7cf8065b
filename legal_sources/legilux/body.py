"""Akoma Ntoso body to units: divisions, articles, paragraphs, alineas, points, tables; quoted text stays text.

Used for Legilux and for other publishers' Akoma Ntoso. An article inside an article is a quotation of
another law and becomes plain blocks of the provision that quotes it, never an article of this act.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from lxml import etree

from claimrag.legal_sources.legilux.abrogation import says_abrogated
from claimrag.legal_sources.legilux.inline import INLINE, child, is_metadata, note_keys, plain_text
from claimrag.legal_sources.legilux.numbers import (
    article_number,
    division_number,
    list_marker,
    paragraph_number,
    tidy_label,
)
from claimrag.legal_sources.markup import local_name
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.unit import UnitKind, UnitStatus

DIVISIONS: dict[str, UnitKind] = {
    "tome": UnitKind.BOOK,
    "book": UnitKind.BOOK,
    "part": UnitKind.PART,
    "title": UnitKind.TITLE,
    "subtitle": UnitKind.TITLE,
    "chapter": UnitKind.CHAPTER,
    "subchapter": UnitKind.CHAPTER,
    "section": UnitKind.SECTION,
    "subsection": UnitKind.SUBSECTION,
}
_PARAGRAPHS = frozenset(("paragraph", "level"))
_ALINEAS = frozenset(("alinea", "subparagraph"))
_QUOTING = frozenset(("embeddedStructure", "quotedStructure"))
_LABELS = frozenset(("num", "heading", "subheading"))
_SCL = "{http://www.scl.lu}"


def no_date(_: etree._Element) -> date | None:
    """For publishers that give no date per article."""
    return None


class BodyWriter:
    """Writes Akoma Ntoso elements into a TreeBuilder. `article_date` reads an article's applicability."""

    def __init__(
        self, builder: TreeBuilder, article_date: Callable[[etree._Element], date | None] = no_date
    ) -> None:
        self._builder = builder
        self._article_date = article_date
        self._run: list[str] = []
        self._waiting_calls: list[str] = []
        self._in_article = False

    def children(self, element: etree._Element, *, quoted: bool = False) -> None:
        """Write what `element` holds, apart from its number and heading."""
        self._run.append(element.text or "")
        for each in element:
            if not is_metadata(each) and local_name(each) not in _LABELS:
                self._element(each, quoted)
            self._run.append(each.tail or "")
        self._flush()

    def element(self, element: etree._Element) -> None:
        """Write one element as what it is."""
        if not is_metadata(element):
            self._element(element, quoted=False)
            self._flush()

    def _element(self, element: etree._Element, quoted: bool) -> None:
        name = local_name(element)
        if name in INLINE:
            self._inline(element, quoted)
            return
        self._flush()
        if name in _QUOTING:
            self._quoted(element)
        elif name in ("ol", "ul"):
            self._list(element, quoted)
        elif quoted or (name == "article" and self._in_article):
            self._quoted(element)
        elif name in DIVISIONS:
            self._division(element, DIVISIONS[name])
        elif name == "article":
            self._article(element)
        elif name in _PARAGRAPHS:
            self._paragraph(element)
        elif name in _ALINEAS:
            self._alinea(element)
        elif name == "recital":
            self._recital(element)
        elif name in ("point", "indent"):
            self._point(element)
        elif name == "table":
            self._table(element)
        else:
            self.children(element)

    def _inline(self, element: etree._Element, quoted: bool) -> None:
        name = local_name(element)
        if name == "noteRef":
            self._run.append(self._builder.call(element.get("href", "").lstrip("#")))
            return
        if name == "authorialNote":
            self._footnote(element)
            return
        self._run.append(" " if name == "br" else element.text or "")
        for each in element:
            if not is_metadata(each):
                self._element(each, quoted)
            self._run.append(each.tail or "")

    def _footnote(self, element: etree._Element) -> None:
        marker = element.get("marker", "").strip("()")
        key = element.get("eId") or f"note-{len(self._builder.footnotes)}"
        label = f"({marker})" if marker else None
        self._builder.footnote(key, number=marker or None, label=label, text=plain_text(element))
        self._run.append(self._builder.call(key))

    def _flush(self) -> None:
        text = "".join(self._run)
        self._run.clear()
        if not text.strip():
            return
        calls = "".join(self._waiting_calls)
        self._waiting_calls.clear()
        self._builder.block(calls + text)

    def _hold_calls(self, *labels: etree._Element | None) -> None:
        """Calls in a number or heading are anchored where the text that follows begins."""
        self._waiting_calls += [self._builder.call(key) for label in labels for key in note_keys(label)]

    def _division(self, element: etree._Element, kind: UnitKind) -> None:
        num, heading = child(element, "num"), child(element, "heading")
        label = tidy_label(plain_text(num))
        self._builder.open(kind, number=division_number(label), label=label, heading=plain_text(heading))
        self._hold_calls(num, heading)
        self.children(element)
        self._builder.close()

    def _article(self, element: etree._Element) -> None:
        num, heading = child(element, "num"), child(element, "heading")
        if heading is None:
            # The European Parliament's files give the heading as a second number.
            heading = next((each for each in element.iterchildren("{*}num") if each is not num), None)
        label, title = tidy_label(plain_text(num)), plain_text(heading)
        body = _own_text(element)
        self._builder.open(
            UnitKind.ARTICLE,
            number=article_number(label),
            label=label,
            heading=title,
            status=_status(body or title or _mention(element)),
            applicable_from=self._article_date(element),
        )
        self._hold_calls(num, heading)
        self._in_article = True
        self.children(element)
        self._in_article = False
        self._builder.close()

    def _paragraph(self, element: etree._Element) -> None:
        num, heading = child(element, "num"), child(element, "heading")
        label = tidy_label(plain_text(num))
        body = _own_text(element)
        self._builder.open(
            UnitKind.PARAGRAPH,
            number=paragraph_number(label),
            label=label,
            heading=plain_text(heading),
            inline=True,
            status=_status(body),
        )
        self._hold_calls(num, heading)
        self.children(element)
        self._builder.close()

    def _alinea(self, element: etree._Element) -> None:
        """Some publishers number alineas and print the number again in the text; it lands once.

        An alinea without a character, or of struck-out words alone, is none.
        """
        label = tidy_label(plain_text(child(element, "num")))
        text = " ".join(plain_text(each) for each in element if local_name(each) != "num")
        if not label and not text.strip() and next(element.iter("{*}noteRef"), None) is None:
            return
        printed = plain_text(next(element.iter("{*}p"), None))
        repeated = not label or _packed(label) in _packed(printed)[:30]
        self._builder.open(
            UnitKind.SUBPARAGRAPH,
            number=paragraph_number(label) if label else None,
            label=None if repeated else label,
            inline=True,
            status=_status(text),
        )
        self._hold_calls(child(element, "num"))
        self.children(element)
        self._builder.close()

    def _recital(self, element: etree._Element) -> None:
        label = tidy_label(plain_text(child(element, "num")))
        self._builder.open(UnitKind.RECITAL, number=paragraph_number(label), label=label, inline=True)
        self.children(element)
        self._builder.close()

    def _point(self, element: etree._Element) -> None:
        num = child(element, "num")
        label = tidy_label(plain_text(num))
        self._open_point(label, paragraph_number(label))
        self._hold_calls(num)
        self.children(element)
        self._builder.close()

    def _open_point(self, label: str | None, number: str | None) -> None:
        above = self._builder.current
        while above is not None and above.kind is UnitKind.SUBPARAGRAPH:
            above = above.parent
        nested = above is not None and above.kind in (UnitKind.POINT, UnitKind.SUBPOINT)
        self._builder.open(
            UnitKind.SUBPOINT if nested else UnitKind.POINT, number=number, label=label, inline=True
        )

    def _list(self, element: etree._Element, quoted: bool) -> None:
        start = element.get(f"{_SCL}start", "1")
        position = 0
        for item in element:
            if is_metadata(item):
                continue
            marker = list_marker(
                element.get(f"{_SCL}symbol"),
                position,
                int(start) if start.isdecimal() and len(start) < 6 else 1,
                item.get(f"{_SCL}symbol"),
                ordered=local_name(element) == "ol",
            )
            position += 1
            if quoted:
                self._run.append(f"{marker.label or ''} ")
                self.children(item, quoted=True)
            else:
                self._open_point(marker.label, marker.number)
                self.children(item)
                self._builder.close()

    def _quoted(self, element: etree._Element) -> None:
        for label in (child(element, "num"), child(element, "heading")):
            if label is not None:
                self._builder.block(plain_text(label))
        self.children(element, quoted=True)

    def _table(self, element: etree._Element) -> None:
        self._builder.open(UnitKind.TABLE)
        caption = child(element, "caption")
        if caption is not None:
            self._builder.block(plain_text(caption))
        taken: set[tuple[int, int]] = set()
        for row, line in enumerate(element.iter("{*}tr"), start=1):
            column = 1
            for cell in line:
                if local_name(cell) not in ("td", "th"):
                    continue
                while (row, column) in taken:
                    column += 1
                across, down = _span(cell, "colspan"), _span(cell, "rowspan")
                taken |= {(row + y, column + x) for y in range(down) for x in range(across)}
                self._builder.open(UnitKind.CELL, row=row, column=column)
                self.children(cell)
                self._builder.close()
                column += across
        self._builder.close()


def _status(text: str) -> UnitStatus:
    return UnitStatus.ABROGATED if says_abrogated(text) else UnitStatus.IN_FORCE


def _own_text(element: etree._Element) -> str:
    """What a provision says below its number and heading."""
    parts = (each for each in element if local_name(each) not in _LABELS and not is_metadata(each))
    return " ".join(plain_text(part) for part in parts)


def _mention(element: etree._Element) -> str:
    """What a publisher says of an article without text in an attribute: "(Supprimé)"."""
    return next((str(value) for name, value in element.attrib.items() if str(name).endswith("}mention")), "")


def _packed(text: str) -> str:
    return "".join(text.split())


def _span(cell: etree._Element, name: str) -> int:
    """A cell's span, bounded: a hostile file must not make a huge table."""
    value = cell.get(name, "1")
    return min(int(value), 200) if value.isdecimal() and len(value) < 6 and int(value) else 1
