"""Finds words of a published set in a law's canonical text, with offsets into that text.

First exactly; then with white space, quotation marks and dashes taken as alike, case kept; then piece by piece, where
the words are several passages with blank lines between them. Words that stand at several places are not placed: which
of them is meant, nobody knows. A match never begins or ends within a word.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from claimrag.schemas.reason import Reason

Span = tuple[int, int]
"""Start and end, as in `text[start:end]`."""
_BLANK_LINE = re.compile(r"\n\s*\n")
_ALIKE = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc`\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
}
"""Quotation marks and apostrophes, and dashes, by the one that stands for all of them."""
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_TRIED = 50
"""A match within a word is no match; after so many of them the words are taken as absent."""
_MOST_PASSAGES = 1000


class NotPlaced(Exception):
    """Why words have no place in the law."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


class LawText:
    """The canonical text of an act, to be searched again and again."""

    def __init__(self, text: str) -> None:
        self.text = text

    def place(self, words: str) -> list[Span]:
        """Where the words stand: one span, or one per passage; raises NotPlaced."""
        words = unicodedata.normalize("NFC", words.strip())
        exact = _only(self.text, words)
        if exact is not None:
            return [exact]
        pieces = [piece for piece in (_alike(one) for one in _BLANK_LINE.split(words)) if piece]
        if not pieces or len(pieces) > _MOST_PASSAGES:
            raise _absent(words)
        spans: list[Span] = []
        while pieces:
            taken = self._most_that_stand_together(pieces)
            start, end = self._only_alike(" ".join(pieces[:taken]))
            spans.append((start, end))
            pieces = pieces[taken:]
        return spans

    def first(self, words: str, within: Span) -> Span | None:
        """Where the words first stand in a part of the text, exactly or alike; None where they do not."""
        start, end = within
        part = LawText(self.text[start:end])
        words = unicodedata.normalize("NFC", words.strip())
        found = next(_places(part.text, words), None)
        if found is None:
            alike = next(_places(part._alike, _alike(words)), None)
            found = None if alike is None else part._real(alike)
        return None if found is None else (start + found[0], start + found[1])

    def _most_that_stand_together(self, pieces: list[str]) -> int:
        together = 1
        while together < len(pieces) and " ".join(pieces[: together + 1]) in self._alike:
            together += 1
        return together

    def _only_alike(self, words: str) -> Span:
        found = _only(self._alike, words)
        if found is None:
            raise _absent(words)
        return self._real(found)

    def _real(self, span: Span) -> Span:
        return self._offsets[span[0]], self._offsets[span[1] - 1] + 1

    @cached_property
    def _folded(self) -> tuple[str, array[int]]:
        """The text with what is alike written alike, and the offset of each of its characters in the text."""
        characters: list[str] = []
        offsets = array("q")
        for offset, character in enumerate(self.text):
            if character in _INVISIBLE:
                continue
            alike = " " if character.isspace() else _ALIKE.get(character, character)
            if alike != " " or (characters and characters[-1] != " "):
                characters.append(alike)
                offsets.append(offset)
        return "".join(characters), offsets

    @property
    def _alike(self) -> str:
        return self._folded[0]

    @property
    def _offsets(self) -> array[int]:
        return self._folded[1]


def _alike(words: str) -> str:
    return LawText(words)._alike.strip()


def _only(text: str, words: str) -> Span | None:
    """The one place of the words; None where they do not stand; raises NotPlaced where they stand twice."""
    places = list(islice(_places(text, words), 2))
    if len(places) > 1:
        raise NotPlaced(
            Reason.AMBIGUOUS_EVIDENCE, "The words it rests on stand at more than one place of the law."
        )
    return places[0] if places else None


def _places(text: str, words: str) -> Iterator[Span]:
    start = text.find(words) if words else -1
    for _ in range(_TRIED):
        if start < 0:
            return
        end = start + len(words)
        if not (_joined(text, start) or _joined(text, end)):
            yield start, end
        start = text.find(words, start + 1)


def _joined(text: str, offset: int) -> bool:
    """Whether the characters before and after are of one word."""
    return 0 < offset < len(text) and text[offset - 1].isalnum() and text[offset].isalnum()


def _absent(words: str) -> NotPlaced:
    shown = words if len(words) <= 80 else f"{words[:80]}…"
    return NotPlaced(Reason.QUOTATION_NOT_FOUND, f"The law does not hold these words: {shown!r}.")
