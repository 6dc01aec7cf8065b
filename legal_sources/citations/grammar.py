"""The shape of a grammar of references: the patterns that a language must supply, and nothing of what they mean.

English and French fill it in (`english.py`, `french.py`); the rest of the package knows no language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

BLANK = r"[ \t\u00a0\u202f]"


class Level(IntEnum):
    """How deep a part of a reference lies, from the outside in."""

    ANNEX = 0
    BOOK = 1
    PART = 2
    TITLE = 3
    CHAPTER = 4
    SECTION = 5
    ARTICLE = 6
    PARAGRAPH = 7
    SUBPARAGRAPH = 8
    POINT = 9


@dataclass(frozen=True)
class Grammar:
    """Compiled patterns of one language.

    `head` finds the word that opens a part, in one of the groups `this`, `ordinal`, `word`. The patterns that
    join or follow parts are matched where one part ends: `inner_first` (`point (a) of Article 6`),
    `outer_first` (`article 6, paragraphe 1`), `also` (a further branch of the same reference), `aside` (`,
    first sentence`), `closing` (`, of this Article` after those), `own_act`, `vague` (`of that Article`),
    `other_act` (with the group `name`), `thereof`. `joins` is what stands between references that share one
    act, `together` between one of another act and one that may be of either (`in conjunction with`).

    `act` finds an act named by its number. `its_before`, `vague_before` (`the said`) and `note_before` end
    where a reference to another act, to something named before, or inside an amendment note begins.
    `mention` finds acts spoken of (group `own` for this one), `amends` the words of an article that changes
    another act.
    """

    head: re.Pattern[str]
    levels: Mapping[str, Level]
    ordinal: re.Pattern[str]
    ordinals: Mapping[str, str]
    numbers: Mapping[Level, re.Pattern[str]]
    container_number: re.Pattern[str]
    bracket: re.Pattern[str]
    separator: re.Pattern[str]
    through: re.Pattern[str]
    quantity: re.Pattern[str]
    inner_first: re.Pattern[str]
    outer_first: re.Pattern[str]
    outer_levels: frozenset[Level]
    also: re.Pattern[str]
    aside: re.Pattern[str]
    closing: re.Pattern[str]
    joins: re.Pattern[str]
    own_act: re.Pattern[str]
    vague: re.Pattern[str]
    other_act: re.Pattern[str]
    thereof: re.Pattern[str]
    act: re.Pattern[str]
    its_before: re.Pattern[str]
    vague_before: re.Pattern[str]
    together: re.Pattern[str]
    mention: re.Pattern[str]
    note_before: re.Pattern[str]
    amends: re.Pattern[str]

    def number(self, level: Level) -> re.Pattern[str]:
        """How a number is written at this level."""
        return self.numbers.get(level, self.container_number)

    def level_of(self, word: str) -> Level:
        """The level a head word opens, in the singular or plural."""
        return self.levels[word.lower().rstrip(".")]
