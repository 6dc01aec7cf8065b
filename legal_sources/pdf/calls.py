"""Footnote calls in the text: `( 1 )` with a raised figure becomes a call of the note with that number.

A print that raises no figure at all may call with plain brackets; there a bracketed number is a call when a
note of that number stands on the same page, was not called before, and no word such as `paragraph` leads up
to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from claimrag.legal_sources.pdf.blocks import Block
from claimrag.legal_sources.pdf.footnotes import Note
from claimrag.legal_sources.pdf.pages import RAISED_CLOSE, RAISED_OPEN
from claimrag.legal_sources.tree import TreeBuilder

# A raised figure right after a digit is an exponent, not a call.
_RAISED = re.compile(rf"(?P<digit>\d)?{RAISED_OPEN}(?P<number>[^{RAISED_CLOSE}]*){RAISED_CLOSE}")
_RAISED_DIGIT = re.compile(rf"{RAISED_OPEN}\d")
_RAISED_IN_BRACKETS = re.compile(rf"\s*\(?\s*{RAISED_OPEN}[^{RAISED_CLOSE}]*{RAISED_CLOSE}\s*\)?")
_BRACKETED = re.compile(r"(?<=[\w)’»])(?P<blank> )\((?P<number>\d{1,3})\)(?=[.,;:)\s]|$)")
_LEADS_UP = re.compile(
    r"\b(?:articles?|paragraph[se]*|points?|and|or|to|et|ou|à|n[o°]|\(\w{1,3}\))$", re.IGNORECASE
)


class Calls:
    """Matches calls with notes: on the page of the block, else the next page, else anywhere."""

    def __init__(self, builder: TreeBuilder, notes: Sequence[Note], blocks: Sequence[Block]) -> None:
        self._builder = builder
        self._notes = notes
        self._raises = any(_RAISED_DIGIT.search(block.text) for block in blocks)
        self._called: set[int] = set()

    def mark(self, text: str, page: int) -> str:
        """`text` with call marks in place of figures that call a note, and plain figures otherwise."""
        if not self._raises:
            text = _BRACKETED.sub(lambda found: self._bracketed(found, page), text)
        return _RAISED.sub(
            lambda found: (
                f"{found['digit']}{found['number']}"
                if found["digit"]
                else self._raised(found["number"], page)
            ),
            text,
        )

    def write(self, texts: Sequence[str]) -> None:
        """Write the notes after the body; `texts` are their joined texts, in order."""
        for index, (note, text) in enumerate(zip(self._notes, texts, strict=True)):
            self._builder.footnote(f"{index}", number=note.number, label=f"({note.number})", text=text)

    def _raised(self, number: str, page: int) -> str:
        for wanted in (page, page + 1, None):
            found = [
                index
                for index, note in enumerate(self._notes)
                if note.number == number and wanted in (note.page, None)
            ]
            if found:  # stars come again on one page, and are called in order
                index = next((index for index in found if index not in self._called), found[-1])
                self._called.add(index)
                return self._builder.call(f"{index}")
        return number

    def _bracketed(self, match: re.Match[str], page: int) -> str:
        if _LEADS_UP.search(match.string, 0, match.start()):
            return match[0]
        for index, note in enumerate(self._notes):
            if note.number == match["number"] and note.page in (page, page + 1) and index not in self._called:
                self._called.add(index)
                return f"{match['blank']}({self._builder.call(f'{index}')})"
        return match[0]


def plain(text: str) -> str:
    """`text` without the marks of raised figures."""
    return text.replace(RAISED_OPEN, "").replace(RAISED_CLOSE, "")


def without_raised(text: str) -> str:
    """`text` without raised figures and the brackets around them."""
    return _RAISED_IN_BRACKETS.sub("", text)
