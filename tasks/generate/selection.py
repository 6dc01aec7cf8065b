"""Which context units and windows questions are written about, when not all of them are.

Units that are very short, or too long to be read well, come last; windows whose units speak of the same
things come first, because only linked provisions make a question that needs both. Deterministic.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from claimrag.schemas.context import ContextUnit
from claimrag.tasks.generate.seeds import rank
from claimrag.tasks.generate.wording import content_words

_FEW_TOKENS, _MANY_TOKENS = 40, 900


def choose_units(contexts: Sequence[ContextUnit], limit: int | None) -> list[ContextUnit]:
    """At most `limit` units, spread over the act, in the order of the text; all of them where it is None."""
    if limit is None or limit >= len(contexts):
        return list(contexts)
    readable = [context for context in contexts if _FEW_TOKENS <= context.tokens <= _MANY_TOKENS]
    if len(readable) < limit:
        rest = [context for context in contexts if context not in readable]
        chosen = [*readable, *rest[: limit - len(readable)]]
        return sorted(chosen, key=lambda context: context.order)
    step = len(readable) / limit
    return [readable[int(index * step + step / 2)] for index in range(limit)]


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
    taken from all possible windows, without overlap.
    """
    if limit is None:
        return _tiled(contexts, units_in_window, room)
    candidates = [
        window
        for start in range(len(contexts) - 1)
        if len(window := _window_at(contexts, start, units_in_window, room)) > 1
    ]
    candidates.sort(key=lambda window: (-_linkage(window), rank(seed, *(context.id for context in window))))
    chosen: list[tuple[ContextUnit, ...]] = []
    taken: set[str] = set()
    for window in candidates:
        if len(chosen) < limit and taken.isdisjoint(context.id for context in window):
            chosen.append(window)
            taken.update(context.id for context in window)
    return sorted(chosen, key=lambda window: window[0].order)


def _tiled(
    contexts: Sequence[ContextUnit], units_in_window: int | None, room: int
) -> list[tuple[ContextUnit, ...]]:
    windows: list[tuple[ContextUnit, ...]] = []
    start = 0
    while start < len(contexts):
        window = _window_at(contexts, start, units_in_window, room)
        if len(window) > 1:
            windows.append(window)
        start += max(1, len(window))
    return windows


def _window_at(
    contexts: Sequence[ContextUnit], start: int, units_in_window: int | None, room: int
) -> tuple[ContextUnit, ...]:
    window: list[ContextUnit] = []
    tokens = 0
    for context in contexts[start : start + units_in_window if units_in_window else None]:
        tokens += context.tokens
        if tokens > room:
            break
        window.append(context)
    return tuple(window)


def _linkage(window: Sequence[ContextUnit]) -> float:
    """How closely neighbours are linked: words they share over the words of the smaller, plus references."""
    score = 0.0
    for left, right in pairwise(window):
        a, b = content_words(left.text), content_words(right.text)
        smaller = min(len(a), len(b))
        if smaller < 12 or a == b:
            continue
        score += len(a & b) / smaller + (0.5 if refers(left.text, right) or refers(right.text, left) else 0.0)
    return round(score / max(1, len(window) - 1), 3)


def refers(text: str, other: ContextUnit) -> bool:
    """Whether `text` cites the article that `other` is, by its number."""
    number = re.search(r"\d+(?:-\d+)?(?:bis|ter)?", other.heading)
    return bool(
        number and re.search(rf"\b(?:articles?|art\.)\s+{re.escape(number.group())}\b", text, re.IGNORECASE)
    )
