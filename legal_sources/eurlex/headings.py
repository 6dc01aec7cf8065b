"""The labels of the Union's drafting, English and French: "Article 16 bis", "CHAPTER II", "1.", "(a)", "—".

Tells what kind of unit a printed label opens and which number it bears. Knows nothing of any markup.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from claimrag.schemas.unit import UnitKind

_LATIN = (
    *("bis", "ter", "quater", "quinquies", "sexies", "septies", "octies", "nonies", "decies"),
    *("undecies", "duodecies", "terdecies", "quaterdecies", "quindecies", "sexdecies", "septdecies"),
    *("octodecies", "novodecies", "vicies", "unvicies", "duovicies", "tervicies", "quatervicies"),
    *("quinvicies", "sexvicies", "septvicies"),
)
_LETTER_OF_LATIN = {word: chr(ord("a") + index) for index, word in enumerate(_LATIN)} | {"novies": "h"}
_LATIN_WORDS = rf"(?:{'|'.join(sorted(_LETTER_OF_LATIN, key=len, reverse=True))})"
_LATIN_SUFFIX = re.compile(
    rf"""
    \s? ( {_LATIN_WORDS} ) $           # 16 bis, 75 quinquies, 2bis
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SUFFIX = rf"(?:\s?{_LATIN_WORDS}(?:\s{_LATIN_WORDS})?|[a-z]{{1,3}})"
_ARTICLE = re.compile(
    rf"""
    (?: article | art\. ) \s+
    (?P<number> premier | first | unique | sole | 1\s?er | \d+ {_SUFFIX}? | [IVXLC]+ )    # 16 bis, 4a, II
    (?P<rest> (?: [\s.:–—-] .* )? )                                        # a heading on the same line
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SOLE_ARTICLE = re.compile(r"sole article", re.IGNORECASE)
_CONTAINER_WORDS: tuple[tuple[str, UnitKind], ...] = (
    ("part|partie", UnitKind.PART),
    ("title|titre", UnitKind.TITLE),
    ("chapter|chapitre", UnitKind.CHAPTER),
    ("sub-?section|sous-section", UnitKind.SUBSECTION),
    ("section", UnitKind.SECTION),
)
_CONTAINER_NUMBER = rf"(?P<number>[IVXLC]+{_SUFFIX}?|\d+{_SUFFIX}?|premi[èe]re?|one|two|three|[A-Z])"
_CONTAINERS = tuple(
    (
        re.compile(
            rf"""
            (?: {word} ) \s+ {_CONTAINER_NUMBER} \b                        # CHAPTER II, TITRE IV bis
            (?P<rest> .* )                                                  # a heading on the same line
            """,
            re.IGNORECASE | re.DOTALL | re.VERBOSE,
        ),
        kind,
    )
    for word, kind in _CONTAINER_WORDS
)
_ANNEX = re.compile(
    r"(?:annex|annexe|appendix|appendice)(?:\s+(?P<number>[IVXLC]+\s?[a-z]{0,3}|\d+[a-z]?|[A-Z]))?",
    re.IGNORECASE,
)
_PARAGRAPH = re.compile(
    rf"""
    (?P<label> (?P<number> \d{{1,3}} {_SUFFIX}? ) \s?\. )                  # 1., 2a., 3 bis.
    \s+ (?=\S)                                                             # and the text of the paragraph
    """,
    re.VERBOSE,
)
_MARKER = re.compile(
    rf"""
    (?:
        \(?
        (?P<number>
            \d{{1,3}} (?: \.\d{{1,3}} )*                                   # (1), 4.1.
          | \d{{1,3}} \s? [a-z]{{1,3}}                                     # (13b)
          | [A-Za-z]{{1,2}}                                                 # (a), aa)
          | [ivxl]{{1,6}} | [IVXL]{{1,6}}                                   # xviii)
        )
        (?: \s (?P<suffix> {_LATIN_WORDS} ) )?                              # a bis)
        \s? [).°]{{1,2}}
      | (?P<bare> \d{{1,3}} (?: \.\d{{1,3}} )+ )                           # 2.1.1
    )
    """,
    re.VERBOSE,
)
_DASH = re.compile(r"[—–\-•·☐□▪■●○*]|\(?\*+\)?")
_OPENING_QUOTE = "‘“«‚„\"'"
_CLOSED_QUOTE = re.compile(r"[’”»\"'](?![A-Za-zÀ-ÿ])")
_LONGEST_END = 12
_ENDS_QUOTE = re.compile(r"[’”»\"']\s?[.;,:)]{0,2}(?:\s?(?:and|or|et|ou))?$")


class Label(NamedTuple):
    """A printed label taken apart: the kind it opens, the number alone, the label, and what follows it."""

    kind: UnitKind
    number: str | None
    label: str
    rest: str = ""


def article_label(text: str) -> Label | None:
    """ "Article 6", "Article premier", "Article 16 bis": only when the block is nothing but that label.

    A dash, colon or point may set a heading off on the same line; it comes back as `rest`.
    """
    if _SOLE_ARTICLE.fullmatch(text):
        return Label(UnitKind.ARTICLE, "1", text)
    match = _ARTICLE.fullmatch(text)
    if not match:
        return None
    rest = match.group("rest")
    if rest and not re.match(r"\s?[.:–—-]", rest):
        return None
    label = text[: len(text) - len(rest)].strip()
    return Label(UnitKind.ARTICLE, _article_number(match.group("number")), label, rest.lstrip(" .:–—-"))


def _article_number(printed: str) -> str:
    lowered = printed.lower()
    if lowered in ("premier", "first", "unique", "sole") or re.fullmatch(r"1\s?er", lowered):
        return "1"
    return printed


def container_label(text: str) -> Label | None:
    """ "CHAPTER II", "Section 1", "TITRE IV bis", with a heading on the same line as `rest`."""
    for shape, kind in _CONTAINERS:
        match = shape.fullmatch(text)
        if match:
            rest = match.group("rest")
            number = match.group("number")
            if number.lower() in ("première", "premiere", "premier", "one"):
                number = "1" if kind in (UnitKind.SECTION, UnitKind.SUBSECTION) else "I"
            return Label(kind, number, text[: len(text) - len(rest)].strip(), rest.strip(" .:–—-"))
    return None


def annex_label(text: str) -> Label | None:
    """ "ANNEX", "ANNEX IV", "ANNEXE II": only when the block is nothing but that label."""
    match = _ANNEX.fullmatch(text.strip())
    if not match:
        return None
    number = match.group("number")
    return Label(UnitKind.ANNEX, number.replace(" ", "") if number else None, text.strip())


def paragraph_label(text: str) -> Label | None:
    """The "1." that starts a numbered paragraph; `rest` is the paragraph's text."""
    first, _, rest = text.partition(". ")
    if first.isdecimal() and len(first) <= 3 and rest and not rest[0].isspace():
        return Label(UnitKind.PARAGRAPH, first, f"{first}.", rest)
    match = _PARAGRAPH.match(text)
    if not match:
        return None
    printed, number = match.group("label", "number")
    return Label(UnitKind.PARAGRAPH, number.strip(), printed, text[match.end() :])


def point_label(marker: str) -> Label | None:
    """A point's marker that stands alone: "(a)", "1)", "a bis)", "4.1.", "—". A dash has no number."""
    return _point_label(marker) if 0 < len(marker) <= 16 else None


@lru_cache(maxsize=1024)
def _point_label(marker: str) -> Label | None:
    if _DASH.fullmatch(marker):
        return Label(UnitKind.POINT, None, marker)
    match = _MARKER.fullmatch(marker)
    if not match:
        return None
    number = match.group("number") or match.group("bare")
    suffix = match.group("suffix")
    return Label(UnitKind.POINT, f"{number} {suffix}" if suffix else number, marker)


def opens_quotation(text: str) -> bool:
    """Whether a quotation starts the block and does not end in it, as an amendment's new text does."""
    return text[:1] in _OPENING_QUOTE and bool(text) and not _CLOSED_QUOTE.search(text, 1)


def starts_with_quote(text: str) -> bool:
    """Whether the block starts with an opening quotation mark."""
    return bool(text) and text[0] in _OPENING_QUOTE


def ends_quotation(text: str) -> bool:
    """Whether the block ends with a closing quotation mark, a point or semicolon after it allowed."""
    return bool(_ENDS_QUOTE.search(text, max(0, len(text) - _LONGEST_END)))


@lru_cache(maxsize=1024)
def number_across_languages(number: str | None) -> str | None:
    """The number as ids write it in every language: "16 bis" is 16a, "b ter" is bb, as in ELI ids."""
    if number is None or number.isdecimal():
        return number
    match = _LATIN_SUFFIX.search(number)
    if match is None or not match.start():
        return number
    return number[: match.start()] + _LETTER_OF_LATIN[match.group(1).lower()]


def goes_on(text: str) -> bool:
    """Whether the block goes on with the sentence before it: its first letter is small ("and", "— or")."""
    first = text[:1]
    if not first.isalnum():
        first = next((character for character in text if character.isalnum()), "A")
    return first.islower()


def leading_marker(text: str) -> Label | None:
    """The point marker that starts a block ("(a) ...", "- ...", "1. ..."); `rest` is the text after it."""
    marker, space, rest = text.partition(" ")
    if not space or not rest.strip():
        return None
    label = point_label(marker)
    if label is None or (label.number and len(label.number) > 4 and not label.number[0].isdigit()):
        return None
    return Label(label.kind, label.number, label.label, rest)


def after_label(text: str, label: str) -> str:
    """Raw `text` without the label that starts it; white space inside the label may differ in `text`."""
    at = 0
    for character in label.replace(" ", ""):
        while at < len(text) and text[at] != character:
            at += 1
        at += 1
    return text[at:]
