"""Synchronous code over an asynchronous reply: run twice, once for its prompts, once with the replies."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from claimrag.tasks.claims.refchecker_calls import run_through

Complete = Callable[[list[str]], list[str]]


async def _upper(prompts: list[str]) -> list[str]:
    return [prompt.upper() for prompt in prompts]


def test_a_call_gets_the_replies_to_its_prompts_in_order() -> None:
    received: list[list[str]] = []

    async def reply_to(prompts: list[str]) -> list[str]:
        received.append(prompts)
        return await _upper(prompts)

    result = asyncio.run(run_through(lambda complete: "-".join(complete(["a", "b"])), reply_to))
    assert result == "A-B"
    assert received == [["a", "b"]]


def test_a_call_that_needs_no_reply_is_run_once() -> None:
    runs: list[Complete] = []
    assert asyncio.run(run_through(lambda complete: runs.append(complete) or 7, _upper)) == 7
    assert len(runs) == 1


@pytest.mark.parametrize("second", [["b"], ["a", "a"], []])
def test_other_prompts_the_second_time_are_an_error(second: list[str]) -> None:
    prompts = iter([["a"], second])
    with pytest.raises(RuntimeError, match="its version is not supported"):
        asyncio.run(run_through(lambda complete: complete(next(prompts)), _upper))


def test_too_few_replies_are_an_error() -> None:
    async def too_few(prompts: list[str]) -> list[str]:
        return prompts[1:]

    with pytest.raises(RuntimeError):
        asyncio.run(run_through(lambda complete: complete(["a", "b"]), too_few))


def test_what_the_reply_raises_is_raised() -> None:
    async def fails(prompts: list[str]) -> Any:
        raise KeyError(*prompts)

    with pytest.raises(KeyError, match="a"):
        asyncio.run(run_through(lambda complete: complete(["a"]), fails))
