"""In which language a law is, by its words: whatever its headings, its file or its publisher say.

A benchmark can be built in the languages that the prompts are written in. A law in another one is refused here, before
a model is asked for anything; so is one that stands under the wrong one of ours. What is too short to tell, or mixed,
passes with the language that the source states.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.prompts import languages
from claimrag.schemas.errors import SourceError, UnrecognisedLayoutError
from claimrag.tasks.local.language import identify_among

NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "et": "Estonian", "fi": "Finnish", "fr": "French", "ga": "Irish", "he": "Hebrew", "hi": "Hindi",
    "hr": "Croatian", "hu": "Hungarian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "lb": "Luxembourgish",
    "lt": "Lithuanian", "lv": "Latvian", "mt": "Maltese", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sv": "Swedish",
    "tr": "Turkish", "uk": "Ukrainian", "zh": "Chinese",
}  # fmt: skip
"""The languages that a law is told apart in, by ISO 639-1; those of the European Union are all there."""

_PIECES = 24
_PIECE_CHARACTERS = 400
_SHORTEST = 120
"""Fewer characters than this are a heading or a number, and tell nothing."""
_MARKUP = re.compile(rb"<[^<>]*>")
_LOOKED_AT_BYTES = 400_000
_SHARE = 0.7
_SURE = 0.9


class UnsupportedLanguageError(SourceError):
    """The law is in a language that no benchmark can be built in."""


def check_language(name: str, parsed: ParsedAct) -> None:
    """Raise UnsupportedLanguageError with the law's name unless a benchmark can be built in its language."""
    problem = language_problem(parsed)
    if problem is not None:
        raise UnsupportedLanguageError(f"{name}: {problem}")


def language_problem(parsed: ParsedAct) -> str | None:
    """Why no benchmark can be built in the law's language; None where one can."""
    supported = languages()
    stated, written = parsed.act.language, language_of(parsed.text)
    ours = _ours()
    if stated not in supported:
        return f"the law is in {_named(stated)}; benchmarks are built in {ours}. Give the law in one of them"
    if written is None or written == stated:
        return None
    if written not in supported:
        return (
            f"the law's words are {_named(written)}, though it was taken as {_named(stated)}; benchmarks are built in "
            f"{ours}. Give the law in one of them"
        )
    return (
        f"the law's words are {_named(written)}, though it was taken as {_named(stated)}; say which it is in the "
        "source, or give the file of the other language"
    )


@contextmanager
def refused_by_language(name: str, raw: bytes) -> Iterator[None]:
    """Around the parse of `raw`: bytes of no known layout that are in a foreign language are refused for that.

    A German law has "Artikel" where our layouts look for an "Article"; to say so would send its owner to the headings.
    Of a PDF the words are not at hand before it is parsed, so that its refusal stays as it is.
    """
    try:
        yield
    except UnrecognisedLayoutError as error:
        written = None if raw.startswith(b"%PDF") else language_of(_words_of(raw))
        if written is None or written in languages():
            raise
        raise UnsupportedLanguageError(
            f"{name}: the law's words are {_named(written)}; benchmarks are built in {_ours()}. "
            "Give the law in one of them"
        ) from error


def _words_of(raw: bytes) -> str:
    return _MARKUP.sub(b" ", raw[:_LOOKED_AT_BYTES]).decode("utf-8", errors="replace")


def language_of(text: str) -> str | None:
    """The ISO 639-1 code of the language that most of the text is in; None where that is not clear."""
    pieces = _pieces(text)
    found: Counter[str] = Counter()
    for piece in pieces:
        code, confidence = identify_among(piece.lower(), tuple(NAMES))
        if confidence >= _SURE:
            found[code] += 1
    if not found:
        return None
    code, number = found.most_common(1)[0]
    return code if number >= _SHARE * len(pieces) else None


def _pieces(text: str) -> list[str]:
    """Up to `_PIECES` pieces, spread over the text; none of a text that is too short."""
    size = len(text)
    if size < _SHORTEST:
        return []
    number = max(1, min(_PIECES, size // _PIECE_CHARACTERS))
    starts = (round(place * (size - _PIECE_CHARACTERS) / max(1, number - 1)) for place in range(number))
    return [text[max(0, start) : max(0, start) + _PIECE_CHARACTERS] for start in starts]


def _ours() -> str:
    return " and ".join(map(_named, languages()))


def _named(code: Any) -> str:
    return NAMES.get(str(code), f"the language {str(code)!r}")
