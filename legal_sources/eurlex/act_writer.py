"""Builds an act whose source is a flat run of blocks: title, preamble, headings, articles, annexes, final part.

The reader of a layout says what each block is (an article heading, a chapter heading, ...); ActWriter keeps
the order of the Union's acts: which container closes which, where the preamble ends, what belongs where.
"""

from __future__ import annotations

import re

from claimrag.legal_sources.eurlex.headings import (
    Label,
    after_label,
    annex_label,
    container_label,
    number_across_languages,
)
from claimrag.legal_sources.eurlex.provisions import ProvisionWriter
from claimrag.legal_sources.tree import CONTAINERS, Node, TreeBuilder, normalise, without_calls
from claimrag.schemas.unit import UnitKind

_RANKS = {
    UnitKind.PART: 1,
    UnitKind.TITLE: 2,
    UnitKind.CHAPTER: 3,
    UnitKind.SECTION: 4,
    UnitKind.SUBSECTION: 5,
}
INSTITUTION = re.compile(r"(?:THE|LE|LA|LES|L['’])\s?[A-ZÉÈÊÀÂÎÔÇ ,'’&-]{8,},?")
ENACTING_FORMULA = re.compile(
    r"(?:HAS|HAVE)\s(?:\w+\s){0,2}(?:ADOPTED|DECIDED|AGREED)|(?:A|ONT)\s(?:ADOPT[ÉE]|ARR[ÊE]T[ÉE]|D[ÉE]CID[ÉE])",
    re.IGNORECASE,
)
WHEREAS = re.compile(r"(?:whereas|consid[ée]rant)(?:\s+ce\s+qui\s+suit)?\s?:?", re.IGNORECASE)
RECITAL_START = re.compile(r"(?:whereas|consid[ée]rant)\b", re.IGNORECASE)
RECITAL_NUMBER = re.compile(r"\((?P<number>\d{1,3}[a-z]?)\)\s+(?=\S)")
FINAL_PART = re.compile(
    r"(?:This (?:Regulation|Decision|Directive) shall be binding in its entirety|Done at |Fait à |"
    r"L[ae] pr[ée]sente? (?:r[èe]glement|d[ée]cision) est obligatoire dans tous ses)"
)


