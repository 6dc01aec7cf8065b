"""The table of contents that a statute prints, as an oracle: which sections the body must hold.

A contents list is many lines `SECTION 12 TITLE` (or `12. Title`) in the order of their numbers with no text
between them. What the body does not hold is reported by number; nothing is invented for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from claimrag.legal_sources.pdf.pages import Line, Page

_ENTRY = re.compile(r"(?:SECTION|Section)\s+(?P<number>\d{1,4}[A-Z]{0,2})\b[.\s]*(?P<title>.*)")
_CHAPTER = re.compile(r"(?:CHAPTER|Chapter|PART|Part|SCHEDULE|Schedule)\b")
_LEADER = re.compile(r"(?:\.\s?){5,}\s*\d{1,4}\s*$")
_LEAST = 20


@dataclass(frozen=True)
class Entry:
    """One section the contents list names."""

    number: str
    title: str


@dataclass(frozen=True)
class Contents:
    """The entries in printed order, each number once, and the index of the first page after the list."""

    entries: tuple[Entry, ...]
    next_page: int


def read_contents(pages: Sequence[Page]) -> Contents:
    """The contents list at the front; empty, with `next_page` 0, when the statute prints none."""
    entries: list[Entry] = []
    last_page = -1
    for page in pages:
        match = [line for line in page.lines if _ENTRY.match(line.text)]
        if len(match) < max(3, 0.3 * len(page.lines)):
            if entries:
                break
            continue
        last_page = page.number
        entries += _entries(page.lines)
    if len(entries) < _LEAST:
        return Contents((), 0)
    first_named: dict[str, Entry] = {}
    for entry in entries:
        first_named.setdefault(entry.number, entry)
    return Contents(tuple(first_named.values()), last_page + 1)


def without_leader_pages(pages: Sequence[Page]) -> list[Page]:
    """The pages without those of a contents list that leads to page numbers with dots."""
    return [page for page in pages if not _is_leader_page(page)]


def _is_leader_page(page: Page) -> bool:
    led = sum(bool(_LEADER.search(line.text)) for line in page.lines)
    return led >= max(4, 0.3 * len(page.lines))


def _entries(lines: Sequence[Line]) -> list[Entry]:
    entries: list[Entry] = []
    for line in lines:
        entry = _ENTRY.match(line.text)
        if entry:
            entries.append(Entry(entry["number"], entry["title"].strip()))
        elif entries and not line.bold and not _CHAPTER.match(line.text):
            entries[-1] = Entry(entries[-1].number, f"{entries[-1].title} {line.text}".strip())
    return entries
