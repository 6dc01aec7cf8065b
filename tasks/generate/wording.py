"""Comparable forms of text for the filters: folded words, content words and stems, in English and French.

They compare texts and decide nothing.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import filterfalse

from claimrag.tasks.generate.quantities import NUMBER_WORDS

_NUMBERS = frozenset(
    part
    for table in NUMBER_WORDS.values()
    for number in table
    for part in number.split("-")
    if part not in ("one", "un", "une", "et") and " " not in part
)
_WORD = re.compile(r"[^\W_]+")


def folded(text: str) -> str:
    """Words without accents, case and punctuation, joined by single spaces."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    bare = plain if plain.isascii() else "".join(filterfalse(unicodedata.combining, plain))
    return " ".join(_WORD.findall(bare))


def content_words(text: str) -> set[str]:
    """Folded words that carry meaning: four letters or more, or a number in figures or letters."""
    return {word for word in folded(text).split() if len(word) >= 4 or is_number(word)}


def is_number(word: str) -> bool:
    """Whether a folded word holds a figure or is a number in letters above one."""
    return word in _NUMBERS or any(char.isdecimal() for char in word)


def stems(text: str) -> set[str]:
    """Content words cut to five letters, so that forms of one word count as the same; numbers are not cut."""
    return {word if is_number(word) else word[:5] for word in content_words(text)}
