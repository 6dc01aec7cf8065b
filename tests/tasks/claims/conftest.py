"""Questions with their context, and a gateway whose model is scripted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from scripted_model import ScriptedServer

from claimrag.schemas.base import ContextUnitId
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import Question
from claimrag.schemas.settings import ModelSettings
from claimrag.tasks.llm.cache import RequestCache
from claimrag.tasks.llm.gateway import Gateway

OpenGateway = Callable[..., Any]


@pytest.fixture
def open_gateway(tmp_path: Path) -> OpenGateway:
    """`async with open_gateway(server) as gateway`."""

    @asynccontextmanager
    async def opened(server: ScriptedServer, **changes: Any) -> AsyncIterator[Gateway]:
        settings = ModelSettings(base_url=server.base_url, model="scripted", **changes)
        cache = RequestCache(tmp_path / "requests.sqlite")
        try:
            async with Gateway(settings, cache) as gateway:
                yield gateway
        finally:
            cache.close()

    return opened


@pytest.fixture
def questions(made_up_build: Any) -> list[Question]:
    """The made-up build's questions, all of one language first."""
    return list(made_up_build.questions)


@pytest.fixture
def contexts(made_up_build: Any) -> dict[ContextUnitId, ContextUnit]:
    return {unit.id: unit for unit in made_up_build.context_units}
