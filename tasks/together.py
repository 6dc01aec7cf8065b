"""Several calls at once that stop together, or one after the other: an error ends the rest and is raised itself."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


async def together(calls: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results in the order of `calls`. On an error the others are cancelled, and none is left running."""
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


async def in_turn(calls: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results in the order of `calls`, each begun when the one before has ended."""
    waiting = list(calls)
    results = []
    try:
        for call in waiting:
            results.append(await call)
    finally:
        for call in waiting:
            call.close()
    return results
