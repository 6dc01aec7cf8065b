"""Comparable forms of text for the filters: folded words, content words, and what a question points at.

Plain rules for English and French; they compare texts and decide nothing.
"""

from __future__ import annotations

import re
import unicodedata

from claimrag.tasks.generate.fact_words import NUMBER_WORDS

_NUMBERS = frozenset(
    part
    for table in NUMBER_WORDS.values()
    for number in table
    for part in number.split("-")
    if part not in ("one", "un", "une", "et") and " " not in part
)
_WORD = re.compile(r"[^\W_]+")
_UNSEEN = {
    "en": re.compile(
        r"\b(?:this|these|that|the (?:above|given|provided|following|cited|present|aforementioned|said))\s+"
        r"(?:articles?|provisions?|texts?|passages?|paragraphs?|contexts?|sections?|sentences?|excerpts?|"
        r"regulations?|laws?|acts?|directives?|codes?|statements?|rules?)\b"
        r"|\bthe (?:provision|provisions|text|passage|paragraph|context|excerpt|sentence)s?\b(?!\s+(?:\d|of))"
        r"|\bthe article\b(?!\s+\d)|\b(?:mentioned|described|stated|listed|provided|referred to) (?:above|below)\b"
        r"|\baccording to (?:sentence|paragraph|point)\b|\bsentences? \[?\d|\[\d",
        re.IGNORECASE,
    ),
    "fr": re.compile(
        r"\b(?:cet|cette|ces|ce)\s+(?:articles?|dispositions?|textes?|passages?|paragraphes?|contextes?|"
        r"sections?|phrases?|extraits?|règlements?|lois?|directives?|codes?|alinéas?|règles?)\b"
        r"|\b(?:la présente|le présent|les présentes|les présents)\b"
        r"|\b(?:la disposition|les dispositions|le texte|le passage|le paragraphe|le contexte|l['’]extrait|"
        r"la phrase|l['’]alinéa)\b(?!\s+(?:\d|de|du|des|d['’]|légal))"
        r"|\bl['’]article\b(?!\s+(?:\d|premier|[LR]\.))|\bci-(?:dessus|dessous|après|avant)\b"
        r"|\bphrases? \[?\d|\[\d",
        re.IGNORECASE,
    ),
}
_PART_OF_AN_ARTICLE = {
    "en": re.compile(
        r"\b(?:paragraphs?|subparagraphs?|points?) \(?[\da-z]{1,2}\b\)?(?!\)? of Article)", re.I
    ),
    "fr": re.compile(
        r"(?<!article \d)(?<!article \d\d)(?<!article \d,)(?<!article \d\d,) (?:paragraphes?|alinéas?|points?)"
        r" \(?\d+(?:er)?\)?(?! de l['’]article)",
        re.I,
    ),
}


def folded(text: str) -> str:
    """Words without accents, case and punctuation, joined by single spaces."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(_WORD.findall("".join(char for char in plain if not unicodedata.combining(char))))


def content_words(text: str) -> set[str]:
    """Folded words that carry meaning: four letters or more, or a number in figures or letters."""
    return {word for word in folded(text).split() if len(word) >= 4 or is_number(word)}


def is_number(word: str) -> bool:
    """Whether a folded word holds a figure or is a number in letters above one."""
    return word in _NUMBERS or any(char.isdecimal() for char in word)


def points_at_unseen_text(question: str, language: str) -> str | None:
    """The words by which a question points at a text that its reader does not see; None where it does not."""
    match = _UNSEEN[language].search(question) or _PART_OF_AN_ARTICLE[language].search(question)
    return match.group().strip() if match else None


def stems(text: str) -> set[str]:
    """Content words cut to five letters, so that forms of one word count as the same; numbers stay whole."""
    return {word if is_number(word) else word[:5] for word in content_words(text)}
