"""Which language a text is in: one of our two, or one of those that a caller names.

An identifier always answers one of the languages it was given. `identify` knows English and French alone, so that a
German text gets a (low-confidence) wrong label: it notices an answer in the wrong language, and admits no law.
`identify_among` is for that (tasks/parse/language.py).
"""

from __future__ import annotations

import copy
import threading
from functools import cache
from typing import Any

from claimrag.schemas.base import Language

_LOCK = threading.Lock()
_OURS = tuple(language.value for language in Language)


@cache
def _every_language() -> Any:
    """The model, read once: it takes most of a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


@cache
def _identifier(codes: tuple[str, ...]) -> Any:
    # An identifier of our own: `py3langid.set_languages` would change the one every other importer shares.
    identifier = copy.copy(_every_language())
    identifier.set_languages(list(codes))
    return identifier


def identify(text: str) -> tuple[Language, float]:
    """(language, confidence in 0.5..1.0) of `text`; confidence 0.5 means the text says nothing, as "42"."""
    label, confidence = identify_among(text, _OURS)
    return Language(label), confidence


def identify_among(text: str, codes: tuple[str, ...]) -> tuple[str, float]:
    """(ISO 639-1 code, confidence) of `text`, of the languages `codes`."""
    with _LOCK:
        identifier = _identifier(codes)
    label, confidence = identifier.classify(text)
    return str(label), float(confidence)
