"""The laws of one run are asked for through one fetcher, whose pace holds for all of them together."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from claimrag.schemas.build import BuildRequest
from claimrag.tasks.acquire import step
from claimrag.tasks.acquire.fetch import Fetcher
from claimrag.tasks.run.runtime import open_runtime


def test_the_laws_of_a_run_share_a_fetcher_that_is_closed_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetchers: list[Fetcher] = []
    real = step.acquire

    async def acquire(*arguments: Any) -> Any:
        fetchers.append(arguments[4])
        return await real(*arguments)

    async def run() -> None:
        request = BuildRequest(laws=("sample-en", "sample-fr"), workspace=str(tmp_path / "w"))
        async with open_runtime(request, models=False) as runtime:
            for law in step.plan_laws(runtime):
                await step.acquire_law(runtime, law)
            assert fetchers[0] is fetchers[1] is runtime.fetcher()
            assert "_client" not in vars(fetchers[0])  # samples need no publisher
            client = fetchers[0]._client
            assert not client.is_closed
        assert client.is_closed

    monkeypatch.setattr(step, "acquire", acquire)
    asyncio.run(run())