class ActWriter:
    """Opens and closes the parts of an act as its blocks come by."""

    def __init__(self, builder: TreeBuilder, provisions: ProvisionWriter) -> None:
        self.builder = builder
        self.provisions = provisions
        self.title_lines: list[str] = []
        self.articles = 0
        self._last_recital = 0

    @property
    def part(self) -> UnitKind | None:
        """The kind of the outermost unit that is open: which part of the act is being written."""
        node = self.builder.current
        while node is not None and node.parent is not None:
            node = node.parent
        return node.kind if node else None

    def title(self, text: str) -> None:
        """A line of the act's title."""
        if self.part is not UnitKind.TITLE_OF_ACT:
            self._part(UnitKind.TITLE_OF_ACT)
        self.title_lines.append(without_calls(text))
        self.builder.block(text)

    def preamble(self, text: str) -> None:
        """A block of the preamble: institution, citation, recital lead-in, recital, enacting formula."""
        if self.part is not UnitKind.PREAMBLE:
            self._part(UnitKind.PREAMBLE)
        plain = without_calls(text)
        if not plain:
            return
        numbered = RECITAL_NUMBER.match(plain)
        if ENACTING_FORMULA.match(plain):
            self.builder.close_to(1)
            self.builder.block(text)
            self._part(UnitKind.ENACTING_TERMS)
        elif INSTITUTION.fullmatch(plain) or WHEREAS.fullmatch(plain):
            self.builder.close_to(1)
            self.builder.block(text)
        elif numbered and self._may_be_recital(numbered.group("number")):
            label = f"({numbered.group('number')})"
            self.recital(numbered.group("number"), label)
            self.provisions.alinea(after_label(text, label))
        elif RECITAL_START.match(plain):
            self.recital(None, None)
            self.provisions.alinea(text)
        elif self._in(UnitKind.RECITAL):
            self.provisions.alinea(text)
        else:
            self.builder.close_to(1)
            self.builder.open(UnitKind.CITATION)
            self.builder.block(text)
            self.builder.close()

    def recital(self, number: str | None, label: str | None) -> None:
        """Open a recital; it stays open for further alineas until the next block that is none of its own."""
        if self.part is not UnitKind.PREAMBLE:
            self._part(UnitKind.PREAMBLE)
        self.builder.close_to(1)
        self.builder.open(UnitKind.RECITAL, number=number, label=label, inline=True)
        self._last_recital = _digits(number) if number else self._last_recital
        self.provisions.begin()

    def container(self, text: str) -> None:
        """A heading line "CHAPTER II" (a heading may follow on the line); without a number it is a chapter."""
        plain = without_calls(text)
        label = container_label(plain)
        kind = label.kind if label else UnitKind.CHAPTER
        self._to_container(kind)
        if label:
            self.builder.open(
                kind,
                number=label.number,
                label=label.label,
                id_number=number_across_languages(label.number),
            )
            self.builder.add_heading(label.rest)
        else:
            self.builder.open(kind)
            self.builder.add_heading(text)

    def article(self, label: Label) -> None:
        """Open an article in the container that is open; in an annex it is an article of the annex."""
        while self.builder.current is not None and self.builder.current.kind not in CONTAINERS | {
            UnitKind.ENACTING_TERMS,
            UnitKind.ANNEX,
        }:
            self.builder.close()
        if self.builder.current is None:
            self._part(UnitKind.ENACTING_TERMS)
        self.provisions.begin()
        self.builder.open(
            UnitKind.ARTICLE,
            number=label.number,
            label=label.label,
            id_number=number_across_languages(label.number),
        )
        if label.rest:
            self.builder.add_heading(label.rest)
        self.articles += 1

    def heading(self, text: str) -> None:
        """The heading of the article, container or annex just opened; elsewhere a line of text."""
        if self.awaits_heading:
            self.builder.add_heading(text)
        else:
            self.provisions.alinea(text)

    @property
    def awaits_heading(self) -> bool:
        """Whether the innermost unit has a label and nothing under it yet."""
        node = self.builder.current
        if node is None or node.kind not in CONTAINERS | {UnitKind.ARTICLE, UnitKind.ANNEX}:
            return False
        return not node.children and not self.provisions.has_alinea(node)

    def annex(self, text: str, number: str | None = None) -> None:
        """Open an annex labelled `text`; a second title line of an annex just opened is its heading."""
        label = annex_label(without_calls(text))
        if label is None and self.part is UnitKind.ANNEX and self.awaits_heading:
            self.builder.add_heading(text)
            return
        self._part(UnitKind.ANNEX, label, number, text)
        self.provisions.begin()

    def section(self, text: str, level: int) -> None:
        """A heading of level 1, 2, ... inside an annex; elsewhere a line of text.

        A line without a label straight after a bare label ("Section 1") is that section's heading.
        """
        plain = without_calls(text)
        label = container_label(plain)
        if not self._in(UnitKind.ANNEX) or self.provisions.quoting:
            self.provisions.alinea(text)
            return
        current = self.builder.current
        bare = current is not None and current.kind in CONTAINERS and current.label and not current.heading
        if label is None and bare and self.awaits_heading:
            self.builder.add_heading(text)
            return
        while self.builder.current is not None and self.builder.current.kind not in CONTAINERS | {
            UnitKind.ANNEX
        }:
            self.builder.close()
        self.builder.close_to(min(max(level, 1), self.builder.depth))
        if label:
            self.builder.open(label.kind, number=label.number, label=label.label)
            self.builder.add_heading(label.rest)
        else:
            self.builder.open(UnitKind.SECTION)
            self.builder.add_heading(text)
        self.provisions.begin()

    def final_part(self) -> None:
        """What follows is the final part: binding force, place and date, signatures."""
        if self.part is not UnitKind.FINAL_PART:
            self._part(UnitKind.FINAL_PART)

    def text(self, text: str) -> None:
        """A block that no heading announces: where it goes depends on the part that is open."""
        plain = normalise(text)
        if not plain:
            return
        if self.part in (UnitKind.TITLE_OF_ACT, UnitKind.PREAMBLE) or (
            self.part is None and INSTITUTION.fullmatch(plain)
        ):
            self.preamble(text)
        elif self.part is None:
            self._part(UnitKind.TITLE_OF_ACT)
            self.builder.block(text)
        elif self.part is UnitKind.ENACTING_TERMS and FINAL_PART.match(plain) and not self.provisions.quoting:
            self.final_part()
            self.provisions.alinea(text)
        else:
            self.provisions.numbered_or_alinea(text)

    def _part(
        self, kind: UnitKind, label: Label | None = None, number: str | None = None, text: str | None = None
    ) -> Node:
        self.builder.close_to(0)
        return self.builder.open(
            kind, number=(label.number if label else None) or number, label=label.label if label else text
        )

    def _to_container(self, kind: UnitKind) -> None:
        """Close what the new container does not lie in."""
        if self.part not in (UnitKind.ENACTING_TERMS, UnitKind.ANNEX):
            self._part(UnitKind.ENACTING_TERMS)
        while self.builder.current is not None:
            node = self.builder.current
            if node.kind in (UnitKind.ENACTING_TERMS, UnitKind.ANNEX):
                return
            if node.kind in _RANKS and _RANKS[node.kind] < _RANKS.get(kind, 3):
                return
            self.builder.close()

    def _may_be_recital(self, number: str) -> bool:
        """Recitals come in order; a lower or far higher number in brackets is a list inside a recital."""
        return self._last_recital <= _digits(number) <= self._last_recital + 3

    def _in(self, kind: UnitKind) -> bool:
        node = self.builder.current
        while node is not None and node.kind is not kind:
            node = node.parent
        return node is not None


def _digits(number: str) -> int:
    return int(re.sub(r"\D", "", number)[:6] or 0)
