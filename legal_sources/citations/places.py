"""Leads the steps of a reference to units: by kind and number, inside the place reached so far.

A step that finds no unit, or more than one, gives None: the reference stays unresolved rather than guessed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from claimrag.legal_sources.citations.grammar import Level
from claimrag.legal_sources.citations.parts import Item, Part, Step, normal_number
from claimrag.schemas.base import UnitId
from claimrag.schemas.unit import Unit, UnitKind

_KINDS = {
    Level.BOOK: UnitKind.BOOK,
    Level.PART: UnitKind.PART,
    Level.TITLE: UnitKind.TITLE,
    Level.CHAPTER: UnitKind.CHAPTER,
    Level.SECTION: UnitKind.SECTION,
    Level.ANNEX: UnitKind.ANNEX,
    Level.ARTICLE: UnitKind.ARTICLE,
    Level.PARAGRAPH: UnitKind.PARAGRAPH,
    Level.SUBPARAGRAPH: UnitKind.SUBPARAGRAPH,
}
_POINTS = (UnitKind.POINT, UnitKind.SUBPOINT)
_TRANSPARENT = (UnitKind.SUBPARAGRAPH, UnitKind.SECTION, UnitKind.PART)
_COUNTED = re.compile(r"sub_(\d+)$")
_SEVERAL = re.compile(r"^(\d+)\s*(?:et|à|and|to|-|–)\s*(\d+)$")


@dataclass(frozen=True)
class Place:
    """A unit, or only its first subparagraph, which has no unit of its own."""

    unit: Unit
    first_only: bool = False


class Places:
    """The units of one act, by parent and by kind and number."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units
        self._by_id = {unit.id: unit for unit in units}
        self._starts = [unit.start for unit in units]
        self._children: dict[UnitId, list[Unit]] = defaultdict(list)
        self._numbered: dict[tuple[UnitKind, str], list[Unit]] = defaultdict(list)
        for unit in units:
            if unit.parent_id is not None:
                self._children[unit.parent_id].append(unit)
            for number in _numbers(unit):
                self._numbered[(unit.kind, number)].append(unit)
        self._articles = [u for u in units if u.kind is UnitKind.ARTICLE and self._is_of_the_act(u)]

    def innermost(self, start: int, end: int) -> Unit | None:
        """The smallest unit that holds the span."""
        index = bisect_right(self._starts, start) - 1
        unit = self._units[index] if index >= 0 else None
        while unit is not None and unit.end < end:
            unit = self.parent(unit)
        return unit

    def parent(self, unit: Unit) -> Unit | None:
        """The unit around this one."""
        return self._by_id.get(unit.parent_id) if unit.parent_id is not None else None

    def around(self, unit: Unit, *kinds: UnitKind) -> Unit | None:
        """The nearest unit of one of the kinds: this one, or one around it."""
        at: Unit | None = unit
        while at is not None and at.kind not in kinds:
            at = self.parent(at)
        return at

    def begin(self, part: Part, source: Unit) -> list[Place] | None:
        """Where a reference leads whose outermost part is `part`, seen from the unit that holds it."""
        if part.this:
            around = self.around(source, _KINDS[part.level]) if part.level in _KINDS else None
            return [Place(around)] if around is not None else None
        if part.level is Level.POINT:
            return self._climb(part, source)
        if part.level is Level.SUBPARAGRAPH:
            base = self.around(source, UnitKind.PARAGRAPH, UnitKind.ARTICLE)
        elif part.level is Level.PARAGRAPH:
            base = self.around(source, UnitKind.ARTICLE)
        else:
            return self._items(part.items, None, source)
        return self._items(part.items, Place(base), source) if base is not None else None

    def go_on(self, part: Part, place: Place, source: Unit) -> list[Place] | None:
        """Where `part` leads inside `place`."""
        return None if part.this else self._items(part.items, place, source)

    def _climb(self, part: Part, source: Unit) -> list[Place] | None:
        """`point (a)` alone means the nearest list around the reference that has every point named."""
        at: Unit | None = source
        while at is not None:
            found = self._items(part.items, Place(at), source)
            if found is not None:
                return found
            if at.kind in (UnitKind.ARTICLE, UnitKind.ANNEX):
                return None
            at = self.parent(at)
        return None

    def _items(self, items: Sequence[Item], base: Place | None, source: Unit) -> list[Place] | None:
        found: list[Place] = []
        for item in items:
            place = self._walk(item.steps, base, source)
            if place is None:
                return None
            if item.through:
                between = self._between(found[-1], place)
                if between is None:
                    return None
                found += between
            found.append(place)
        return found

    def _walk(self, steps: Sequence[Step], base: Place | None, source: Unit) -> Place | None:
        place = base
        for step in steps:
            place = self._step(step, place, source)
            if place is None:
                return None
        return place

    def _step(self, step: Step, base: Place | None, source: Unit) -> Place | None:
        if base is None:
            return self._from_the_act(step, source)
        if step.level is Level.SUBPARAGRAPH:
            return self._subparagraph(step.number, base)
        if step.level is Level.POINT:
            return self._only(self._points(step.number, base))
        if step.level is Level.PARAGRAPH:
            paragraphs = [u for u in self._children[base.unit.id] if u.kind is UnitKind.PARAGRAPH]
            named = [u for u in paragraphs if step.number in _numbers(u)]
            if step.bracketed and not paragraphs:
                named = self._points(step.number, base)
            return self._only(named)
        return self._only(self._inside(_KINDS[step.level], step.number, base.unit))

    def _from_the_act(self, step: Step, source: Unit) -> Place | None:
        kind = _KINDS.get(step.level)
        if kind is None:
            return None
        if kind is UnitKind.ARTICLE:
            named = self._numbered[(kind, step.number)]
            own = [u for u in named if self._is_of_the_act(u)]
            annex = self.around(source, UnitKind.ANNEX)
            if annex is not None and any(annex.start <= u.start < annex.end for u in named):
                return None
            return self._only(own)
        at = self.parent(source)
        while at is not None:
            inside = self._inside(kind, step.number, at)
            if inside:
                return self._only(inside)
            at = self.parent(at)
        return self._only(self._numbered[(kind, step.number)])

    def _inside(self, kind: UnitKind, number: str, outer: Unit) -> list[Unit]:
        named = self._numbered[(kind, number)]
        return [u for u in named if outer.start <= u.start and u.end <= outer.end and u.id != outer.id]

    def _points(self, number: str, base: Place) -> list[Unit]:
        """The points of this number in the lists of the place itself.

        Subparagraphs, and the sections of an annex, do not hide theirs.
        """
        found: list[Unit] = []
        for child in self._children[base.unit.id]:
            if child.kind in _POINTS and number in _numbers(child):
                found.append(child)
            elif child.kind in _TRANSPARENT and not base.first_only:
                found += self._points(number, Place(child))
        return found

    def _subparagraph(self, number: str, base: Place) -> Place | None:
        children = self._children[base.unit.id]
        subparagraphs = [u for u in children if u.kind is UnitKind.SUBPARAGRAPH]
        if any(u.kind is UnitKind.PARAGRAPH for u in children):
            return None
        named = [u for u in subparagraphs if number in _numbers(u)]
        if number == "1" and not named:
            return Place(base.unit, first_only=True)
        return self._only(named)

    def _between(self, first: Place, last: Place) -> list[Place] | None:
        """The places between the ends of a range: among siblings, or among the articles of the act."""
        if first.unit.kind is not last.unit.kind:
            return None
        if first.unit.kind is UnitKind.ARTICLE:
            row = self._articles
        elif first.unit.parent_id is not None and first.unit.parent_id == last.unit.parent_id:
            row = [u for u in self._children[first.unit.parent_id] if u.kind is first.unit.kind]
        else:
            row = [u for u in self._units if u.kind is first.unit.kind and u.parent_id == last.unit.parent_id]
        if first.unit not in row or last.unit not in row:
            return None
        begin, end = row.index(first.unit), row.index(last.unit)
        return [Place(u) for u in row[begin + 1 : end]] if begin < end else None

    def _is_of_the_act(self, article: Unit) -> bool:
        """Not an article of an annex, nor one quoted inside another article."""
        at = self.parent(article)
        return at is None or self.around(at, UnitKind.ANNEX, UnitKind.ARTICLE) is None

    def _only(self, units: Sequence[Unit]) -> Place | None:
        return Place(units[0]) if len(units) == 1 else None


def _numbers(unit: Unit) -> set[str]:
    """The numbers a unit answers to; one unit may stand for several (`9 et 10`, `22 à 33`)."""
    if unit.kind is UnitKind.SUBPARAGRAPH:
        counted = _COUNTED.search(unit.id)
        return {counted[1]} if counted else set()
    if not unit.number:
        return set()
    several = _SEVERAL.match(unit.number.strip()) if unit.kind is UnitKind.ARTICLE else None
    if several and int(several[1]) < int(several[2]) < int(several[1]) + 1000 and "-" not in unit.number:
        return {str(number) for number in range(int(several[1]), int(several[2]) + 1)}
    return {normal_number(unit.number)}
