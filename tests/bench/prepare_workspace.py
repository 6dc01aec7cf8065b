"""Makes a workspace with the context units of one law, without Prefect and without a model."""

from __future__ import annotations

import asyncio
import sys

from claimrag.schemas.build import BuildRequest
from claimrag.tasks.acquire.step import acquire_law, plan_laws
from claimrag.tasks.parse.step import parse_law
from claimrag.tasks.run.runtime import open_runtime
from claimrag.tasks.segment.step import segment_law


async def prepare(law: str, workspace: str) -> None:
    """Acquire, parse and segment `law`."""
    async with open_runtime(BuildRequest(laws=(law,), workspace=workspace), models=False) as runtime:
        for named in plan_laws(runtime):
            snapshot = await acquire_law(runtime, named)
            await segment_law(runtime, await parse_law(runtime, snapshot))


if __name__ == "__main__":
    asyncio.run(prepare(sys.argv[1], sys.argv[2]))
