"""The build, from a law to a release: acquire, parse, segment, generate, claims, evaluate, validate, release."""

from __future__ import annotations

import asyncio
from functools import partial

from prefect import flow

from claimrag.flows import artifacts, steps
from claimrag.flows.page import PHASES, ShownRun, shown_in_prefect
from claimrag.flows.run_names import run_name
from claimrag.flows.states import ended
from claimrag.schemas.base import ActId
from claimrag.schemas.build import BuildRequest, BuildSummary
from claimrag.tasks.acquire.naming import NamedLaw
from claimrag.tasks.acquire.step import plan_laws
from claimrag.tasks.evaluate.plan import PlannedRun, plan_evaluation
from claimrag.tasks.generate.join_step import refuse_narrower
from claimrag.tasks.generate.step import plan_shards
from claimrag.tasks.run.failures import each_law
from claimrag.tasks.run.runtime import Runtime, open_runtime
from claimrag.tasks.run.summary import finish_build, manifest_kept
from claimrag.tasks.run.tables import select


@flow(
    name="build-benchmark",
    flow_run_name=run_name,
    description=__doc__,
    validate_parameters=True,
    persist_result=False,
)
async def build_benchmark(request: BuildRequest | None = None) -> BuildSummary:
    """Turn laws into a claim-level RAG benchmark.

    Args:
        request: Which laws, in which workspace, and how much of each. Endpoints and keys are settings of
            the machine that runs the flow.
    """
    async with open_runtime(request or BuildRequest()) as runtime:
        with manifest_kept(runtime):
            async with shown_in_prefect(runtime, PHASES) as shown:
                return ended(await _build(runtime, shown))


async def _build(runtime: Runtime, shown: ShownRun) -> BuildSummary:
    prepared = await each_law(runtime, plan_laws(runtime), prepare, lambda law: law.label)
    acts = sorted(set(prepared.values()))
    await shown.reached("sources")
    acts = [*await each_law(runtime, acts, partial(question, runtime))]
    acts = [*await each_law(runtime, acts, steps.bind_questions)]
    acts = [*await each_law(runtime, acts, steps.extract_claims)]
    await shown.reached("questions and claims")
    if runtime.request.evaluate:
        await evaluate(runtime, acts)
    await shown.reached("evaluation")
    checked = await steps.validate(acts)
    await shown.reached("validation")
    release, path = await steps.release(acts)
    await shown.reached("release")
    summary = finish_build(runtime, select(runtime, acts), checked, release, path)
    await artifacts.publish(summary, checked)
    return summary


async def prepare(law: NamedLaw) -> ActId:
    """One law, from its name to its context units."""
    act_id = await steps.parse(await steps.acquire(law))
    await steps.segment(act_id)
    return act_id


async def question(runtime: Runtime, act_id: ActId) -> None:
    """One act, from its context units to its questions."""
    shards = plan_shards(runtime, act_id)
    await asyncio.to_thread(refuse_narrower, runtime, act_id, shards)
    await runtime.together(steps.generate(shard) for shard in shards)
    await steps.join_questions(act_id, shards)


async def evaluate(runtime: Runtime, acts: list[ActId]) -> None:
    """Every RAG system of the settings over the current version of each law."""
    await runtime.together(steps.chunk(act_id) for act_id in acts)
    await runtime.together(evaluate_run(runtime, run) for run in await plan_evaluation(runtime, acts))


async def evaluate_run(runtime: Runtime, run: PlannedRun) -> None:
    """One RAG system: retrieve for the questions of each act, answer and score them, then average."""
    await runtime.together(steps.retrieve(shard) for shard in run.shards)
    await runtime.together(steps.score(shard) for shard in run.shards)
    await steps.average(run.id)
