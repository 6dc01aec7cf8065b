"""Runs the work of many items at once and gives the results in their order.

The gateway bounds how many requests are in flight. When one item raises, the others are cancelled, so that
nothing more is spent after a permanent refusal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


async def in_order(
    work: Sequence[Coroutine[Any, Any, T]], on_progress: Callable[[int, int], None] | None = None
) -> list[T]:
    """Results in the order of `work`; `on_progress(done, total)` is called after each."""
    done = 0

    async def counted(one: Coroutine[Any, Any, T]) -> T:
        nonlocal done
        result = await one
        done += 1
        if on_progress is not None:
            on_progress(done, len(work))
        return result

    tasks = [asyncio.create_task(counted(one)) for one in work]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
