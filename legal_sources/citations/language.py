"""How references are written in English and in French legal drafting: head words, lists, numbers, joints.

Only wording lives here. Both grammars give the same kinds of parts; the rest of the package knows no
language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from legal_sources.citations.parts import Level

_BLANK = r"[ \t\u00a0\u202f]"
_LATIN = (
    "bis|ter|quater|quinquies|sexies|septies|octies|nonies|decies|undecies|duodecies|terdecies|quaterdecies|"
    "quindecies|sexdecies|septdecies|octodecies|novodecies|vicies|unvicies|duovicies|tervicies|sexvicies"
)
_ROMAN = r"[IVXLC]+(?:(?:bis|ter|quater|[a-z])\b)?"


@dataclass(frozen=True)
class Grammar:
    """Compiled patterns of one language. `head` has one named group per kind of part."""

    head: re.Pattern[str]
    levels: Mapping[str, Level]
    ordinal: re.Pattern[str]
    ordinals: Mapping[str, str]
    numbers: Mapping[str, re.Pattern[str]]
    bracket: re.Pattern[str]
    separator: re.Pattern[str]
    through: re.Pattern[str]
    quantity: re.Pattern[str]
    inner_first: re.Pattern[str]
    outer_first: re.Pattern[str]
    attach: re.Pattern[str]
    also: re.Pattern[str]
    joins: re.Pattern[str]
    thereof: re.Pattern[str]
    own_act: re.Pattern[str]
    other_act: re.Pattern[str]
    vague_act: re.Pattern[str]
    act: re.Pattern[str]
    amends: re.Pattern[str]
    comma_attaches_paragraphs: bool

    def number(self, level: Level) -> re.Pattern[str]:
        """How a number is written at this level."""
        return self.numbers.get(level.name, self.numbers["ROMAN"])

    def is_plural(self, head: str) -> bool:
        """Whether the head word announces several items."""
        return head.lower().rstrip(".").endswith("s")

    def is_quantity(self, line: str, at: int) -> bool:
        """Whether the number that ends here counts something (`2 months`) or goes on (`2002/58`)."""
        return self.quantity.match(line, at) is not None
