"""Several calls at once: results in the order of the calls, an error ends the rest and is raised itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


async def together(
    calls: Iterable[Coroutine[Any, Any, T]],
    at_once: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[T]:
    """The results in the order of `calls`, which begin in that order.

    At most `at_once` are under way, each in a task of its own; None means all of them. A generator of calls is
    drawn from as their turn comes, so that a million calls need no memory before they begin; with `on_progress`,
    which gets the number done and their total after each, all are drawn first. On an error, or when the caller
    is cancelled, the others are cancelled and waited for, those without a turn are closed, and it is raised.
    """
    if at_once is not None and at_once < 1:
        raise ValueError(f"at_once is {at_once}: at least one call must be under way")
    drawn = list(calls) if at_once is None or on_progress is not None else None
    waiting = enumerate(calls if drawn is None else drawn)
    results: dict[int, T] = {}

    async def take_turns() -> None:
        for place, call in waiting:
            results[place] = await asyncio.create_task(call)
            if on_progress is not None:
                on_progress(len(results), len(drawn or ()))

    lanes = [asyncio.create_task(take_turns()) for _ in range(at_once or len(drawn or ()))]
    try:
        await asyncio.gather(*lanes)
    finally:
        for lane in lanes:
            lane.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)
        if isinstance(calls, Generator):
            calls.close()
        for _, call in waiting:
            call.close()
    return [results[place] for place in sorted(results)]
