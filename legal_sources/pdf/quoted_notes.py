"""Footnotes of quoted provisions: an amending act prints them in the text, under the quotation, as `(*) ...`.

A block that begins with such a mark is a note when a block before it, in the same article, calls it. The call
is marked as a raised figure is. A mark that nothing calls stays text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from claimrag.legal_sources.eurlex.headings import article_label
from claimrag.legal_sources.pdf.blocks import Block
from claimrag.legal_sources.pdf.calls import plain
from claimrag.legal_sources.pdf.footnotes import Note
from claimrag.legal_sources.pdf.pages import RAISED_CLOSE, RAISED_OPEN

_NOTE = re.compile(r"\((?P<mark>\*{1,3}\d{0,2})\)\s+(?P<rest>.*)", re.DOTALL)


def without_quoted_notes(blocks: Sequence[Block]) -> tuple[list[Block], list[Note]]:
    """The blocks without such notes, their calls marked, and the notes with the page that calls them."""
    kept: list[Block] = []
    notes: list[Note] = []
    for block in blocks:
        match = _NOTE.fullmatch(block.text)
        caller = _caller(kept, match["mark"]) if match else None
        if match is None or caller is None:
            kept.append(block)
            continue
        before, _, after = kept[caller].text.partition(f"({match['mark']})")
        marked = f"{before}({RAISED_OPEN}{match['mark']}{RAISED_CLOSE}){after}"
        kept[caller] = replace(kept[caller], text=marked)
        notes.append(Note(kept[caller].page, match["mark"], [match["rest"]]))
    return kept, notes


def _caller(blocks: Sequence[Block], mark: str) -> int | None:
    """The nearest block that calls the note, back to the article's heading."""
    for index in range(len(blocks) - 1, -1, -1):
        if blocks[index].text.find(f"({mark})") > 0:
            return index
        if article_label(plain(blocks[index].text)):
            return None
    return None
