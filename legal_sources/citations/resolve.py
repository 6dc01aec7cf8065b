"""The story: find the parts of references in each line, join them, look at what follows, lead them to units.

Never a wrong target: what follows decides between this act and another one, an article that amends another
act leaves its bare references unresolved, and so does everything that is not there exactly once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from claimrag.legal_sources.citations.chains import Chain, join_parts
from claimrag.legal_sources.citations.english import ENGLISH
from claimrag.legal_sources.citations.french import FRENCH
from claimrag.legal_sources.citations.grammar import Grammar, Level
from claimrag.legal_sources.citations.identity import OwnNames
from claimrag.legal_sources.citations.parts import find_parts
from claimrag.legal_sources.citations.places import Place, Places
from claimrag.legal_sources.parsed import own_text_start
from claimrag.schemas.act import Act
from claimrag.schemas.citation import Citation, CitationKind
from claimrag.schemas.unit import Unit, UnitKind

_GRAMMARS = {"en": ENGLISH, "fr": FRENCH}
_WINDOW = 200
_CONTAINERS = (
    UnitKind.ANNEX,
    UnitKind.BOOK,
    UnitKind.PART,
    UnitKind.TITLE,
    UnitKind.CHAPTER,
    UnitKind.SECTION,
    UnitKind.SUBSECTION,
)


@dataclass
class _Found:
    """A reference in a line before it becomes a Citation."""

    start: int
    end: int
    kind: CitationKind
    places: list[Place]
    chain: Chain | None = None
    named_act: str | None = None
    by_tail: bool = False


def resolve_citations(act: Act, units: Sequence[Unit], text: str) -> list[Citation]:
    """Every reference in `text`, in order, without overlaps.

    `units` are those of the act in document order, `text` its canonical text. A language without a grammar
    gives no citations.
    """
    grammar = _GRAMMARS.get(act.language)
    if grammar is None:
        return []
    resolver = _Resolver(act, units, grammar)
    found: list[Citation] = []
    offset = 0
    for line in text.split("\n"):
        found += resolver.in_line(line, offset)
        offset += len(line) + 1
    return found


class _Resolver:
    def __init__(self, act: Act, units: Sequence[Unit], grammar: Grammar) -> None:
        self._places = Places(units)
        self._grammar = grammar
        self._own = OwnNames(act, grammar)
        self._amends: dict[str, bool] = {}

    def in_line(self, line: str, offset: int) -> Iterator[Citation]:
        found: list[_Found] = []
        for chain in join_parts(find_parts(line, self._grammar), line, self._grammar):
            source = self._places.innermost(offset + chain.start, offset + chain.end)
            if source is not None and not _is_printed(chain, source, offset):
                found.append(self._judge(chain, line, source, found))
        self._share_the_act(found, line)
        found += self._bare_acts(line, found)
        for each in sorted(found, key=lambda f: f.start):
            source = self._places.innermost(offset + each.start, offset + each.end)
            if source is None:
                continue
            targets = tuple(dict.fromkeys(place.unit.id for place in each.places))
            yield Citation(
                start=offset + each.start,
                end=offset + each.end,
                text=line[each.start : each.end],
                source_unit_id=source.id,
                target_unit_ids=targets if each.kind is CitationKind.INTERNAL else (),
                kind=each.kind,
                named_act=each.named_act,
            )

    def _judge(self, chain: Chain, line: str, source: Unit, before: Sequence[_Found]) -> _Found:
        grammar = self._grammar
        unresolved = _Found(chain.start, chain.end, CitationKind.UNRESOLVED, [], chain)
        if grammar.own_act.match(line, chain.followed_at) or chain.root.this:
            return self._lead(chain, source, unresolved)
        window = line[max(0, chain.start - _WINDOW) : chain.start]
        if grammar.vague.match(line, chain.followed_at) or grammar.vague_before.search(window):
            return unresolved
        if thereof := grammar.thereof.match(line, chain.followed_at):
            return self._thereof(chain, thereof, source, before, unresolved)
        if (tail := grammar.other_act.match(line, chain.followed_at)) and chain.root.level <= Level.ARTICLE:
            if self._own.is_named_at(line, tail.start(), tail.end()):
                return self._lead(chain, source, unresolved)
            return self._external(chain, line, tail.end())
        if chain.root.level <= Level.ARTICLE and grammar.its_before.search(window):
            return self._of_the_act_before(chain, chain.end, line, source, unresolved)
        if chain.root.level <= Level.ARTICLE and grammar.note_before.search(window):
            return unresolved
        last = before[-1] if before else None
        # `Article 8 of Regulation ... in conjunction with Article 5`: of which act, it does not say.
        external = last is not None and last.kind is CitationKind.EXTERNAL
        if last is not None and external and grammar.together.fullmatch(line, last.end, chain.start):
            return unresolved
        if self._is_amending(source):
            return unresolved
        return self._lead(chain, source, unresolved)

    def _lead(self, chain: Chain, source: Unit, otherwise: _Found) -> _Found:
        places = chain.resolve(self._places, source)
        if not places:
            return otherwise
        return _Found(chain.start, chain.end, CitationKind.INTERNAL, places, chain)

    def _thereof(
        self,
        chain: Chain,
        thereof: re.Match[str],
        source: Unit,
        before: Sequence[_Found],
        otherwise: _Found,
    ) -> _Found:
        """`Article 16 thereof` belongs to an act named before; `second subparagraph thereof` to the paragraph."""
        end = thereof.end()
        if chain.root.level <= Level.ARTICLE:
            return self._of_the_act_before(chain, end, thereof.string, source, otherwise)
        last = before[-1] if before and before[-1].kind is CitationKind.INTERNAL else None
        if last is None or last.chain is None:
            return otherwise
        places = last.chain.outside(chain.root.level).resolve(self._places, source, then=chain)
        return _Found(chain.start, end, CitationKind.INTERNAL, places, chain) if places else otherwise

    def _of_the_act_before(
        self, chain: Chain, end: int, line: str, source: Unit, otherwise: _Found
    ) -> _Found:
        """A reference that points back to the act mentioned last before it, in the same line."""
        mentions = list(self._grammar.mention.finditer(line, 0, chain.start))
        if not mentions:
            return otherwise
        if mentions[-1]["own"]:
            return self._lead(chain, source, otherwise)
        return _Found(chain.start, end, CitationKind.EXTERNAL, [], chain)

    def _external(self, chain: Chain, line: str, end: int) -> _Found:
        name = self._own.act_around(line, end)
        stop = max(end, name[1]) if name else end
        named = line[name[0] : name[1]] if name else line[chain.followed_at : end].strip(" ,\u00a0")
        return _Found(chain.start, stop, CitationKind.EXTERNAL, [], chain, named, by_tail=True)

    def _share_the_act(self, found: Sequence[_Found], line: str) -> None:
        """`Article 5 and Article 6 of Directive ...`: the first may be of that act too, so it is not led."""
        for earlier, later in zip(reversed(found[:-1]), reversed(found[1:]), strict=True):
            joined = self._grammar.joins.fullmatch(line, earlier.end, later.start)
            plain = earlier.chain is not None and earlier.chain.root.level <= Level.ARTICLE
            if later.by_tail and joined and plain and earlier.kind is not CitationKind.EXTERNAL:
                earlier.kind, earlier.places, earlier.by_tail = CitationKind.UNRESOLVED, [], True

    def _bare_acts(self, line: str, found: Sequence[_Found]) -> list[_Found]:
        """Acts named by their number alone, where no reference has taken the name in."""
        bare: list[_Found] = []
        for match in self._grammar.act.finditer(line):
            inside = any(f.start <= match.start() < f.end for f in found)
            if not inside and not self._own.is_own(match):
                bare.append(_Found(*match.span(), CitationKind.EXTERNAL, [], None, match[0]))
        return bare

    def _is_amending(self, source: Unit) -> bool:
        article = self._places.around(source, UnitKind.ARTICLE)
        if article is None:
            return False
        if article.id not in self._amends:
            self._amends[article.id] = bool(self._grammar.amends.search(article.text))
        return self._amends[article.id]


def _is_printed(chain: Chain, source: Unit, offset: int) -> bool:
    """Whether the words are the unit's own label, or the name of a container in a container's heading."""
    start = offset + chain.start
    if start < source.start + len(source.label or ""):
        return True
    return source.kind in _CONTAINERS and chain.root.level < Level.ARTICLE and start < own_text_start(source)
