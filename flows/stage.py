"""The stages by themselves, on the acts that a workspace already holds."""

from __future__ import annotations

from prefect import flow

from claimrag.flows import steps
from claimrag.schemas.build import BuildRequest, StageReport
from claimrag.tasks.build.evaluation import plan_evaluation
from claimrag.tasks.build.questions import plan_shards
from claimrag.tasks.build.runtime import open_runtime
from claimrag.tasks.build.summary import report_stages
from claimrag.tasks.build.tables import workspace_acts


@flow(name="generate", persist_result=False)
async def generate(request: BuildRequest) -> StageReport:
    """Questions for every act in the workspace."""
    async with open_runtime(request) as runtime:
        acts = workspace_acts(runtime)
        for act_id in acts:
            shards = await runtime.together(steps.generate(shard) for shard in plan_shards(runtime, act_id))
            await steps.join_questions(act_id, list(shards))
        return report_stages(runtime, acts, "questions")


@flow(name="claims", persist_result=False)
async def claims(request: BuildRequest) -> StageReport:
    """Claims for every question in the workspace."""
    async with open_runtime(request) as runtime:
        acts = workspace_acts(runtime, "questions")
        await runtime.together(steps.extract_claims(act_id) for act_id in acts)
        return report_stages(runtime, acts, "claims")


@flow(name="evaluate", persist_result=False)
async def evaluate(request: BuildRequest) -> StageReport:
    """Scores of the RAG baselines over the workspace."""
    async with open_runtime(request) as runtime:
        acts = workspace_acts(runtime, "claims")
        await runtime.together(steps.chunk(act_id) for act_id in acts)
        await runtime.together(steps.evaluate(shard) for shard in plan_evaluation(runtime, acts))
        return report_stages(runtime, acts, "chunks", "retrievals", "scored_answers", "runs")


@flow(name="validate", persist_result=False)
async def validate(request: BuildRequest) -> StageReport:
    """Great Expectations on every table of the workspace."""
    async with open_runtime(request, models=False) as runtime:
        acts = workspace_acts(runtime)
        checked = await steps.validate(acts)
        return report_stages(runtime, acts, "questions", "claims", also=(f"report: {checked.html_path}",))


@flow(name="release", persist_result=False)
async def release(request: BuildRequest) -> StageReport:
    """The release folder from the tables of the workspace."""
    async with open_runtime(request, models=False) as runtime:
        acts = workspace_acts(runtime, "claims")
        await steps.validate(acts)
        made, path = await steps.release(acts)
        return report_stages(runtime, acts, "questions", "claims", also=(f"release {made.version}: {path}",))
