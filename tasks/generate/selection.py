"""Which context units and windows questions are written about, when not all of them are.

Units that are very short, or too long to be read well, come last; windows whose units speak of the same
things come first, because only linked provisions make a question that needs both. Deterministic.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import accumulate, pairwise
from operator import add

from claimrag.schemas.context import ContextUnit
from claimrag.tasks.generate.seeds import rank
from claimrag.tasks.generate.wording import content_words

_FEW_TOKENS, _MANY_TOKENS = 40, 900
_FEW_CONTENT_WORDS = 12
_REFERENCE = 0.5
_CITED_ARTICLE = re.compile(r"\b(?:articles?|art\.)\s+", re.IGNORECASE)
_OWN_NUMBER = re.compile(r"\d+(?:-\d+)?(?:bis|ter)?")

_Span = tuple[int, int]
"""The positions of a window's first unit and of the first unit after it."""


def choose_units(contexts: Sequence[ContextUnit], limit: int | None) -> list[ContextUnit]:
    """At most `limit` units, spread over the act, in the order of the text; all of them where it is None.

    Fewer units are always among more: a larger build asks a model only for what is new.
    """
    if limit is None or limit >= len(contexts):
        return list(contexts)
    readable = [context for context in contexts if _FEW_TOKENS <= context.tokens <= _MANY_TOKENS]
    others = [context for context in contexts if not _FEW_TOKENS <= context.tokens <= _MANY_TOKENS]
    ranked = [part[place] for part in (readable, others) for place in _spread(len(part))]
    return sorted(ranked[:limit], key=lambda context: context.order)


def _spread(number: int) -> list[int]:
    """All places below `number`, in an order whose every beginning is spread over them (van der Corput's sequence).

    The first 2**m lie in different 2**m-ths, so that twice as many halve the gaps and none is given up.
    """
    bits = max(3, number.bit_length())
    steps = 1 << bits
    turned = (int(f"{step:0{bits}b}"[::-1], 2) for step in range(steps if number else 0))
    return list(dict.fromkeys((turn + 3 * steps // 8) % steps * number >> bits for turn in turned))


def choose_windows(
    contexts: Sequence[ContextUnit],
    *,
    limit: int | None,
    units_in_window: int | None,
    room: int,
    seed: int,
) -> list[tuple[ContextUnit, ...]]:
    """Windows of consecutive units, in the order of the text.

    A window holds as many units as fit into `room` tokens, at most `units_in_window`. Without a `limit`, the
    windows follow one another and do not overlap; with one, those whose units are most closely linked are
    taken from all possible windows, without overlap. Each text is read once; a window costs its number of units.
    """
    ends = _window_ends([context.tokens for context in contexts], units_in_window, room)
    spans = _tiled(ends) if limit is None else sorted(_most_linked(contexts, ends, limit, seed))
    return [tuple(contexts[start:end]) for start, end in spans]


def _window_ends(tokens: Sequence[int], units_in_window: int | None, room: int) -> list[int]:
    """For each unit, where the window that begins with it ends; at the unit itself where that does not fit."""
    before = [0, *accumulate(tokens)]
    most = units_in_window or len(tokens)
    return [
        max(start, min(bisect_right(before, before[start] + room) - 1, start + most))
        for start in range(len(tokens))
    ]


def _tiled(ends: Sequence[int]) -> Iterator[_Span]:
    start = 0
    while start < len(ends):
        if ends[start] - start > 1:
            yield start, ends[start]
        start = max(start + 1, ends[start])


def _most_linked(contexts: Sequence[ContextUnit], ends: Sequence[int], limit: int, seed: int) -> list[_Span]:
    """The windows of the closest links, by rank among equals, that do not overlap one taken before."""
    links = _links(contexts)
    equals: defaultdict[float, list[_Span]] = defaultdict(list)
    for start, end in enumerate(ends):
        if end - start > 1:
            # Added from left to right: a difference of running sums would round otherwise.
            total = reduce(add, links[start : end - 1], 0.0)
            equals[round(total / (end - start - 1), 3)].append((start, end))
    taken: list[_Span] = []
    for linkage in sorted(equals, reverse=True):
        # Ranked only now, and only what is still free: a rank reads the ids of all units of its window.
        free = [span for span in equals[linkage] if _is_free(span, taken)]
        for span in sorted(free, key=lambda one: rank(seed, *(unit.id for unit in contexts[slice(*one)]))):
            if len(taken) == limit:
                return taken
            if _is_free(span, taken):
                insort(taken, span)
    return taken


def _is_free(span: _Span, taken: Sequence[_Span]) -> bool:
    """Whether a window overlaps none of `taken`, which are in order and do not overlap one another."""
    place = bisect_left(taken, span)
    after_the_one_before = place == 0 or taken[place - 1][1] <= span[0]
    before_the_next = place == len(taken) or span[1] <= taken[place][0]
    return after_the_one_before and before_the_next


def _links(contexts: Sequence[ContextUnit]) -> list[float]:
    """How closely neighbours are linked: words they share over the words of the smaller, plus references."""
    words = [content_words(context.text) for context in contexts]
    return [
        _link(left, right, *own)
        for (left, right), own in zip(pairwise(contexts), pairwise(words), strict=True)
    ]


def _link(left: ContextUnit, right: ContextUnit, left_words: set[str], right_words: set[str]) -> float:
    smaller = min(len(left_words), len(right_words))
    if smaller < _FEW_CONTENT_WORDS or left_words == right_words:
        return 0.0
    refer = refers(left.text, right) or refers(right.text, left)
    return len(left_words & right_words) / smaller + (_REFERENCE if refer else 0.0)


def refers(text: str, other: ContextUnit) -> bool:
    """Whether `text` cites the article that `other` is, by its number ("article 12-1", "Art. 3bis")."""
    number = _OWN_NUMBER.search(other.heading)
    return number is not None and any(
        _stands_at(text, cited.end(), number.group()) for cited in _CITED_ARTICLE.finditer(text)
    )


def _stands_at(text: str, position: int, number: str) -> bool:
    """Whether a number stands there, and does not go on in letters or figures."""
    after = position + len(number)
    goes_on = text[after : after + 1]
    return text[position:after].lower() == number and not (goes_on.isalnum() or goes_on == "_")
