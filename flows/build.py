"""The build, from a law to a release: acquire, parse, segment, generate, claims, evaluate, validate, release."""

from __future__ import annotations

from prefect import flow

from claimrag.flows import artifacts, steps
from claimrag.schemas.base import ActId
from claimrag.schemas.build import BuildRequest, BuildSummary
from claimrag.tasks.acquire.naming import NamedLaw
from claimrag.tasks.build.evaluation import plan_evaluation
from claimrag.tasks.build.questions import plan_shards
from claimrag.tasks.build.runtime import Runtime, open_runtime
from claimrag.tasks.build.sources import plan_laws
from claimrag.tasks.build.summary import finish_build, start_build


@flow(name="build-benchmark", description=__doc__, validate_parameters=True, persist_result=False)
async def build_benchmark(request: BuildRequest | None = None) -> BuildSummary:
    """Turn laws into a claim-level RAG benchmark.

    Args:
        request: Which laws, in which workspace, and how much of each. Endpoints and keys are settings of
            the machine that runs the flow.
    """
    async with open_runtime(request or BuildRequest()) as runtime:
        start_build(runtime)
        progress = await artifacts.begin_progress()
        acts = sorted(await runtime.together(prepare(source) for source in plan_laws(runtime)))
        await artifacts.reached(progress, "sources")
        await runtime.together(question(runtime, act_id) for act_id in acts)
        await artifacts.reached(progress, "questions and claims")
        if runtime.request.evaluate:
            await runtime.together(steps.chunk(act_id) for act_id in acts)
            await runtime.together(steps.evaluate(shard) for shard in plan_evaluation(runtime, acts))
        await artifacts.reached(progress, "evaluation")
        checked = await steps.validate(acts)
        await artifacts.reached(progress, "validation")
        release, path = await steps.release(acts)
        await artifacts.reached(progress, "release")
        summary = finish_build(runtime, acts, checked, release, path)
        await artifacts.publish(summary, checked)
        return summary


async def prepare(source: NamedLaw) -> ActId:
    """One law, from its name to its context units."""
    act_id = await steps.parse(await steps.acquire(source))
    await steps.segment(act_id)
    return act_id


async def question(runtime: Runtime, act_id: ActId) -> None:
    """One act, from its context units to its claims."""
    shards = await runtime.together(steps.generate(shard) for shard in plan_shards(runtime, act_id))
    await steps.join_questions(act_id, list(shards))
    await steps.extract_claims(act_id)
