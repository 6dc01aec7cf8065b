"""Work runs at once, in order, and stops when one item cannot go on."""

from __future__ import annotations

import asyncio

import pytest

from tasks.generate.pace import in_order


def test_results_keep_the_order_of_the_work_and_progress_is_told() -> None:
    told: list[tuple[int, int]] = []

    async def later(number: int) -> int:
        await asyncio.sleep(0.01 * (3 - number))
        return number

    async def run() -> list[int]:
        return await in_order(
            [later(number) for number in range(3)], lambda done, total: told.append((done, total))
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
        asyncio.run(in_order([wait_long(), fail(), wait_long()]))
    assert cancelled == ["stopped", "stopped"]


def test_no_work_gives_no_results() -> None:
    assert asyncio.run(in_order([])) == []
