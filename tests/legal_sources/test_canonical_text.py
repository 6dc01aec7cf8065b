"""Canonical text: what the fast way lets pass must be what the thorough way would give."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from claimrag.legal_sources.canonical_text import normalise

ODD = st.sampled_from(
    "ae1é’“ \u00a0\n\t\u0301\u0327\u200b\u00ad\u1100\u1161\u11a8가\u09c7\u09be\u2126\ufb01\x0b\x1c"
)
TEXTS = st.text(ODD, max_size=60)


def thoroughly(text: str) -> str:
    visible = "".join(mark for mark in text if mark not in "\u00ad\u200b\u200c\u200d\u2060\ufeff")
    return " ".join(unicodedata.normalize("NFC", visible).split())


@given(TEXTS | st.text(max_size=60))
def test_the_fast_way_and_the_thorough_way_agree(text: str) -> None:
    assert normalise(text) == thoroughly(text)


def test_no_character_that_joins_the_one_before_passes_as_canonical() -> None:
    for code in range(0x110000):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            decomposed = "".join(chr(int(part, 16)) for part in parts)
            padded = f"a long enough text before it {decomposed} and after it"
            assert normalise(padded) == unicodedata.normalize("NFC", padded)
