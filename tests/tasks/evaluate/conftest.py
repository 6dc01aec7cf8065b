"""Gateways whose models are scripted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from scripted_model import ScriptedServer

from claimrag.schemas.settings import ModelSettings
from claimrag.tasks.llm.cache import RequestCache
from claimrag.tasks.llm.gateway import Gateway


@pytest.fixture
def open_gateway(tmp_path: Path) -> Callable[..., Any]:
    """`async with open_gateway(server, model="scripted") as gateway`."""

    @asynccontextmanager
    async def opened(
        server: ScriptedServer, model: str = "scripted", **changes: Any
    ) -> AsyncIterator[Gateway]:
        cache = RequestCache(tmp_path / f"{model}.sqlite")
        try:
            settings = ModelSettings(base_url=server.base_url, model=model, **changes)
            async with Gateway(settings, cache) as gateway:
                yield gateway
        finally:
            cache.close()

    return opened
