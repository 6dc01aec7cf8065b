"""Inline text, footnotes and tables of Formex 4, the XML in which the Official Journal is produced.

Quotation marks are elements there, footnotes stand where they are called, and processing instructions mark
what an amendment deleted: that text is left out. Knows nothing of articles.
"""

from __future__ import annotations

from lxml import etree

from claimrag.legal_sources.eurlex.provisions import GridCell
from claimrag.legal_sources.tree import TreeBuilder

FORMEX_BLOCKS = frozenset(
    (
        *(
            "ALINEA",
            "P",
            "LIST",
            "ITEM",
            "NP",
            "TXT",
            "TBL",
            "PARAG",
            "QUOT.S",
            "GR.SEQ",
            "DLIST",
            "DLIST.ITEM",
        ),
        *("TI", "STI", "TITLE", "CONTENTS", "DIVISION", "ARTICLE", "GR.NOTES", "ANNOTATION", "COMMENT"),
        *("INCL.ELEMENT", "TERM", "DEFINITION", "PREFIX", "SUBDIV", "ROW", "CELL", "BLK", "CORPUS"),
        *("SIGNATURE", "SIGNATORY", "PL.DATE", "NO.P", "NO.PARAG", "FORMULA.S", "LINK.S", "ACT.GEN"),
        *("TI.ART", "STI.ART", "LETTER"),
    )
)
"""Formex elements that stand on lines of their own."""
_DELETES = ("DELETED", "REPEALED")
_MAX_SPAN = 1000


def deleted_elements(root: etree._Element) -> frozenset[etree._Element]:
    """The elements between `<?CLG.MDFO ... ACTION="DELETED"?>` and the instruction that ends it."""
    found: set[etree._Element] = set()
    for parent in {
        parent
        for start in root.iter(etree.ProcessingInstruction)
        if _is_deletion(start) and (parent := start.getparent()) is not None
    }:
        ends: set[str | None] = set()
        between: list[etree._Element] = []
        for child in parent:
            if _is_deletion(child):
                ends.add(child.get("IDREF"))
            elif _is_instruction(child, "CLG.MDFC"):
                ends.discard(child.get("ID"))
                if not ends:
                    found.update(between)
                    between = []
            elif ends:
                between.append(child)
    return frozenset(found)


def _is_deletion(node: etree._Element) -> bool:
    return _is_instruction(node, "CLG.MDFO") and node.get("ACTION") in _DELETES


def _is_instruction(node: etree._Element, target: str) -> bool:
    return isinstance(node, etree._ProcessingInstruction) and node.target == target


class FormexText:
    """Turns inline content into text with call marks, keeping each footnote for the end of the act."""

    def __init__(self, builder: TreeBuilder, deleted: frozenset[etree._Element]) -> None:
        self._builder = builder
        self.deleted = deleted
        self._number = 0
        self._bodies: list[tuple[str, str, str]] = []

    def inline(self, element: etree._Element) -> str:
        """All text inside `element` as one run."""
        pieces: list[str] = []
        self._gather(element, pieces)
        return "".join(pieces)

    def pieces_of(self, element: etree._Element) -> list[str | etree._Element]:
        """The content of `element` in order: strings for inline runs, elements for blocks."""
        found: list[str | etree._Element] = []
        run: list[str] = [element.text or ""]
        for child in element:
            if isinstance(child.tag, str) and child.tag in FORMEX_BLOCKS and child not in self.deleted:
                found.append("".join(run))
                found.append(child)
                run = []
            else:
                self._one(child, run)
            run.append(child.tail or "")
        found.append("".join(run))
        return [piece for piece in found if not isinstance(piece, str) or piece.strip()]

    def _gather(self, element: etree._Element, pieces: list[str]) -> None:
        pieces.append(element.text or "")
        for child in element:
            self._one(child, pieces)
            pieces.append(child.tail or "")

    def _one(self, child: etree._Element, pieces: list[str]) -> None:
        tag = child.tag
        if not isinstance(tag, str) or child in self.deleted:
            return
        if tag in ("QUOT.START", "QUOT.END"):
            pieces.append(_quotation_mark(child.get("CODE")))
        elif tag == "NOTE":
            pieces.append(self._note(child))
        elif tag in FORMEX_BLOCKS:
            pieces.append(" ")
            self._gather(child, pieces)
            pieces.append(" ")
        else:
            self._gather(child, pieces)

    def _note(self, note: etree._Element) -> str:
        """Keep the footnote's body; a note that only refers to an earlier one calls that one."""
        reference = note.get("NOTE.REF")
        if reference:
            return self._builder.call(reference)
        self._number += 1
        key = note.get("NOTE.ID") or f"note-{self._number}"
        printed = "*" if note.get("NUMBERING") == "STAR" else ""
        number = printed or str(1 + sum(1 for _, label, _ in self._bodies if label != "*"))
        mark = self._builder.call(key)
        self._bodies.append((key, number, self.inline(note)))
        return mark

    def write_notes(self) -> None:
        """Give the builder the footnotes, in order of call."""
        for key, number, text in self._bodies:
            self._builder.footnote(key, number=number, label=f"({number})", text=text)

    def grid(self, table: etree._Element) -> list[GridCell]:
        """The cells of a TBL at their places."""
        cells: list[GridCell] = []
        for number, row in enumerate(table.iter("ROW"), start=1):
            column = 0
            for cell in row.iter("CELL"):
                column = _number(cell.get("COL"), column + 1)
                cells.append(GridCell(number, column, tuple(self.cell_blocks(cell))))
                column += _number(cell.get("COLSPAN"), 1) - 1
        return cells

    def cell_blocks(self, element: etree._Element) -> list[str]:
        """The blocks of text of a cell, lists in it flattened to "(a) text"."""
        found: list[str] = []
        for piece in self.pieces_of(element):
            if isinstance(piece, str):
                found.append(piece)
            elif piece.tag == "NP":
                found.append(" ".join(self.inline(child) for child in piece if isinstance(child.tag, str)))
            else:
                found.extend(self.cell_blocks(piece))
        return found


def _quotation_mark(code: str | None) -> str:
    try:
        return chr(int(code or "22", 16))
    except (ValueError, OverflowError):
        return '"'


def _number(value: str | None, default: int) -> int:
    if value is None or not value.isdecimal() or len(value) > 5:
        return default
    return min(max(int(value), 1), _MAX_SPAN)
