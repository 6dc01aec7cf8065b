"""Joins parts into references: `points (a) to (c) of paragraph 1 of this Article`, `article 6, paragraphe 1`.

Two orders are known: the inner part first, joined by `of`; and the outer part first, joined by a comma. A
chain resolves to places from its outermost part inwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from claimrag.legal_sources.citations.grammar import Grammar, Level
from claimrag.legal_sources.citations.parts import Part
from claimrag.legal_sources.citations.places import Place, Places
from claimrag.schemas.unit import Unit


@dataclass(frozen=True)
class Chain:
    """Parts from the outermost in. `spread` says that an inner part applies to every place of the outer one
    (`point (a) of Articles 6(1) and 9(2)`), not only to the last. `more` are further branches of the same
    reference (`paragraphe 1, point a), et paragraphe 2`). What follows it is read from `followed_at`, after any
    mention of a sentence."""

    parts: tuple[Part, ...]
    start: int
    end: int
    spread: bool
    more: tuple[tuple[Part, ...], ...] = ()
    followed_at: int = 0

    @property
    def root(self) -> Part:
        """The outermost part."""
        return self.parts[0]

    def outside(self, level: Level) -> Chain:
        """The parts that lie outside `level`, for a reference that takes them over."""
        return replace(self, parts=tuple(part for part in self.parts if part.level < level), more=())

    def resolve(self, places: Places, source: Unit, then: Chain | None = None) -> list[Place]:
        """Where it leads; empty when any part of it leads nowhere."""
        found: list[Place] = []
        tail = then.parts if then is not None else ()
        for parts in ((*self.parts, *tail), *self.more):
            branch = self._branch(parts, places, source)
            if not branch:
                return []
            found += branch
        return found

    def _branch(self, parts: Sequence[Part], places: Places, source: Unit) -> list[Place]:
        if not parts:
            return []
        at = places.begin(parts[0], source)
        done: list[Place] = []
        for part in parts[1:]:
            if at is None:
                return []
            if not self.spread:
                done, at = [*done, *at[:-1]], at[-1:]
            inside = [places.go_on(part, place, source) for place in at]
            at = None if any(i is None for i in inside) else [p for i in inside if i for p in i]
        return [*done, *at] if at else []


def join_parts(parts: Sequence[Part], line: str, grammar: Grammar) -> list[Chain]:
    """The parts of one line as chains, in order."""
    chains: list[Chain] = []
    index = 0
    while index < len(parts):
        inner = _inner_run(parts, index, line, grammar)
        last = index + len(inner) - 1
        outer = _outer_run(parts, last, line, grammar, limit=_inner_limit(inner))
        last += len(outer)
        ordered = (inner[-1], *outer, *reversed(inner[:-1]))
        more: list[tuple[Part, ...]] = []
        if len(inner) == 1 and outer:
            more, last = _branches(parts, last, ordered, line, grammar)
        root = _closing_root(parts, last, ordered[0], line, grammar)
        if root is not None:
            ordered, more, last = (root, *ordered), [(root, *branch) for branch in more], last + 1
        end = parts[last].end
        spread = len(inner) > 1
        chains.append(
            Chain(ordered, parts[index].start, end, spread, tuple(more), _after_aside(line, end, grammar))
        )
        index = last + 1
    return chains


def _after_aside(line: str, at: int, grammar: Grammar) -> int:
    aside = grammar.aside.match(line, at)
    return aside.end() if aside else at


def _closing_root(parts: Sequence[Part], last: int, root: Part, line: str, grammar: Grammar) -> Part | None:
    """`paragraph 1, point (b), of this Article`: the outermost part may come last, after a comma."""
    if last + 1 == len(parts) or parts[last + 1].level >= root.level:
        return None
    at = _after_aside(line, parts[last].end, grammar)
    return parts[last + 1] if grammar.closing.fullmatch(line, at, parts[last + 1].start) else None


def _inner_run(parts: Sequence[Part], index: int, line: str, grammar: Grammar) -> list[Part]:
    """Parts joined by `of`, each lying further out than the one before."""
    run = [parts[index]]
    for part in parts[index + 1 :]:
        further_out = part.level < run[-1].level or part.level is run[-1].level is Level.POINT
        if not further_out or not grammar.inner_first.fullmatch(line, run[-1].end, part.start):
            break
        run.append(part)
    return run


def _inner_limit(inner: Sequence[Part]) -> Level:
    """An outer part may be followed, after a comma, by parts that lie outside the inner ones before it."""
    return Level(inner[-2].level - 1) if len(inner) > 1 else Level.POINT


def _outer_run(parts: Sequence[Part], last: int, line: str, grammar: Grammar, limit: Level) -> list[Part]:
    run: list[Part] = []
    at = parts[last]
    for part in parts[last + 1 :]:
        further_in = at.level < part.level <= limit or (part.level is at.level is Level.POINT and bool(run))
        fits = part.level in grammar.outer_levels and not part.this
        if not (further_in and fits and grammar.outer_first.fullmatch(line, at.end, part.start)):
            break
        inner = _inner_run(parts, last + 1 + len(run), line, grammar)
        # `Article 9, point (a) of Article 6`: the point belongs to what follows, unless nothing else does.
        if len(inner) > 1 and not (inner[-1].this and inner[-1].level < parts[last].level):
            break
        run.append(part)
        at = part
    return run


def _branches(
    parts: Sequence[Part], last: int, ordered: Sequence[Part], line: str, grammar: Grammar
) -> tuple[list[tuple[Part, ...]], int]:
    """Further branches after `and`: a part at a level the chain already has takes over what lies outside it."""
    more: list[tuple[Part, ...]] = []
    current = list(ordered)
    while last + 1 < len(parts):
        part = parts[last + 1]
        known = part.level > ordered[0].level and any(p.level is part.level for p in current)
        joined = grammar.also.fullmatch(line, parts[last].end, part.start)
        if not (known and joined) or len(_inner_run(parts, last + 1, line, grammar)) > 1:
            break
        prefix = [p for p in current if p.level < part.level]
        inside = _outer_run(parts, last + 1, line, grammar, limit=Level.POINT)
        current = [*prefix, part, *inside]
        more.append(tuple(current))
        last += 1 + len(inside)
    return more, last
