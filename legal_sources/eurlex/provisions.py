"""How alineas, points and tables become units of the provision that is open.

The first unnumbered alinea of an article, paragraph, point or recital is that provision's own text; each
later one is a SUBPARAGRAPH `sub_2`, `sub_3`. A point below a point is a SUBPOINT. What an amendment quotes is
text of the amending provision: inside a quotation nothing becomes a unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from claimrag.legal_sources.canonical_text import CALL_OPEN
from claimrag.legal_sources.eurlex.headings import (
    Label,
    after_label,
    ends_quotation,
    goes_on,
    number_across_languages,
    opens_quotation,
    paragraph_label,
    point_label,
    starts_with_quote,
)
from claimrag.legal_sources.parsed import Problem
from claimrag.legal_sources.tree import Node, TreeBuilder, normalise
from claimrag.schemas.unit import UnitKind

# Asked for at every alinea; looking a member up in an enumeration takes its time.
_PARAGRAPH, _SUBPARAGRAPH = UnitKind.PARAGRAPH, UnitKind.SUBPARAGRAPH
_HAS_ALINEAS = frozenset(
    (UnitKind.ARTICLE, UnitKind.PARAGRAPH, UnitKind.POINT, UnitKind.SUBPOINT, UnitKind.RECITAL)
)
_HOLDS_PARAGRAPHS = frozenset((UnitKind.ARTICLE, UnitKind.PARAGRAPH))
_NUMBER = re.compile(r"[0-9]{1,6}")
_POINTS = frozenset((UnitKind.POINT, UnitKind.SUBPOINT))


@dataclass(frozen=True)
class GridCell:
    """A table cell at its place (from 1) with its blocks of text."""

    row: int
    column: int
    blocks: tuple[str, ...]


class ProvisionWriter:
    """Writes the content of provisions into a TreeBuilder, keeping track of alineas and quotations."""

    def __init__(self, builder: TreeBuilder, missing_paragraphs: int = 0) -> None:
        """`missing_paragraphs`: how many paragraph numbers may be missing between two neighbours."""
        self.builder = builder
        self.missing_paragraphs = missing_paragraphs
        self._alineas: dict[Node, int] = {}
        self._written: set[Node] = set()
        self._last_block = ""
        self.unplaced: list[Problem] = []
        self.quoting = False
        """Whether what is written now is quoted text of another act."""
        self._scopes = 0
        self._quotation_open = False

    def begin(self) -> None:
        """Forget an unclosed quotation: a new article, recital or annex starts."""
        self._quotation(is_open=False)
        self._last_block = ""

    @contextmanager
    def quotation(self) -> Iterator[None]:
        """Everything written inside is quoted text, whatever its quotation marks."""
        self._scopes += 1
        self.quoting = True
        try:
            yield
        finally:
            self._scopes -= 1
            self._quotation(is_open=self._quotation_open)

    def _quotation(self, *, is_open: bool) -> None:
        """Note whether a quotation mark is open."""
        self._quotation_open = is_open
        self.quoting = is_open or self._scopes > 0

    def place(self, text: str) -> None:
        """Before text that no part of the act holds: open a document unit for it, and note it."""
        if self.builder.current is None:
            self.builder.open(UnitKind.DOCUMENT)
            self.unplaced.append(
                Problem(code="unplaced_text", detail=f"{text[:80]!r} stands before any part")
            )

    def alinea(self, text: str) -> None:
        """Write one unnumbered alinea; white space alone writes nothing."""
        plain = normalise(text)
        if plain:
            self._alinea(text, plain)

    def _alinea(self, text: str, plain: str) -> None:
        """Write `text`, which in canonical form is `plain` and not empty."""
        builder = self.builder
        if builder.current is None:
            self.place(plain)
        if len(plain) < 3 and not any(letter.isalnum() for letter in plain) and builder.has_text:
            builder.extend(plain)
            return
        holder = self._holder()
        if builder.current is not None:
            self._written.add(builder.current)
        was_quoting = self.quoting
        if self._quotation_open or starts_with_quote(plain):
            self._follow_quotation(plain)
        if holder is None:
            builder.block(text, plain)
        elif was_quoting or not self._starts_subparagraph(holder, plain):
            builder.block(text, plain)
            self._alineas.setdefault(holder, 1)
        else:
            self._close_subparagraph()
            builder.open(UnitKind.SUBPARAGRAPH, number=str(self._alineas[holder] + 1))
            builder.block(text, plain)
            self._alineas[holder] += 1
        self._last_block = plain

    def has_alinea(self, node: Node) -> bool:
        """Whether text was written straight into `node`."""
        return node in self._written

    def tail(self, text: str) -> None:
        """Text after a block element: punctuation joins the block before it, anything else is an alinea."""
        plain = normalise(text)
        if plain and not any(character.isalnum() for character in plain):
            self.builder.extend(plain)
            self._follow_quotation(plain)
        elif plain:
            self._alinea(text, plain)

    @property
    def may_start_paragraph(self) -> bool:
        """Whether a numbered paragraph can start here: in an article, outside points and quotations."""
        holder = None if self.quoting else self._holder()
        return holder is not None and holder.kind in _HOLDS_PARAGRAPHS

    def open_paragraph(self, number: str, label: str) -> None:
        """Open a numbered paragraph in the article that is open, closing the one before it."""
        self.close_to_article()
        self.builder.open(
            _PARAGRAPH,
            number=number,
            label=label,
            inline=True,
            id_number=number_across_languages(number),
        )

    def numbered_or_alinea(self, text: str) -> None:
        """An alinea that may start a numbered paragraph ("1. ...") when that number is the next one."""
        plain = normalise(text)
        if plain[:1].isdecimal() and self.may_start_paragraph:
            label, article = paragraph_label(plain), self.article
            if label and article and self.is_next(article, label.number or ""):
                self.open_paragraph(label.number or "", label.label)
                plain = label.rest
                text = after_label(text, label.label) if CALL_OPEN in text else plain
        if plain:
            self._alinea(text, plain)

    def point_of(self, marker: str) -> Label | None:
        """The label of the point that `marker`, in canonical form, opens here; inside a quotation, none."""
        return None if self.quoting else point_label(marker)

    def open_point(self, label: Label) -> Node:
        """Open the point that `label` starts, a subpoint inside a point; the caller closes it."""
        self.place(label.label)
        return self.builder.open(
            UnitKind.SUBPOINT if self._in_point() else UnitKind.POINT,
            number=label.number,
            label=label.label,
            inline=True,
            code=None if label.number else "ind",
            id_number=number_across_languages(label.number),
        )

    def close_point(self, node: Node) -> None:
        """Close a point; a quotation that opened inside ends at the latest here."""
        self._quotation(is_open=False)
        self.builder.close_if_open(node)  # an article or a division inside a point has closed it already
        self._last_block = ""

    def table(self, cells: Sequence[GridCell]) -> None:
        """Write a table: cells in order, empty ones left out; inside a quotation only their text."""
        filled = [cell for cell in cells if any(normalise(block) for block in cell.blocks)]
        if not filled:
            return
        if self.quoting:
            for cell in filled:
                for block in cell.blocks:
                    self.alinea(block)
            return
        self.place("a table")
        table = self.builder.open(UnitKind.TABLE)
        for cell in filled:
            node = self.builder.open(
                UnitKind.CELL, row=cell.row, column=cell.column, id_part=f"cel_{cell.row}_{cell.column}"
            )
            for block in cell.blocks:
                self.builder.block(block)
            self.builder.close(node)
        self.builder.close(table)
        self._last_block = ""

    def close_to_article(self) -> None:
        """Close everything inside the article that is open."""
        article = self.article
        while article is not None and self.builder.current is not article:
            self.builder.close()

    def _holder(self) -> Node | None:
        """The provision whose alineas are being counted; None where alineas are not units."""
        node = self.builder.current
        if node is not None and node.kind is _SUBPARAGRAPH:
            node = node.parent
        return node if node is not None and node.kind in _HAS_ALINEAS else None

    def _starts_subparagraph(self, holder: Node, plain: str) -> bool:
        if not holder.children and holder not in self._alineas:
            return False
        if self._last_block.endswith(":") and starts_with_quote(plain):
            return False
        if self._alineas.setdefault(holder, 1) < 1:
            return False
        return not goes_on(plain)

    def _close_subparagraph(self) -> None:
        current = self.builder.current
        if current is not None and current.kind is UnitKind.SUBPARAGRAPH:
            self.builder.close()

    def _follow_quotation(self, plain: str) -> None:
        if self._quotation_open:
            self._quotation(is_open=not ends_quotation(plain))
        elif opens_quotation(plain):
            self._quotation(is_open=True)

    def _in_point(self) -> bool:
        node = self.builder.current
        while node is not None and node.kind is _SUBPARAGRAPH:
            node = node.parent
        return node is not None and node.kind in _POINTS

    @property
    def article(self) -> Node | None:
        """The article that is open, if one is."""
        node = self.builder.current
        return node.article if node else None

    def is_next(self, article: Node, number: str) -> bool:
        """Whether `number` may follow the last paragraph's: the next one, or 2a after 2.

        In a consolidated text repealed paragraphs leave gaps, so a few numbers may be missing.
        """
        last, new = 0, _digits(number)
        for child in reversed(article.children):
            if child.kind is _PARAGRAPH:
                last = _digits(child.number or "")
                break
        if not number.isdecimal():
            return last <= new <= last + 1 and last > 0
        return last < new <= last + 1 + self.missing_paragraphs


def _digits(number: str) -> int:
    if number.isdecimal() and len(number) <= 6:
        return int(number)
    match = _NUMBER.search(number)
    return int(match.group()) if match else 0
