"""Text to index terms, for English and French law.

Promises that numbers and one-character words stay ("Article 6(1)(f)" gives article, 6, 1, f), that French
elisions are taken off whichever apostrophe is printed ("l’obligation" gives obligation), and that loi and
lois, travail and travaux meet. No stop words are dropped: "point (a)" must stay findable, and BM25 weighs
frequent words down by itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Any

from claimrag.schemas.base import Language
from claimrag.schemas.errors import InputError

Analyze = Callable[[str], list[str]]

# A word may hold apostrophes; "2016/679" and "5-1" give two numbers, as Lucene's standard tokenizer does.
_WORD = re.compile(r"\w+(?:'\w+)*")
_ELISION = re.compile(r"^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)'", re.IGNORECASE)
_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "＇": "'"})
_MIN_PLURAL = 4


def analyzer(language: str) -> Analyze:
    """The function that turns a text of this language into its index terms."""
    if language == Language.FR:
        return _analyze_french
    if language == Language.EN:
        return _analyze_english
    raise InputError(f"no lexical analysis for language {language!r}: en and fr are known")


def words(text: str) -> list[str]:
    """Lower-case words in order; compatibility forms (ligatures, superscripts, no-break spaces) unified."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).translate(_APOSTROPHES).lower())


def _analyze_english(text: str) -> list[str]:
    return _stemmed([part for word in words(text) for part in word.removesuffix("'s").split("'")], "english")


def _analyze_french(text: str) -> list[str]:
    bare = (_ELISION.sub("", word) for word in words(text))
    return _stemmed([_singular(part) for word in bare for part in word.split("'")], "french")


def _singular(word: str) -> str:
    """Snowball's French stemmer keeps loi and lois, travail and travaux apart: fold the plural first."""
    if len(word) < _MIN_PLURAL or word.isdigit():
        return word
    if word.endswith("eaux"):
        return word[:-1]
    if word.endswith(("aux", "ail")):
        return word[:-2] + "l"
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _stemmed(tokens: list[str], language: str) -> list[str]:
    terms: list[str] = _stemmer(language).analyze(" ".join(tokens))
    return terms


@cache
def _stemmer(language: str) -> Any:
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    return TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.stemmer(language)).build()
