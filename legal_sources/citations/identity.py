"""Whether an act named in a reference is the act itself: by its number, or by its title.

A regulation may cite itself by number; a code may cite itself as `du Code civil`. Anything else is another
act.
"""

from __future__ import annotations

import re

from claimrag.legal_sources.citations.grammar import Grammar
from claimrag.schemas.act import Act

_CELEX = re.compile(r"^[03](\d{4})([A-Z])(\d{4})")
_LETTERS = {"reg": "R", "règ": "R", "dir": "L", "dec": "D", "déc": "D", "rec": "H"}


class OwnNames:
    """The number and titles of one act."""

    def __init__(self, act: Act, grammar: Grammar) -> None:
        celex = _CELEX.match(act.celex or "")
        self._number = (int(celex[1]), int(celex[3])) if celex else None
        self._letter = celex[2] if celex else ""
        self._titles = [t.casefold() for t in (act.title, act.short_title) if t and len(t) < 80]
        self._grammar = grammar

    def is_own(self, match: re.Match[str]) -> bool:
        """Whether a match of the grammar's `act` names this act."""
        if self._number is None:
            return False
        kind = match["kind"].casefold()
        letter = next(letter for start, letter in _LETTERS.items() if kind.startswith(start))
        first, second = int(match["first"]), int(match["second"])
        years = {first, first + 1900} if first < 100 else {first}
        swapped = {second, second + 1900} if second < 100 else {second}
        year, number = self._number
        same = (year in years and second == number) or (year in swapped and first == number)
        return same and letter == self._letter

    def is_named_at(self, line: str, start: int, end: int) -> bool:
        """Whether the words after a reference, from `start`, name this act; `end` is after the instrument."""
        named = self.act_around(line, end)
        if named is not None:
            match = self._grammar.act.match(line, named[0])
            return match is not None and self.is_own(match)
        words = line[start : start + 160].casefold()
        return any(re.search(rf"[ '’\u00a0]{re.escape(title)}(?!\w)", words) for title in self._titles)

    def act_around(self, line: str, end: int) -> tuple[int, int] | None:
        """The span of the act's number whose instrument word ends at or just before `end`."""
        for match in self._grammar.act.finditer(line, max(0, end - 40), end + 60):
            if match.start() <= end < match.end():
                return match.span()
        return None
