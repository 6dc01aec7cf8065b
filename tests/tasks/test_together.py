"""Work runs at once, in order, and stops when one item cannot go on."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextvars import ContextVar
from typing import Any

import pytest

from claimrag.tasks.together import together


def test_results_keep_the_order_of_the_work_and_progress_is_counted() -> None:
    counted: list[tuple[int, int]] = []

    async def later(number: int) -> int:
        await asyncio.sleep(0.01 * (3 - number))
        return number

    async def run() -> list[int]:
        return await together(
            [later(number) for number in range(3)],
            on_progress=lambda done, total: counted.append((done, total)),
        )

    assert asyncio.run(run()) == [0, 1, 2]
    assert counted == [(1, 3), (2, 3), (3, 3)]


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


def test_calls_are_drawn_as_their_turn_comes() -> None:
    drawn: list[int] = []
    ended: list[int] = []

    async def work(number: int) -> int:
        await asyncio.sleep(0)
        ended.append(number)
        return number

    def calls() -> Iterator[Coroutine[Any, Any, int]]:
        for number in range(20):
            drawn.append(number)
            assert len(drawn) - len(ended) <= 3
            yield work(number)

    assert asyncio.run(together(calls(), at_once=3)) == list(range(20))
    assert drawn == list(range(20))


def test_an_error_draws_no_further_calls_and_closes_their_source() -> None:
    closed: list[str] = []

    async def fail(number: int) -> int:
        if number == 2:
            raise ValueError("no more")
        return number

    def calls() -> Iterator[Coroutine[Any, Any, int]]:
        try:
            for number in range(20):
                yield fail(number)
            raise AssertionError("it was drawn to its end")
        finally:
            closed.append("source")

    with pytest.raises(ValueError, match="no more"):
        asyncio.run(together(calls(), at_once=1))
    assert closed == ["source"]


def test_an_error_of_the_source_ends_the_calls_under_way() -> None:
    cancelled: list[str] = []

    async def wait_long() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append("stopped")
            raise

    def calls() -> Iterator[Coroutine[Any, Any, None]]:
        yield wait_long()
        raise ValueError("no source")

    with pytest.raises(ValueError, match="no source"):
        asyncio.run(together(calls(), at_once=2))
    assert len(cancelled) <= 1  # it may have had no turn yet


def test_a_cancelled_caller_leaves_nothing_running() -> None:
    cancelled: list[str] = []

    async def wait_long() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append("stopped")
            raise

    async def run() -> int:
        caller = asyncio.create_task(together([wait_long(), wait_long(), wait_long()], at_once=2))
        await asyncio.sleep(0.01)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        return len(asyncio.all_tasks())

    assert asyncio.run(run()) == 1
    assert cancelled == ["stopped", "stopped"]


def test_each_call_has_a_context_of_its_own() -> None:
    mark: ContextVar[int] = ContextVar("mark", default=0)

    async def work(number: int) -> int:
        before = mark.get()
        mark.set(number)
        return before

    assert asyncio.run(together([work(number) for number in range(1, 4)], at_once=1)) == [0, 0, 0]


def test_progress_counts_all_calls_of_a_generator_too() -> None:
    counted: list[tuple[int, int]] = []

    async def work(number: int) -> int:
        return number

    calls = (work(number) for number in range(3))
    run = together(calls, at_once=1, on_progress=lambda done, total: counted.append((done, total)))
    assert asyncio.run(run) == [0, 1, 2]
    assert counted == [(1, 3), (2, 3), (3, 3)]


def test_one_at_a_time_begins_a_call_when_the_one_before_has_ended() -> None:
    events: list[str] = []

    async def work(number: int) -> int:
        events.append(f"begin {number}")
        await asyncio.sleep(0.001)
        events.append(f"end {number}")
        return number

    assert asyncio.run(together((work(number) for number in range(2)), at_once=1)) == [0, 1]
    assert events == ["begin 0", "end 0", "begin 1", "end 1"]


def test_at_least_one_call_must_be_under_way() -> None:
    with pytest.raises(ValueError, match="at_once is 0: at least one call must be under way"):
        asyncio.run(together([], at_once=0))
