"""Canonical text: how a block of law is written down, so that offsets mean the same on every machine.

Inside a block every run of white space, no-break and thin spaces included, is one ordinary space; zero-width
characters and soft hyphens are taken out; the block is in Unicode form NFC. Where a footnote is called, a block
may hold a call mark while it is being built; the mark never reaches the text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Two noncharacters of Unicode: no law holds them.
CALL_OPEN, _CALL_CLOSE = "\ufdd0", "\ufdd1"
"""What a call mark starts with, and what it ends with."""
_ONE_CALL = f"{CALL_OPEN}([0-9]{{1,9}}){_CALL_CLOSE}"
_CALL = re.compile(rf"\(\s*{_ONE_CALL}\s*\)|{_ONE_CALL}")
_INVISIBLE = re.compile("[\u00ad\u200b\u200c\u200d\u2060\ufeff]")
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9-]+")
_LABEL_LENGTH = 16
_PRINTABLE_ASCII = bytes(range(0x20, 0x7F))
_KOREAN_PARTS = frozenset(map(chr, range(0x1100, 0x1200)))
_CLOSES_UP = re.compile(r"[\s.,;:!?)\]»”’]")


def normalise(text: str) -> str:
    """One block of text in canonical form: single spaces, no invisible characters, NFC, ends stripped."""
    return _normalised_label(text) if len(text) <= _LABEL_LENGTH else _normalised(text)


def _normalised(text: str) -> str:
    if "\u00a0" in text:  # the Journal sets three after a number
        text = text.replace("\u00a0\u00a0\u00a0", " ").replace("\u00a0", " ")
    rare = text.encode("utf-8", "surrogatepass").translate(None, _PRINTABLE_ASCII)
    if rare and not _are_canonical(
        rare if len(rare) <= _LABEL_LENGTH else frozenset(rare.decode("utf-8", "surrogatepass"))
    ):
        return single_spaced(unicodedata.normalize("NFC", single_spaced(_INVISIBLE.sub("", text))))
    while "  " in text:
        text = text.replace("  ", " ")
    return text.strip(" ")


_normalised_label = lru_cache(maxsize=4096)(_normalised)
"""For short texts: a law prints the same few labels and markers over and over."""


@lru_cache(maxsize=4096)
def _are_canonical(rare: bytes | frozenset[str]) -> bool:
    """Whether no text is out of canonical form because of these characters, all it holds but printable ASCII.

    What is printable is neither invisible nor other white space than the space. NFC changes a character that
    is in this form alone only for a mark, or for a part of a Korean syllable, that follows or is followed.
    """
    marks = frozenset(rare.decode("utf-8", "surrogatepass")) if isinstance(rare, bytes) else rare
    return all(
        mark.isprintable()
        and unicodedata.is_normalized("NFC", mark)
        and not unicodedata.category(mark).startswith("M")
        and mark not in _KOREAN_PARTS
        for mark in marks
    )


def single_spaced(text: str) -> str:
    """`text` with every run of white space, of whatever kind, as one ordinary space; ends stripped."""
    return " ".join(text.split())


def without_calls(text: str) -> str:
    """`text` in canonical form, its footnote call marks taken out."""
    return take_out_calls(text)[0] if CALL_OPEN in text else normalise(text)


def number_in_id(number: str) -> str:
    """`number` as it may stand in an id: ASCII letters, digits and hyphens ("16 bis" gives "16bis")."""
    if number.isascii() and number.isalnum():
        return number
    plain = unicodedata.normalize("NFKD", number).encode("ascii", "ignore").decode("ascii")
    joined = re.sub(r"\s+(?=[a-z]+$)", "", plain.strip())
    return _NOT_IN_IDS.sub("-", joined).strip("-")


def call_mark(index: int) -> str:
    """The mark that stands in a block's raw text where footnote call `index` is."""
    return f"{CALL_OPEN}{index}{_CALL_CLOSE}"


def take_out_calls(text: str) -> tuple[str, list[tuple[int, int]]]:
    """`text` in canonical form without its call marks, and each call's index and offset in that form.

    Brackets around a mark go with it, and so does the space before it when punctuation or a space follows.
    """
    joined = _Joiner()
    found: list[tuple[int, int]] = []
    rest = 0
    for mark in _CALL.finditer(text):
        before = text[rest : mark.start()]
        printed = before.rstrip()
        joined.add(printed)
        found.append((int(mark.group(1) or mark.group(2)), joined.length))
        follows = text[mark.end() : mark.end() + 1]
        if follows and not _CLOSES_UP.match(follows):
            joined.add(before[len(printed) :])
        rest = mark.end()
    joined.add(text[rest:])
    return joined.text, found


class _Joiner:
    """Normalises a text that comes in pieces, as if it had come in one."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._space_before_next = False
        self.length = 0

    def add(self, piece: str) -> None:
        plain = normalise(piece)
        if plain:
            if self._pieces and (self._space_before_next or piece[0].isspace()):
                plain = f" {plain}"
            self._pieces.append(plain)
            self.length += len(plain)
            self._space_before_next = piece[-1].isspace()
        elif piece and piece[0].isspace():
            self._space_before_next = True

    @property
    def text(self) -> str:
        return "".join(self._pieces)
