"""Makes a workspace with the context units of one law, without Prefect and without a model."""

from __future__ import annotations

import asyncio
import sys

from claimrag.schemas.build import BuildRequest
from claimrag.tasks.build import sources
from claimrag.tasks.build.runtime import open_runtime


async def prepare(law: str, workspace: str) -> None:
    """Acquire, parse and segment `law`."""
    async with open_runtime(BuildRequest(laws=(law,), workspace=workspace), models=False) as runtime:
        for source in sources.plan_laws(runtime):
            snapshot = await sources.acquire_law(runtime, source)
            await sources.segment_law(runtime, await sources.parse_law(runtime, snapshot))


if __name__ == "__main__":
    asyncio.run(prepare(sys.argv[1], sys.argv[2]))
