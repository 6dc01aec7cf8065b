"""Which units and windows are asked about."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.context import ContextStrategy, ContextUnit
from claimrag.tasks.generate.seeds import choose_persona, item_seed
from claimrag.tasks.generate.selection import choose_units, choose_windows, refers


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
