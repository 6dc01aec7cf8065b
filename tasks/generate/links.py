"""Links between provisions: the two statements of different context units that speak most of the same thing.

A multi-hop question about two or three provisions is asked about such a pair, so that a small model has two
rules to join instead of two pages to choose from. Larger windows are left to the model, as in the paper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, sqrt

from claimrag.schemas.context import ContextUnit
from claimrag.tasks.generate.quantities import quantities_in
from claimrag.tasks.generate.seeds import rank
from claimrag.tasks.generate.selection import refers
from claimrag.tasks.generate.statements import Statement, list_statements
from claimrag.tasks.generate.wording import stems

_MOST_UNITS = 3
_REFERENCE = 0.25
_FACTS = 0.3
_FEW_WORDS, _MANY_WORDS = 8, 80


@dataclass(frozen=True)
class _Candidate:
    """A statement of the unit at `position` in the window, and what its links are measured by."""

    position: int
    statement: Statement
    words: frozenset[str]
    has_quantity: bool
    cited: frozenset[int]


def linked_statements(
    window: Sequence[ContextUnit], act_text: str, seed: int
) -> tuple[tuple[int, Statement], ...]:
    """Two statements with the positions (from 1) of their units in the window; empty for a large window."""
    if len(window) > _MOST_UNITS:
        return ()
    candidates = _candidates(window, act_text)
    frequency = Counter(word for candidate in candidates for word in candidate.words)
    pairs = [pair for pair in combinations(candidates, 2) if pair[0].position != pair[1].position]
    if not pairs:
        return ()
    links = [_link(*pair, frequency) for pair in pairs]
    closest = max(links)
    best = max(
        (pair for pair, link in zip(pairs, links, strict=True) if link == closest),
        key=lambda pair: rank(
            seed, pair[0].statement.context.id, str(pair[0].statement.numbers), str(pair[1].statement.numbers)
        ),
    )
    return tuple((candidate.position, candidate.statement) for candidate in best)


def _candidates(window: Sequence[ContextUnit], act_text: str) -> list[_Candidate]:
    """The statements of a readable length."""
    found = []
    for position, context in enumerate(window, start=1):
        for statement in list_statements(context, act_text):
            text = statement.text(act_text)
            if _FEW_WORDS <= len(text.split()) <= _MANY_WORDS:
                cited = frozenset(place for place, other in enumerate(window, start=1) if refers(text, other))
                has_quantity = bool(quantities_in(text, context.language))
                found.append(_Candidate(position, statement, frozenset(stems(text)), has_quantity, cited))
    return found


def _link(one: _Candidate, other: _Candidate, frequency: Counter[str]) -> float:
    """A word that only few statements use links them more closely than one that all of them use."""
    shared = fsum(1 / frequency[word] for word in one.words & other.words)
    link: float = shared / sqrt(max(1, len(one.words) * len(other.words)))
    if other.position in one.cited or one.position in other.cited:
        link += _REFERENCE
    if one.has_quantity and other.has_quantity:
        link += _FACTS
    return round(link, 6)
