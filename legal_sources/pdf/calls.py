"""Footnote calls in the text: `( 1 )` with a raised figure becomes a call of the note with that number."""

from __future__ import annotations

import re
from collections.abc import Sequence

from legal_sources.pdf.footnotes import Note
from legal_sources.pdf.pages import RAISED_CLOSE, RAISED_OPEN
from legal_sources.tree import TreeBuilder

# A raised figure right after a digit is an exponent, not a call.
_RAISED = re.compile(rf"(?P<digit>\d)?{RAISED_OPEN}(?P<number>[^{RAISED_CLOSE}]*){RAISED_CLOSE}")


class Calls:
    """Matches calls with notes: on the page of the block, else the next page, else anywhere."""

    def __init__(self, builder: TreeBuilder, notes: Sequence[Note]) -> None:
        self._builder = builder
        self._notes = notes
        self._keys: dict[int, str] = {}

    def mark(self, text: str, page: int) -> str:
        """`text` with call marks in place of raised figures that call a note, and plain figures otherwise."""
        return _RAISED.sub(
            lambda found: (
                f"{found['digit']}{found['number']}" if found["digit"] else self._call(found["number"], page)
            ),
            text,
        )

    def write(self, text_of: dict[int, str]) -> None:
        """Write the notes after the body; `text_of` holds the joined text of each note by its index."""
        for index, note in enumerate(self._notes):
            self._builder.footnote(
                f"{index}", number=note.number, label=f"({note.number})", text=text_of[index]
            )

    def _call(self, number: str, page: int) -> str:
        for wanted in (page, page + 1, None):
            for index, note in enumerate(self._notes):
                if note.number == number and wanted in (note.page, None):
                    return self._builder.call(f"{index}")
        return number


def plain(text: str) -> str:
    """`text` without the marks of raised figures."""
    return text.replace(RAISED_OPEN, "").replace(RAISED_CLOSE, "")
