"""How French-language laws print numbers, and the number alone: "Art. 16 bis." is article 16bis.

Knows articles, paragraphs, divisions and the markers of lists. Does not decide what an element is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ORDINAL_ENDING = re.compile(r"(?<=\d)\s+(er|re|ère|ere|e|ème|eme)(?=[\s.,):»]|$)")
_LATIN = (
    "bis|ter|quater|quinquies|sexies|septies|octies|novies|nonies|decies|undecies|duodecies|terdecies"
    "|quaterdecies|quindecies|sexdecies|novodecies|vicies|unvicies"
)
_LATIN_ENDING = re.compile(rf"(?<=[\dA-Z])\s+({_LATIN})\b", re.IGNORECASE)
_SPACE_BEFORE_CLOSE = re.compile(r"\s+(?=[.)\]])")
_SPACE_AFTER_OPEN = re.compile(r"(?<=[(\[])\s+")
_QUOTES = '«»“”"„‘ '
_ARTICLE_WORD = re.compile(r"(?:articles?|arts?|règle|regle|§)(?![^\W\d_])\.?\s*", re.IGNORECASE)
_DIVISION_WORD = re.compile(
    r"(?:livre|tome|partie|titre|sous-titre|chapitre|section|sous-section|paragraphe|annexe|book|part|title"
    r"|chapter|subsection|annex)\b\.?\s*",
    re.IGNORECASE,
)
_ROMAN = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_SYMBOL = re.compile(r"(?P<before>[^\w]*)(?P<kind>[1aAiI])(?P<after>[^\w]*)")
_FIXED_SYMBOLS: dict[str, str | None] = {"dash": "–", "dot": "•", "none": None, "custom": None}


@dataclass(frozen=True)
class Marker:
    """A list item's printed marker ("1°", "a)", "–") and its number ("1", "a", None)."""

    label: str | None
    number: str | None


def tidy_label(printed: str) -> str:
    """A number as the page shows it: "Art. 1 er ." becomes "Art. 1er.", the editor's spaces go."""
    label = _ORDINAL_ENDING.sub(r"\1", " ".join(printed.split()))
    return _SPACE_AFTER_OPEN.sub("", _SPACE_BEFORE_CLOSE.sub("", label))


def article_number(label: str) -> str | None:
    """The number in an article's label, None where it prints none.

    "Art. L. 234-1." gives "L. 234-1", "« Art. 9 et 10." gives "9 et 10", "ARTICLE PREMIER." gives "premier".
    """
    text = _ARTICLE_WORD.sub("", tidy_label(label).strip(_QUOTES))
    text = _LATIN_ENDING.sub(r"\1", text)
    text = re.sub(r"\.?\s+(à|et)\s+(?:arts?\.\s*)?", r" \1 ", text, flags=re.IGNORECASE)
    text = re.sub(r"^([LRDA])\.\s*(?=\d)", r"\1. ", text)
    text = re.sub(r"(?<=\sà\s)([LRDA])\.\s*(?=\d)", r"\1. ", text).strip(_QUOTES + ".:–-")
    return text.lower() if text.isalpha() and text.isupper() and len(text) > 5 else text or None


def division_number(label: str) -> str | None:
    """The number of a book, title, chapter, section or annex: "Chapitre 1er." gives "1er"."""
    text = tidy_label(label).strip(_QUOTES)
    rest, found = _DIVISION_WORD.subn("", text, count=1)
    number = _LATIN_ENDING.sub(r"\1", rest).strip(_QUOTES + ".:,–—-")
    return number if found and number and len(number) <= 24 else None


def paragraph_number(label: str) -> str | None:
    """The number of a paragraph: "(2 bis )" gives "2bis", "1°" gives "1", "I." gives "I"."""
    text = _LATIN_ENDING.sub(r"\1", tidy_label(label).strip(_QUOTES))
    inner = re.match(r"\(?\s*([\w.-]+?)\s*[.)°]*(?:\s|$)", text)
    return inner.group(1) if inner else None


def list_marker(
    symbol: str | None, position: int, start: int, own_symbol: str | None, *, ordered: bool
) -> Marker:
    """The marker of the item at `position` (from 0) of a list whose first item is number `start`.

    `symbol` is the list's pattern ("1°", "a)", "(i)", "dash", "none"), `own_symbol` the item's own.
    """
    if own_symbol:
        label = own_symbol.strip()
        return Marker(label or None, re.sub(r"[^\w]+", "", label) or None)
    if symbol in _FIXED_SYMBOLS:
        return Marker(_FIXED_SYMBOLS[symbol], None)
    shape = _SYMBOL.fullmatch(symbol or ("1." if ordered else ""))
    if shape is None:
        return Marker("–" if not ordered else None, None)
    number = _counted(shape["kind"], start + position)
    return Marker(f"{shape['before']}{number}{shape['after']}", number)


def _counted(kind: str, number: int) -> str:
    if kind == "1":
        return str(number)
    counted = _letters(number) if kind in "aA" else _roman(number)
    return counted.upper() if kind in "AI" else counted


def _letters(number: int) -> str:
    """1 is a, 26 is z, 27 is aa, 28 is ab."""
    letters = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def _roman(number: int) -> str:
    written = ""
    for value, sign in _ROMAN:
        while number >= value:
            written += sign
            number -= value
    return written
