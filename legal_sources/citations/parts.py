"""The parts of a reference: `points (a) to (c)`, `paragraph 1`, `this Article`, each with its list of numbers.

A part is found by its head word, then its list is read item by item, so that `Articles 8, 11, 25 to 39 and
42 and 43` and `Article 22(1) and (4)` are one part each. What the numbers lead to is decided elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from claimrag.legal_sources.citations.grammar import Grammar, Level

_LETTERED = re.compile(r"[a-z]\d")
_ROMAN = re.compile(r"^[ivxl]+$")


@dataclass(frozen=True)
class Step:
    """One number at one level. A `bracketed` digit may be a paragraph or a numbered point."""

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


def normal_number(text: str) -> str:
    """One spelling per number: `1er`, `premier` and `1` agree, as do `L. 234-1` and `l234-1`, `16 bis` and `16bis`."""
    folded = re.sub(r"[\s.°«»()]+", "", text.casefold())
    folded = re.sub(r"^premi(?:er|ère)$", "1", folded)
    return re.sub(r"^(\d+|[ivxlc]+)(?:er|re|ère)(?=$|-)", r"\1", folded)


def _read(line: str, match: re.Match[str], grammar: Grammar) -> Part | None:
    if match["this"]:
        level = grammar.level_of(match["this"].split()[-1])
        return Part(level, match.start(), match.end(), this=True)
    if match["ordinal"]:
        words = grammar.ordinal.findall(match["ordinal"])
        numbers = [grammar.ordinals.get(word.lower()) or re.sub(r"\D", "", word) for word in words]
        items = tuple(Item((Step(Level.SUBPARAGRAPH, number),)) for number in numbers)
        return Part(Level.SUBPARAGRAPH, match.start(), match.end(), items)
    level = grammar.level_of(match["word"])
    plural = match["word"].rstrip(".").endswith(("s", "§§"))
    items, end = _items(line, match.end(), level, grammar, plural=plural)
    return Part(level, match.start(), end, items) if items else None


def _items(
    line: str, at: int, level: Level, grammar: Grammar, *, plural: bool
) -> tuple[tuple[Item, ...], int]:
    """The items and where the last one ends. After a singular head, a comma or a range needs a bracket."""
    items: list[Item] = []
    end = at
    through = False
    while found := _item(line, at, level, grammar, items[-1].steps if items else ()):
        steps, end = found
        items.append(Item(steps, through))
        separator = grammar.separator.match(line, end)
        if separator is None:
            break
        through = bool(grammar.through.search(separator[0]))
        bare_comma = separator[0].strip() == ","
        at = separator.end()
        if (bare_comma or through) and not plural and not _goes_on(line, at, level, grammar):
            break
    return tuple(items), end


def _goes_on(line: str, at: int, level: Level, grammar: Grammar) -> bool:
    """Whether a bracketed number follows, which continues a list even after a singular head."""
    number = grammar.number(level).match(line, at) if level is Level.POINT else None
    return bool(grammar.bracket.match(line, at)) or (number is not None and number[0].endswith(")"))


def _item(
    line: str, at: int, level: Level, grammar: Grammar, before: tuple[Step, ...]
) -> tuple[tuple[Step, ...], int] | None:
    steps: list[Step] = []
    number = grammar.number(level).match(line, at)
    if number is not None and not grammar.quantity.match(line, number.end()):
        steps = [*_outer_point(before, number[0]), Step(level, _with_letter(before, number[0]))]
        at = number.end()
    elif before and (bare := grammar.bracket.match(line, at)):
        steps = list(_shared(before, _inside(bare)))
        if not steps:
            return None
    else:
        return None
    while bracket := grammar.bracket.match(line, at):
        steps.append(_bracketed(_inside(bracket), steps[-1].level))
        at = bracket.end()
    return tuple(steps), at


def _with_letter(before: tuple[Step, ...], text: str) -> str:
    """`articles L. 345-11 et 345-12`: a code's letter holds for the numbers after it."""
    number = normal_number(text)
    first = before[0].number if before and before[0].level is Level.ARTICLE else ""
    return f"{first[0]}{number}" if _LETTERED.match(first) and number[:1].isdigit() else number


def _inside(bracket: re.Match[str]) -> str:
    return next(group for group in bracket.groups() if group)


def _bracketed(text: str, after: Level) -> Step:
    """`(1)` right after an article is a paragraph (or a numbered point); anything else is a point."""
    if after is Level.ARTICLE and text[0].isdigit():
        return Step(Level.PARAGRAPH, normal_number(text), bracketed=True)
    return Step(Level.POINT, normal_number(text))


def _outer_point(before: tuple[Step, ...], text: str) -> tuple[Step, ...]:
    """`points (a)(i) and (ii)`: a Roman number after a nested point belongs to the same outer point."""
    nested = len(before) > 1 and before[-1].level is before[-2].level is Level.POINT
    roman = _ROMAN.match(normal_number(text)) and nested and _ROMAN.match(before[-1].number)
    return before[:-1] if roman else ()


def _shared(before: tuple[Step, ...], text: str) -> tuple[Step, ...]:
    """The steps a bare bracket takes over from the item before: `22(1) and (4)` shares the article."""
    for index in range(len(before) - 1, 0, -1):
        if before[index].number[0].isdigit() is text[0].isdigit():
            return before[:index]
    return ()
