"""Fixtures: a scripted server, a cache, and a gateway between them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Reply, ScriptedServer, echo

from claimrag.schemas.settings import ModelSettings
from claimrag.tasks.llm import Gateway, Message, ModelReply, ModelRequest, RequestCache


@pytest.fixture
def serve() -> Iterator[Callable[..., ScriptedServer]]:
    """Start scripted servers; they stop after the test."""
    with ExitStack() as stack:

        def start(reply: Reply = echo, **options: Any) -> ScriptedServer:
            return stack.enter_context(ScriptedServer(reply, **options))

        yield start


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[RequestCache]:
    with RequestCache(tmp_path / "cache" / "requests.sqlite") as cache:
        yield cache


@pytest.fixture
def gateway(cache: RequestCache) -> Callable[..., Gateway]:
    """A gateway to a server; keywords are settings, or `role`, `on_usage`, `budget`."""

    def build(server: ScriptedServer, **given: Any) -> Gateway:
        own = {name: given.pop(name) for name in ("role", "on_usage", "budget") if name in given}
        settings = ModelSettings(base_url=server.base_url, model=given.pop("model", "scripted"), **given)
        return Gateway(settings, cache, **own)

    return build


@pytest.fixture
def question() -> Callable[..., ModelRequest]:
    """A request that asks `text`; keywords are the fields of ModelRequest."""

    def build(text: str = "What is personal data?", **fields: Any) -> ModelRequest:
        given = {"max_tokens": 100, "temperature": 0.0} | fields
        return ModelRequest(messages=(Message("user", text),), **given)

    return build


@pytest.fixture
def ask() -> Callable[..., list[ModelReply | BaseException]]:
    """Send requests through a gateway, all at once; failures are returned in their place."""

    def run(gateway: Gateway, *requests: ModelRequest) -> list[ModelReply | BaseException]:
        async def all_of_them() -> list[ModelReply | BaseException]:
            async with gateway:
                calls = (gateway.complete(request) for request in requests)
                return await asyncio.gather(*calls, return_exceptions=True)

        return asyncio.run(all_of_them())

    return run
