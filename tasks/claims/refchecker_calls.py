"""Runs RefChecker's synchronous code over the asynchronous gateway, without threads.

RefChecker builds prompts, hands them all at once to a function, and reads the replies; between its calls it
keeps no state. So it is run twice: once to learn the prompts, once with the replies. Everything that pays
goes through the gateway, and a stop, a limit or a cancelled task reaches it as any other call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NoReturn, TypeVar

T = TypeVar("T")

ONE_BATCH = 10**9
"""RefChecker's batch size: all prompts of one example are handed over together."""

Complete = Callable[[list[str]], list[str]]
"""What RefChecker hands its prompts to: the replies, in their order."""


class _Prompts(Exception):
    """Not an error: carries the prompts out of RefChecker."""

    def __init__(self, prompts: list[str]) -> None:
        super().__init__(f"{len(prompts)} prompts")
        self.prompts = prompts


async def run_through(
    call: Callable[[Complete], T], reply_to: Callable[[list[str]], Awaitable[list[str]]]
) -> T:
    """The result of `call(complete)`, where `complete(prompts)` gives what `reply_to(prompts)` gave, in order.

    What `reply_to` raises is raised. `call` may complete prompts once, or not at all.
    """
    try:
        return call(_carry_out)
    except _Prompts as carried:
        prompts = carried.prompts
    replies = await reply_to(prompts)
    return call(lambda again: _replies_to(again, prompts, replies))


def _carry_out(prompts: list[str]) -> NoReturn:
    raise _Prompts(list(prompts))


def _replies_to(again: list[str], prompts: list[str], replies: list[str]) -> list[str]:
    if again != prompts or len(replies) != len(prompts):
        raise RuntimeError("RefChecker has other prompts the second time; its version is not supported")
    return replies
