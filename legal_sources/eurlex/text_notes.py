"""Footnotes of plain-text acts: lines "(1) OJ L 1, p. 1." after the act, called "(1)" somewhere in it.

A note is only a line after the signatures whose number goes on from the note before it. A call is the first
"(n)" after the call before it that stands where a reference would: after a word, not after a number.
"""

from __future__ import annotations

import re
from collections import Counter

from claimrag.legal_sources.eurlex.act_writer import FINAL_PART
from claimrag.legal_sources.tree import TreeBuilder

_NOTE = re.compile(r"\((?P<number>\d{1,3})\)\s*(?P<text>\S.*)", re.DOTALL)
_NOT_A_CALL = re.compile(
    r"(?:\d|\b(?:points?|paragraphs?|paragraphes?|articles?|and|or|to|et|ou|à|sub-?paragraph|section|annex))\s*$",
    re.IGNORECASE,
)
_AFTER_CALL = re.compile(r"\s*(?:[.,;:)]|$|\s\S)")


class TextNotes:
    """Finds the notes among an act's lines, then puts call marks into the lines before them."""

    def __init__(self, builder: TreeBuilder, lines: list[str]) -> None:
        self._builder = builder
        self._notes: dict[int, tuple[str, str]] = {}
        self._next = 0
        self._find(lines)
        self._order = list(self._notes.values())
        self.called: Counter[str] = Counter()
        """The numbers of the calls that became marks; they stand in the source but not in the text."""

    def _find(self, lines: list[str]) -> None:
        finals = [index for index, line in enumerate(lines) if FINAL_PART.match(line)]
        last = 0
        for index in range(finals[-1] if finals else len(lines), len(lines)):
            match = _NOTE.fullmatch(lines[index])
            if match is None:
                continue
            number = int(match.group("number"))
            if number in (last + 1, 1):
                self._notes[index] = (match.group("number"), match.group("text"))
                last = number

    def is_note(self, index: int) -> bool:
        """Whether line `index` is a note."""
        return index in self._notes

    def with_calls(self, line: str) -> str:
        """`line` with its next expected calls turned into call marks."""
        start = 0
        while self._next < len(self._order):
            at = self._call_at(line, start)
            if at is None:
                return line
            mark = self._builder.call(f"text-{self._next}")
            self.called[self._order[self._next][0]] += 1
            end = line.index(")", at) + 1
            line = f"{line[:at]}{mark}{line[end:]}"
            start = at + len(mark)
            self._next += 1
        return line

    def _call_at(self, line: str, start: int) -> int | None:
        pattern = re.compile(rf"\(\s?{self._order[self._next][0]}\s?\)")
        for found in pattern.finditer(line, start):
            before = line[: found.start()]
            if before.strip() and not _NOT_A_CALL.search(before) and _AFTER_CALL.match(line, found.end()):
                return found.start()
        return None

    def write(self) -> None:
        """Give the builder the notes, in order."""
        for index, (number, text) in enumerate(self._order):
            self._builder.footnote(f"text-{index}", number=number, label=f"({number})", text=text)
