"""The parts of a reference: `points (a) to (c)`, `paragraph 1`, `this Article`, each with its list of numbers.

A part is found by its head word, then its list is read item by item, so that `Articles 8, 11, 25 to 39 and
42 and 43` and `Article 22(1) and (4)` are one part each. What the numbers lead to is decided elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from legal_sources.citations.language import Grammar

_LETTERS = re.compile(r"^[a-z]+$")


class Level(IntEnum):
    """How deep a part lies, from the outside in."""

    BOOK = 0
    PART = 1
    TITLE = 2
    CHAPTER = 3
    SECTION = 4
    ANNEX = 5
    ARTICLE = 6
    PARAGRAPH = 7
    SUBPARAGRAPH = 8
    POINT = 9


@dataclass(frozen=True)
class Step:
    """One number at one level. `bracketed` digits may be a paragraph or a numbered point."""

    level: Level
    number: str
    bracketed: bool = False


@dataclass(frozen=True)
class Item:
    """A path of steps; `through` makes it the end of a range that began at the item before."""

    steps: tuple[Step, ...]
    through: bool = False


@dataclass(frozen=True)
class Part:
    """One head with its items. `this` is `this Article`: the one that holds the reference."""

    level: Level
    start: int
    end: int
    items: tuple[Item, ...] = ()
    this: bool = False


def find_parts(line: str, grammar: Grammar) -> list[Part]:
    """Every part in one line of text, in order, without overlaps; offsets are into the line."""
    parts: list[Part] = []
    at = 0
    for match in grammar.head.finditer(line):
        if match.start() < at:
            continue
        part = _read(line, match, grammar)
        if part is not None:
            parts.append(part)
            at = part.end
    return parts


def _read(line: str, match: re.Match[str], grammar: Grammar) -> Part | None:
    name = match.lastgroup or ""
    if name == "this":
        level = grammar.levels.get(match[name].split()[-1].lower())
        return Part(level, match.start(), match.end(), this=True) if level is not None else None
    if name == "ordinal":
        numbers = [grammar.ordinals[word.lower()] for word in grammar.ordinal.findall(match[name])]
        steps = tuple(Item((Step(Level.SUBPARAGRAPH, number),)) for number in numbers)
        return Part(Level.SUBPARAGRAPH, match.start(), match.end(), steps)
    level = grammar.levels[match[name].lower().rstrip(".")]
    plural = grammar.is_plural(match[name])
    items, end = _items(line, match.end(), level, grammar, plural=plural)
    return Part(level, match.start(), end, tuple(items)) if items else None


def _items(
    line: str, at: int, level: Level, grammar: Grammar, *, plural: bool
) -> tuple[list[Item], int]:
    """Items and where the last one ends; no item, no part."""
    items: list[Item] = []
    end = at
    through = False
    while True:
        steps, after = _item(line, at, level, grammar, items[-1].steps if items else ())
        if not steps:
            return items, end
        items.append(Item(steps, through))
        end = after
        separator = grammar.separator.match(line, end)
        if separator is None:
            return items, end
        comma = separator[0].startswith(",")
        if comma and not plural and not grammar.bracket.match(line, separator.end()):
            return items, end
        through = bool(grammar.through.search(separator[0]))
        at = separator.end()


def _item(
    line: str, at: int, level: Level, grammar: Grammar, before: tuple[Step, ...]
) -> tuple[tuple[Step, ...], int]:
    number = grammar.number(level).match(line, at)
    steps: list[Step] = []
    if number is not None and not grammar.is_quantity(line, number.end()):
        steps.append(Step(level, normal_number(number[0])))
        at = number.end()
    elif not before and level is not Level.POINT:
        return (), at
    opening = len(steps)
    while bracket := grammar.bracket.match(line, at):
        if before and not steps:
            steps = list(_shared(before, bracket[1], level))
            opening = len(steps)
        steps.append(_bracket(bracket[1], level, first=not steps or steps[-1].level < Level.PARAGRAPH))
        at = bracket.end()
    return (tuple(steps), at) if len(steps) > opening or opening and number else ((), at)


def _bracket(text: str, level: Level, *, first: bool) -> Step:
    """`(1)` right after an article is a paragraph (or a numbered point), anything else a point."""
    if level is Level.ARTICLE and first and not _LETTERS.match(text):
        return Step(Level.PARAGRAPH, normal_number(text), bracketed=True)
    return Step(Level.POINT, normal_number(text))


def _shared(before: tuple[Step, ...], text: str, level: Level) -> tuple[Step, ...]:
    """The steps that a bare bracket takes over from the item before: `22(1) and (4)` shares the article."""
    letters = bool(_LETTERS.match(text))
    for index in range(len(before) - 1, -1, -1):
        step = before[index]
        bracket_like = step.bracketed or step.level is Level.POINT
        if bracket_like and bool(_LETTERS.match(step.number)) is letters:
            return before[:index]
    return before if level is not Level.POINT else ()


def normal_number(text: str) -> str:
    """One spelling per number: `1er`, `premier` and `1` agree, as do `L. 234-1` and `l234-1`, `16 bis`, `16bis`."""
    folded = re.sub(r"[\s.°«»()]+", "", text.casefold())
    folded = folded.replace("premier", "1").replace("première", "1")
    return re.sub(r"^(\d+)(?:er|re|ère|º)(?=$|-)", r"\1", folded)
