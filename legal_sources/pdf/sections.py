"""Which blocks of a statute are the headings of its sections: the likeliest rising series of numbers.

A candidate begins with a number and a title. Where the statute prints a contents list, a candidate must be
known to it and its title must resemble the one listed; quoted and amended sections of other numbers fall
away. Of all candidates the series is taken that rises and weighs most, so that one wrong number deep in an
amendment cannot hide the sections before it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from claimrag.legal_sources.pdf.blocks import Block
from claimrag.legal_sources.pdf.calls import plain
from claimrag.legal_sources.pdf.contents import Contents

_HEADING = re.compile(
    r"(?:\d{1,2}\[)?(?P<number>\d{1,4}[A-Z]{0,2})(?:\.\s*|\s+)(?P<title>[A-Z(\[“\"‘'].*)", re.DOTALL
)
_RUN_IN = re.compile(r"\s*(?:\.\s*)?[—–]\s*(?=[A-Z(“\"‘\[])|\.—")
_LIKE_BOLD, _LIKE_PLAIN = 0.45, 0.75
_COMPARED = 60


@dataclass(frozen=True)
class Heading:
    """A section's heading: the index of its block, its number and title, and text run in after the title."""

    index: int
    number: str
    title: str
    text: str
    weight: float


def find_headings(blocks: Sequence[Block], contents: Contents) -> list[Heading]:
    """The headings of the sections, in order, each number once."""
    titles = {entry.number: entry.title for entry in contents.entries}
    order = {entry.number: (at, "") for at, entry in enumerate(contents.entries)}
    candidates: list[Heading] = []
    for index, block in enumerate(blocks):
        found = _candidate(index, block, titles)
        if found is not None:
            candidates.append(found)
    keys = [order[c.number] if titles else number_key(c.number) for c in candidates]
    return [candidates[at] for at in _heaviest_rise(keys, [c.weight for c in candidates])]


def number_key(number: str) -> tuple[int, str]:
    """Sorts 53, 53A, 54."""
    digits = re.match(r"\d+", number)
    return (int(digits[0]), number[digits.end() :]) if digits else (0, "")


def looks_like_heading(text: str) -> re.Match[str] | None:
    """The number and title a line begins with, if it does."""
    return _HEADING.match(text)


def _candidate(index: int, block: Block, titles: dict[str, str]) -> Heading | None:
    match = _HEADING.match(plain(block.text))
    if match is None or (titles and match["number"] not in titles):
        return None
    title, text = _split(match["title"].strip(), bold=block.bold)
    if not titles:
        return Heading(index, match["number"], title, text, 1.0) if block.bold else None
    likeness = _likeness(title, titles[match["number"]])
    if likeness < (_LIKE_BOLD if block.bold else _LIKE_PLAIN):
        return None
    return Heading(index, match["number"], title, text, likeness + (0.5 if block.bold else 0.0))


def _split(title: str, *, bold: bool) -> tuple[str, str]:
    """`Form of summons—Every summons ...` is a title and the section's text."""
    run_in = _RUN_IN.search(title)
    if run_in is None:
        return title.rstrip(" .—–-") if bold else title, ""
    return title[: run_in.start()].strip(), title[run_in.end() :].strip()


def _likeness(title: str, listed: str) -> float:
    return difflib.SequenceMatcher(None, _folded(title), _folded(listed), autojunk=False).ratio()


def _folded(title: str) -> str:
    return " ".join(re.findall(r"[a-z]+", title.casefold()))[:_COMPARED]


def _heaviest_rise(keys: Sequence[tuple[int, str]], weights: Sequence[float]) -> list[int]:
    """The indexes of the strictly rising series of most weight; the earliest of equals."""
    best: list[float] = []
    before: list[int] = []
    for at, key in enumerate(keys):
        chosen, weight = -1, 0.0
        for earlier in range(at):
            if keys[earlier] < key and best[earlier] > weight:
                chosen, weight = earlier, best[earlier]
        best.append(weight + weights[at])
        before.append(chosen)
    series: list[int] = []
    at = max(range(len(best)), key=lambda i: (best[i], -i), default=-1)
    while at >= 0:
        series.append(at)
        at = before[at]
    return series[::-1]
