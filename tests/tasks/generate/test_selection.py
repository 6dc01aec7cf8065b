"""Which units and windows are asked about."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.context import ContextStrategy, ContextUnit
from claimrag.tasks.generate.seeds import choose_persona, item_seed, rank
from claimrag.tasks.generate.selection import choose_units, choose_windows, refers
from claimrag.tasks.generate.wording import content_words


def unit(order: int, tokens: int = 100, text: str = "") -> ContextUnit:
    words = text or f"Bells number {order} ring."
    return ContextUnit(
        id=f"ctx_{order}",
        act_id="eu/x/2090-01-01/en",
        strategy=ContextStrategy.ARTICLE,
        unit_ids=(f"eu/x/2090-01-01/en#art_{order}",),
        heading=f"Article {order}",
        language="en",
        order=order,
        start=order * 1000,
        end=order * 1000 + len(words),
        text=words,
        text_sha256="0" * 64,
        tokens=tokens,
        sentences=(),
    )


@settings(deadline=None)
@given(st.lists(st.integers(1, 2000), max_size=30), st.integers(1, 12))
def test_chosen_units_are_in_order_and_as_many_as_wanted(tokens: list[int], limit: int) -> None:
    units = [unit(order, count) for order, count in enumerate(tokens)]
    chosen = choose_units(units, limit)
    assert len(chosen) == min(limit, len(units))
    assert [one.order for one in chosen] == sorted({one.order for one in chosen})
    assert choose_units(units, None) == units


@settings(deadline=None)
@given(st.lists(st.sampled_from([5, 100, 5000]), max_size=60))
def test_fewer_units_are_always_among_more(tokens: list[int]) -> None:
    units = [unit(order, count) for order, count in enumerate(tokens)]
    chosen = [{one.order for one in choose_units(units, limit)} for limit in range(1, len(units) + 2)]
    assert all(fewer <= more for fewer, more in pairwise(chosen))


@settings(deadline=None)
@given(st.integers(1, 300), st.data())
def test_chosen_units_are_spread_over_the_act(number: int, data: st.DataObject) -> None:
    limit = data.draw(st.integers(1, number))
    orders = [one.order for one in choose_units([unit(order) for order in range(number)], limit)]
    parts = 1 << limit.bit_length() - 1
    gaps = [later - earlier for earlier, later in pairwise([-1, *orders, number])]
    assert max(gaps) <= number / parts + 1 + (number if limit == 1 else 0)


def test_readable_units_are_chosen_before_tiny_and_huge_ones() -> None:
    units = [unit(0, 5), unit(1, 100), unit(2, 5000), unit(3, 100)]
    assert [one.order for one in choose_units(units, 2)] == [1, 3]


@settings(deadline=None)
@given(st.lists(st.integers(1, 400), max_size=20), st.integers(100, 1000))
def test_windows_without_a_limit_follow_one_another_and_fit(tokens: list[int], room: int) -> None:
    units = [unit(order, count) for order, count in enumerate(tokens)]
    windows = choose_windows(units, limit=None, units_in_window=None, room=room, seed=1)
    orders = [one.order for window in windows for one in window]
    assert orders == sorted(set(orders))
    for window in windows:
        assert len(window) > 1
        assert sum(one.tokens for one in window) <= room
        assert [one.order for one in window] == list(range(window[0].order, window[0].order + len(window)))


def test_linked_windows_are_taken_first(
    bells: ParsedAct, make_contexts: Callable[[ParsedAct], list[ContextUnit]]
) -> None:
    contexts = make_contexts(bells)
    (window,) = choose_windows(contexts, limit=1, units_in_window=2, room=1000, seed=1)
    assert [one.heading for one in window] == ["Article 1: Ringers", "Article 2: Fees"]
    assert refers(contexts[1].text, contexts[0])
    assert not refers(contexts[0].text, contexts[1])


def test_windows_never_overlap_under_a_limit() -> None:
    words = "The ringer rings the bell of the village tower at noon and pays the mayor a fee in spring"
    units = [unit(order, text=f"{words} season{order}.") for order in range(9)]
    windows = choose_windows(units, limit=3, units_in_window=2, room=1000, seed=1)
    assert len(windows) == 3
    assert len({one.id for window in windows for one in window}) == 6


def test_seeds_and_personas_depend_on_their_parts() -> None:
    assert item_seed(13, "a") == item_seed(13, "a") != item_seed(14, "a")
    assert 0 <= item_seed(13, "a") < 2**31
    assert len({choose_persona(13, str(n)) for n in range(50)}) == 3


def windows_by_definition(
    contexts: Sequence[ContextUnit], *, limit: int | None, units_in_window: int | None, room: int, seed: int
) -> list[tuple[ContextUnit, ...]]:
    """Every window written out and compared: what `choose_windows` must give, in time that grows with its cube."""
    if limit is None:
        windows, start = [], 0
        while start < len(contexts):
            window = window_at(contexts, start, units_in_window, room)
            windows += [window] if len(window) > 1 else []
            start += max(1, len(window))
        return windows
    candidates = [window_at(contexts, start, units_in_window, room) for start in range(len(contexts))]
    candidates = [window for window in candidates if len(window) > 1]
    candidates.sort(key=lambda window: (-linkage(window), rank(seed, *(one.id for one in window))))
    chosen: list[tuple[ContextUnit, ...]] = []
    taken: set[str] = set()
    for window in candidates:
        if len(chosen) < limit and taken.isdisjoint(one.id for one in window):
            chosen.append(window)
            taken.update(one.id for one in window)
    return sorted(chosen, key=lambda window: window[0].order)


def window_at(
    contexts: Sequence[ContextUnit], start: int, units_in_window: int | None, room: int
) -> tuple[ContextUnit, ...]:
    window: list[ContextUnit] = []
    for context in contexts[start : start + units_in_window if units_in_window else None]:
        if sum(one.tokens for one in window) + context.tokens > room:
            break
        window.append(context)
    return tuple(window)


def linkage(window: Sequence[ContextUnit]) -> float:
    score = 0.0
    for left, right in pairwise(window):
        a, b = content_words(left.text), content_words(right.text)
        smaller = min(len(a), len(b))
        if smaller < 12 or a == b:
            continue
        linked = cites(left.text, right) or cites(right.text, left)
        score += len(a & b) / smaller + (0.5 if linked else 0.0)
    return round(score / (len(window) - 1), 3)


def cites(text: str, other: ContextUnit) -> bool:
    number = re.search(r"\d+(?:-\d+)?(?:bis|ter)?", other.heading)
    pattern = rf"\b(?:articles?|art\.)\s+{re.escape(number.group())}\b" if number else "$^"
    return bool(re.search(pattern, text, re.IGNORECASE))


LAWS = st.lists(
    st.tuples(
        st.sampled_from([0, 1, 40, 100, 100, 100, 700, 2000]),
        st.sets(st.integers(0, 24), min_size=8, max_size=18),
        st.sampled_from(["", "", "see Article 1.", "see articles 3 and 4", "art. 2"]),
    ),
    max_size=14,
)


@settings(deadline=None, max_examples=80)
@given(
    law=LAWS,
    limit=st.sampled_from([None, 1, 2, 3, 50]),
    units_in_window=st.sampled_from([None, 2, 3, 4]),
    room=st.sampled_from([150, 300, 1000, 5000]),
)
def test_windows_are_those_of_the_definition(
    law: list[tuple[int, set[int], str]], limit: int | None, units_in_window: int | None, room: int
) -> None:
    units = [
        unit(order, tokens, " ".join(f"word{number}" for number in sorted(words)) + f" {tail}")
        for order, (tokens, words, tail) in enumerate(law)
    ]
    options = {"limit": limit, "units_in_window": units_in_window, "room": room, "seed": 7}
    assert choose_windows(units, **options) == windows_by_definition(units, **options)


def test_a_large_code_is_searched_for_windows_in_seconds() -> None:
    words = [f"wort{number}" for number in range(97)]
    units = [
        unit(order, 33, " ".join(words[order % 50 : order % 50 + 20 + order % 7]) + f" article {order + 1}")
        for order in range(2_500)
    ]
    begun = time.process_time()
    pairs = choose_windows(units, limit=200, units_in_window=2, room=96_000, seed=1)
    filled = choose_windows(units, limit=200, units_in_window=None, room=40_000, seed=1)
    assert (len(pairs), len(filled)) == (200, 2)
    assert time.process_time() - begun < 5


def test_units_as_full_as_the_room_make_a_window_and_one_token_more_does_not() -> None:
    units = [unit(0, 100), unit(1, 100)]
    for limit in (None, 1):
        options = {"limit": limit, "units_in_window": None, "seed": 1}
        assert choose_windows(units, room=200, **options) == [tuple(units)]
        assert choose_windows(units, room=199, **options) == []
        assert choose_windows(units[:1], room=200, **options) == []
        assert choose_windows([], room=200, **options) == []


@pytest.mark.parametrize(
    ("text", "heading", "cited"),
    [
        ("under Article 12", "Article 12: Bells", True),
        ("the articles 12 and 13", "Article 12", True),
        ("l'art. 12 vaut", "Art. 12.", True),
        ("article  12-1", "Article 12-1", True),
        ("ARTICLE 3bis.", "Art. 3bis", True),
        ("article 3BIS", "Art. 3bis", True),
        ("article 5 of the old act, article 12", "Article 12", True),
        ("article 12", "Article 1", False),
        ("article 12a", "Article 12", False),
        ("article 12_", "Article 12", False),
        ("article 3", "Art. 3bis", False),
        ("particle 12", "Article 12", False),
        ("article12", "Article 12", False),
        ("paragraph 12", "Article 12", False),
        ("article 12", "Preamble", False),
        ("article ", "Article 12", False),
    ],
)
def test_an_article_is_cited_by_its_own_number_alone(text: str, heading: str, cited: bool) -> None:
    assert refers(text, unit(0).model_copy(update={"heading": heading})) is cited


def test_units_are_spread_over_the_act_and_the_rest_is_filled_up() -> None:
    assert [one.order for one in choose_units([unit(order) for order in range(9)], 4)] == [1, 3, 5, 7]
    bounds = [unit(0, 39), unit(1, 40), unit(2, 900), unit(3, 901)]
    assert [one.order for one in choose_units(bounds, 2)] == [1, 2]
    assert [one.order for one in choose_units(bounds, 3)] == [0, 1, 2]
    assert choose_units(bounds, 4) == bounds
