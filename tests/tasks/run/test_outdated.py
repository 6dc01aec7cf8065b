"""Tables that are older than what they were made from: a stage that takes them says which command makes them anew."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from faulty_law import Steps

from claimrag.schemas.build import BuildRequest
from claimrag.schemas.errors import InputError
from claimrag.tasks.claims.step import CLAIMS, extract_act_claims
from claimrag.tasks.generate.join_step import QUESTIONS, join_questions
from claimrag.tasks.generate.step import generate_shard, plan_shards
from claimrag.tasks.occurrences.step import bind_act
from claimrag.tasks.run.runtime import Runtime, open_runtime
from claimrag.tasks.run.tables import refuse_outdated, workspace_acts


def with_runtime(work: Callable[[Runtime], object], units: int) -> None:
    async def run() -> None:
        async with open_runtime(BuildRequest(workspace="w", units=units, windows=1)) as runtime:
            result = work(runtime)
            if asyncio.iscoroutine(result):
                await result

    asyncio.run(run())


async def generate(runtime: Runtime) -> None:
    """What `claimrag generate` does."""
    for act_id in workspace_acts(runtime):
        shards = plan_shards(runtime, act_id)
        for shard in shards:
            await generate_shard(runtime, shard)
        await join_questions(runtime, act_id, shards)
        await bind_act(runtime, act_id)


async def claims(runtime: Runtime) -> None:
    """What `claimrag claims` does."""
    for act_id in workspace_acts(runtime, QUESTIONS):
        await extract_act_claims(runtime, act_id)


def check(runtime: Runtime) -> None:
    refuse_outdated(runtime, workspace_acts(runtime, CLAIMS))


def test_claims_older_than_their_questions_name_the_command_that_makes_them_anew(steps: Steps) -> None:
    steps("w", units=2)
    with_runtime(check, 2)
    with_runtime(generate, 6)
    with pytest.raises(
        InputError, match=r"the claims of eu/32099R1001/2099-03-12/en are older .*`claimrag claims`"
    ):
        with_runtime(check, 6)
    with_runtime(claims, 6)
    with_runtime(check, 6)


def test_several_laws_are_counted(steps: Steps) -> None:
    steps("w", "sample-en", "sample-fr", units=2)
    with_runtime(generate, 6)
    with pytest.raises(InputError, match=r"the claims of .* and 1 more are older"):
        with_runtime(check, 6)
