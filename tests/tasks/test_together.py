"""Work runs at once, in order, and stops when one item cannot go on."""

from __future__ import annotations

import asyncio

import pytest

from claimrag.tasks.together import together


def test_results_keep_the_order_of_the_work_and_progress_is_told() -> None:
    told: list[tuple[int, int]] = []

    async def later(number: int) -> int:
        await asyncio.sleep(0.01 * (3 - number))
        return number

    async def run() -> list[int]:
        return await together(
            [later(number) for number in range(3)], on_progress=lambda done, total: told.append((done, total))
        )

    assert asyncio.run(run()) == [0, 1, 2]
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_an_error_cancels_what_has_not_finished() -> None:
    cancelled: list[str] = []

    async def wait_long() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append("stopped")
            raise

    async def fail() -> None:
        await asyncio.sleep(0.01)
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        asyncio.run(together([wait_long(), fail(), wait_long()]))
    assert cancelled == ["stopped", "stopped"]


def test_no_work_gives_no_results() -> None:
    assert asyncio.run(together([])) == []


def test_items_begin_in_order_and_no_more_than_asked_for_are_under_way() -> None:
    begun: list[int] = []
    under_way = [0, 0]

    async def work(number: int) -> int:
        begun.append(number)
        under_way[0] += 1
        under_way[1] = max(under_way)
        await asyncio.sleep(0.001)
        under_way[0] -= 1
        return number

    async def run() -> list[int]:
        return await together([work(number) for number in range(7)], at_once=2)

    assert asyncio.run(run()) == begun == list(range(7))
    assert under_way[1] == 2


def test_an_error_leaves_nothing_behind_of_items_that_had_no_turn() -> None:
    async def fail() -> None:
        raise ValueError("no more")

    async def never() -> None:
        raise AssertionError("it had no turn")

    with pytest.raises(ValueError, match="no more"):
        asyncio.run(together([fail(), never(), never()], at_once=1))
