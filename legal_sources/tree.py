"""TreeBuilder: accumulates an act's canonical text and its units, so that offsets are exact by construction.

Canonical text: blocks (a heading, an alinea, a table cell) joined by one newline. Inside a block every run
of white space, no-break and thin spaces included, is one ordinary space; zero-width characters and soft
hyphens are taken out; the block is in Unicode form NFC. Labels and headings are part of the text, as printed.
Footnotes are taken out of the text and follow it, each anchored where it was called.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from claimrag.legal_sources.canonical_text import (
    CALL_OPEN,
    call_mark,
    normalise,
    number_in_id,
    take_out_calls,
    without_calls,
)
from claimrag.schemas.unit import UnitKind, UnitStatus

ID_CODES: dict[UnitKind, str] = {
    UnitKind.DOCUMENT: "doc",
    UnitKind.TITLE_OF_ACT: "tit",
    UnitKind.PREAMBLE: "pbl",
    UnitKind.CITATION: "cit",
    UnitKind.RECITAL: "rct",
    UnitKind.ENACTING_TERMS: "enc",
    UnitKind.BOOK: "bok",
    UnitKind.PART: "prt",
    UnitKind.TITLE: "tis",
    UnitKind.CHAPTER: "cpt",
    UnitKind.SECTION: "sct",
    UnitKind.SUBSECTION: "sbs",
    UnitKind.ARTICLE: "art",
    UnitKind.PARAGRAPH: "par",
    UnitKind.SUBPARAGRAPH: "sub",
    UnitKind.POINT: "pnt",
    UnitKind.SUBPOINT: "pnt",
    UnitKind.ANNEX: "anx",
    UnitKind.FINAL_PART: "fnp",
    UnitKind.TABLE: "tbl",
    UnitKind.CELL: "cel",
    UnitKind.FOOTNOTE: "fn",
    UnitKind.AMENDMENT_NOTE: "amn",
}
"""The word that stands for a kind in unit ids, as in `art_6.par_1.pnt_f`."""

_ARTICLE = UnitKind.ARTICLE
CONTAINERS = frozenset(
    (UnitKind.BOOK, UnitKind.PART, UnitKind.TITLE, UnitKind.CHAPTER, UnitKind.SECTION, UnitKind.SUBSECTION)
)
"""Kinds that hold articles, or one another."""

_FRAMES = frozenset((UnitKind.PREAMBLE, UnitKind.ENACTING_TERMS, UnitKind.FINAL_PART, UnitKind.DOCUMENT))
_FREE_OF_FRAMES = CONTAINERS | {UnitKind.CITATION, UnitKind.RECITAL, UnitKind.ARTICLE, UnitKind.ANNEX}
_NOT_IN_ID: dict[UnitKind, frozenset[UnitKind]] = {
    kind: _FRAMES | CONTAINERS if kind is UnitKind.ARTICLE else _FRAMES for kind in _FREE_OF_FRAMES
}
"""The kinds above a unit that its id passes over."""


@dataclass(eq=False, slots=True)
class Node:
    """A unit under construction; offsets are final after `finish`. See `schemas.unit.Unit`."""

    kind: UnitKind
    path_id: str
    parent: Node | None
    number: str | None
    label: str | None
    heading: str | None
    article: Node | None = None
    """The innermost article that the unit is, or lies in."""
    status: UnitStatus = UnitStatus.IN_FORCE
    applicable_from: date | None = None
    row: int | None = None
    column: int | None = None
    start: int | None = None
    end: int | None = None
    anchor: Node | None = None
    anchor_offset: int | None = None
    children: list[Node] = field(default_factory=list)
    waiting_label: str | None = None

    @property
    def has_text(self) -> bool:
        """Whether anything was written inside this unit."""
        return self.start is not None


@dataclass(frozen=True)
class _Footnote:
    key: str
    number: str | None
    label: str | None
    text: str


class TreeBuilder:
    """Open a unit, write blocks, close it; everything that is written lies in the innermost open unit.

    Typical use::

        builder = TreeBuilder()
        builder.open(UnitKind.ARTICLE, number="6", label="Article 6", heading="Lawfulness")
        builder.open(UnitKind.PARAGRAPH, number="1", label="1.", inline=True)
        builder.block("Processing is lawful" + builder.call("note-4") + " if:")   # "1. Processing is ..."
        builder.close(); builder.close()
        builder.footnote("note-4", number="4", label="(4)", text="OJ L 1, p. 1.")
        legal_sources.assemble.assemble(builder, head, source, visible_text(...))
    """

    def __init__(self) -> None:
        self.roots: list[Node] = []
        self.footnotes: list[_Footnote] = []
        self._parts: list[str] = []
        self._length = 0
        self._open: list[Node] = []
        self._printed = 0
        """How many of the open units, from the outermost in, have nothing left that waits to be printed."""
        self.current: Node | None = None
        """The innermost open unit."""
        self._ids: set[str] = set()
        self._repeats: dict[str, int] = {}
        self._call_keys: list[str] = []
        self._called: dict[str, tuple[Node, int]] = {}
        self._ordinals: dict[tuple[Node | None, str], int] = {}

    @property
    def has_text(self) -> bool:
        """Whether the innermost open unit holds text already."""
        return bool(self._open) and self._open[-1].start is not None

    @property
    def depth(self) -> int:
        """How many units are open."""
        return len(self._open)

    def open(
        self,
        kind: UnitKind,
        *,
        number: str | None = None,
        label: str | None = None,
        heading: str | None = None,
        inline: bool = False,
        code: str | None = None,
        id_part: str | None = None,
        id_number: str | None = None,
        status: UnitStatus = UnitStatus.IN_FORCE,
        applicable_from: date | None = None,
        row: int | None = None,
        column: int | None = None,
    ) -> Node:
        """Open a unit inside the innermost open one and print its label and heading.

        `label` and `heading` become blocks of their own; with `inline` the label starts the unit's first
        block instead ("1. Processing ..."). The id is `code_number` (`code` defaults to ID_CODES) below the
        parent's id; articles, recitals and citations stand at the root unless an annex or another article
        holds them. Without `number` the ordinal among the parent's children of that code is used. `id_number`
        stands in the id instead of `number`, `id_part` instead of all of the last part. An id already taken
        gets `_2`, `_3`...
        """
        label = (normalise(label) or None) if label else None
        heading = (normalise(heading) or None) if heading else None
        parent = self.current
        part = id_part or self._id_part(parent, code or ID_CODES[kind], id_number or number)
        above = self._above(parent, _NOT_IN_ID[kind]) if kind in _NOT_IN_ID else parent
        path_id = f"{above.path_id}.{part}" if above else part
        if path_id in self._ids:
            path_id = self._unique(path_id)
        self._ids.add(path_id)
        article = parent.article if parent else None
        node = Node(
            kind, path_id, parent, number, label, heading, article, status, applicable_from, row, column
        )
        if kind is _ARTICLE:
            node.article = node
        (parent.children if parent else self.roots).append(node)
        self._open.append(node)
        self.current = node
        if label and inline:
            node.waiting_label = label
        elif label:
            self.block(label)
        if heading:
            self.block(heading)
        return node

    def is_open(self, node: Node) -> bool:
        """Whether `node` has not been closed yet."""
        return node in self._open

    def close(self, node: Node | None = None) -> None:
        """Close the innermost unit or, given `node`, everything down to and including it."""
        if not self._open or (node is not None and not self.is_open(node)):
            raise ValueError("no such unit is open")
        while True:
            last = self._open[-1]
            if last.waiting_label is not None:
                self.block("")
            self._open.pop()
            self.current = self._open[-1] if self._open else None
            if last.start is not None:
                last.end = self._length
                self._printed = min(self._printed, len(self._open))
            if node is None or last is node:
                return

    def close_if_open(self, node: Node) -> None:
        """Close `node` and what is open inside it, unless something in it has closed it already."""
        if self.is_open(node):
            self.close(node)

    def close_to(self, depth: int) -> None:
        """Close units until only `depth` are open."""
        while len(self._open) > depth:
            self.close()

    def call(self, key: str) -> str:
        """A mark to put into a block's text where footnote `key` is called; it does not reach the text."""
        self._call_keys.append(key)
        return call_mark(len(self._call_keys) - 1)

    def block(self, text: str, plain: str | None = None) -> None:
        """Write one block into the innermost open unit; a block without characters writes nothing.

        `plain` is `normalise(text)`, where the caller has it already.
        """
        if self.current is None:
            raise ValueError("a block needs an open unit")
        if CALL_OPEN in text:
            self._block_with_calls(text, self.current)
            return
        plain = normalise(text) if plain is None else plain
        if plain:
            self._write(plain)
        elif self.current.waiting_label is not None:
            self._write_waiting_labels()

    def _block_with_calls(self, text: str, holder: Node) -> None:
        plain, found = take_out_calls(text)
        calls = [(self._call_keys[index], at) for index, at in found if index < len(self._call_keys)]
        if plain:
            self._write(plain)
        elif calls or holder.waiting_label is not None:
            self._write_waiting_labels()
        for key, offset in calls:
            self._called.setdefault(key, (holder, self._length - len(plain) + offset))

    def add_heading(self, text: str) -> None:
        """Print a further heading line of the innermost unit, which has only been labelled so far."""
        if not self._open:
            raise ValueError("a heading needs an open unit")
        node, plain = self._open[-1], without_calls(text)
        if plain:
            node.heading = f"{node.heading} {plain}" if node.heading else plain
            self.block(text)

    def extend(self, text: str) -> None:
        """Write normalised `text` straight after the last block, without a new line or a space."""
        if not self._open or not self._length:
            self.block(text)
            return
        plain = normalise(text)
        if plain:
            self._parts.append(plain)
            self._length += len(plain)
            for node in self._open:
                node.start = self._length - len(plain) if node.start is None else node.start

    def footnote(self, key: str, *, number: str | None, label: str | None, text: str) -> None:
        """Keep a footnote for after the body; `text` is its body without the label."""
        self.footnotes.append(_Footnote(key, number, normalise(label) if label else None, normalise(text)))

    def finish(self) -> tuple[str, list[Node]]:
        """Close everything, append the footnotes, settle empty units; returns text and units in order."""
        self.close_to(0)
        for note in self.footnotes:
            node = self.open(UnitKind.FOOTNOTE, number=note.number, label=note.label, inline=True)
            self.block(note.text)
            self.close()
            called = self._called.get(note.key)
            if called:
                node.anchor, node.anchor_offset = called
        ordered: list[Node] = []
        _settle(self.roots, 0, ordered)
        text = "".join(self._parts)
        self._parts.clear()
        return text, ordered

    def release(self) -> None:
        """Unlink all units, which refer to one another, so that their memory is free at once."""
        pending = self.roots
        while pending:
            node = pending.pop()
            pending.extend(node.children)
            node.parent = node.anchor = node.article = None
            node.children.clear()

    def _id_part(self, parent: Node | None, code: str, number: str | None) -> str:
        place = parent, code
        ordinal = self._ordinals.get(place, 0) + 1
        self._ordinals[place] = ordinal
        return f"{code}_{(number_in_id(number) if number else '') or ordinal}"

    @staticmethod
    def _above(node: Node | None, passed_over: frozenset[UnitKind]) -> Node | None:
        while node is not None and node.kind in passed_over:
            node = node.parent
        return node

    def _unique(self, path_id: str) -> str:
        unique = path_id
        while unique in self._ids:
            self._repeats[path_id] = self._repeats.get(path_id, 1) + 1
            unique = f"{path_id}_{self._repeats[path_id]}"
        return unique

    def _write_waiting_labels(self) -> None:
        if any(node.waiting_label for node in self._open):
            self._write("")

    def _write(self, text: str) -> None:
        """Print what waits to be printed in the open units, then `text`, from a new line on."""
        printed, new_line = "", "\n" if self._length else ""
        for node in self._open[self._printed :]:
            if node.start is None:
                printed, new_line = printed + new_line, ""
                node.start = self._length + len(printed)
            if node.waiting_label is not None:
                space = " " if text or node is not self.current else ""
                printed, new_line = f"{printed}{new_line}{node.waiting_label}{space}", ""
                node.waiting_label = None
        self._printed = len(self._open)
        printed = f"{printed}{new_line}{text}"
        self._parts.append(printed)
        self._length += len(printed)


def _settle(siblings: list[Node], at: int, ordered: list[Node]) -> None:
    """Give empty units the place where they would stand, and list all in document order."""
    for node in siblings:
        if node.start is None or node.end is None:
            node.start = node.end = at
        ordered.append(node)
        _settle(node.children, node.start, ordered)
        at = node.end


__all__ = ["CONTAINERS", "ID_CODES", "Node", "TreeBuilder", "normalise", "number_in_id", "without_calls"]
