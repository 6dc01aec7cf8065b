"""Runs the work of many items at once and gives the results in their order.

At most as many items are begun as requests may be in flight: an item asks one thing after the other about the
same provision, and a server that reads a prompt's beginning only once is served best when those follow each
other. When one item raises, the others are cancelled, so that nothing more is spent after a permanent refusal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


async def in_order(
    work: Sequence[Coroutine[Any, Any, T]],
    on_progress: Callable[[int, int], None] | None = None,
    *,
    at_once: int | None = None,
) -> list[T]:
    """Results in the order of `work`; `on_progress(done, total)` is called after each.

    At most `at_once` items are under way; None means all of them.
    """
    done = 0
    free = asyncio.Semaphore(at_once or max(1, len(work)))

    async def counted(one: Coroutine[Any, Any, T]) -> T:
        nonlocal done
        async with free:
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
        for one in work:
            one.close()  # what never began; closing a finished coroutine does nothing
