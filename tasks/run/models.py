"""The models of a run: gateways to endpoints, the local model's server where none is set, the embedder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from claimrag.schemas.errors import ModelError
from claimrag.schemas.settings import ModelSettings, Settings
from claimrag.tasks.llm import Budget, Gateway, ModelRequest, RequestCache
from claimrag.tasks.llm.usage import Usage
from claimrag.tasks.progress import progress_sink
from claimrag.tasks.retrieve.embedding_cache import CachedEmbedder

LOCAL_TIMEOUT_S = 900.0
"""A local answer waits behind the others on two cores; an endpoint's usual limit would cut it off."""

Refuse = Callable[[str, ModelRequest], ModelError]
"""From a model's name and a request to the error that is raised in place of asking."""


@dataclass(frozen=True)
class Gateways:
    """The model that generates and answers, and the one that judges: often the same."""

    llm: Gateway
    judge: Gateway


async def open_gateways(
    settings: Settings,
    cache: RequestCache,
    stack: AsyncExitStack,
    *,
    asked: bool,
    on_usage: Callable[[Usage], None] | None = None,
    refuse: Refuse | None = None,
) -> Gateways:
    """Open the gateways of the settings; `stack` closes them, and the local server.

    Without `asked` no local server is started: nothing will be asked. `refuse` stands in for every request that the
    cache does not answer.
    """
    llm_settings = await _endpoint(settings.llm, settings, stack) if asked else _unasked(settings.llm)
    judge_settings = settings.judge_model()
    if judge_settings.is_local:
        judge_settings = llm_settings
    limit = llm_settings.budget_usd
    budget = None if limit is None else Budget(limit, "llm.budget_usd")
    llm = await stack.enter_async_context(
        Gateway(llm_settings, cache, role="llm", budget=budget, on_usage=on_usage, refuse=refuse)
    )
    if judge_settings == llm_settings:
        return Gateways(llm, llm)
    own_budget = None if settings.judge.budget_usd else budget
    judge = Gateway(judge_settings, cache, role="judge", budget=own_budget, on_usage=on_usage, refuse=refuse)
    return Gateways(llm, await stack.enter_async_context(judge))


def make_embedder(settings: Settings, vectors: Path, cache: RequestCache) -> CachedEmbedder:
    """The embedder that the settings name, or the local one.

    Vectors are kept in the file `vectors`; `cache` keeps what all runs have spent.
    """
    if settings.embeddings.base_url is None and settings.embeddings.model is None:
        from claimrag.tasks.local.embeddings import MODEL_NAME, LocalE5

        return CachedEmbedder(LocalE5(), vectors, name=MODEL_NAME)
    from claimrag.tasks.retrieve.embedders import EndpointEmbedder

    name = settings.embeddings.model or ""
    return CachedEmbedder(EndpointEmbedder(settings.embeddings, cache=cache), vectors, name=name)


async def _endpoint(model: ModelSettings, settings: Settings, stack: AsyncExitStack) -> ModelSettings:
    """The endpoint to use: as set, or the local server, started here."""
    if not model.is_local:
        return model
    from claimrag.tasks.local.server import LocalServer

    progress_sink.get().say("starting the local model")
    server = LocalServer(weights=settings.local.weights, threads=settings.local.threads)
    await asyncio.to_thread(server.start)
    stack.push_async_callback(asyncio.to_thread, server.stop)
    endpoint = server.endpoint
    return model.model_copy(
        update={
            "base_url": endpoint.base_url,
            "model": endpoint.model,
            "api_key": SecretStr("local"),
            "max_in_flight": 1,
            "context_tokens": endpoint.context_tokens,
            "timeout_s": max(model.timeout_s, LOCAL_TIMEOUT_S),
        }
    )


def _unasked(model: ModelSettings) -> ModelSettings:
    """Settings for a gateway that will not be asked; it names the model that the workspace's rows name."""
    if not model.is_local:
        return model
    from claimrag.tasks.local.server import MODEL_NAME, SLOT_TOKENS

    return model.model_copy(
        update={
            "base_url": "http://127.0.0.1:9/v1",
            "model": MODEL_NAME,
            "max_in_flight": 1,
            "context_tokens": SLOT_TOKENS,
        }
    )
