"""Which of our two languages a text is in.

The identifier is restricted to English and French, so it always answers one of them: a German text gets a
(low-confidence) wrong label. Use it to notice an answer in the wrong language, not to admit a law.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

from claimrag.schemas.base import Language

_LOCK = threading.Lock()


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    # An identifier of our own: `py3langid.set_languages` would change the one every other importer shares.
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([language.value for language in Language])
    return identifier


def identify(text: str) -> tuple[Language, float]:
    """(language, confidence in 0.5..1.0) of `text`; confidence 0.5 means the text says nothing, as "42"."""
    with _LOCK:
        identifier = _identifier()
    label, confidence = identifier.classify(text)
    return Language(label), float(confidence)
