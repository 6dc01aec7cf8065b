"""The stages by themselves, on the acts that a workspace already holds."""

from __future__ import annotations

from functools import partial

from prefect import flow

from claimrag.flows import build, steps
from claimrag.flows.candidates import emit_candidate
from claimrag.flows.page import shown_in_prefect
from claimrag.flows.run_names import run_name
from claimrag.flows.states import ended
from claimrag.schemas.build import BuildRequest, StageReport
from claimrag.tasks.chunk.step import CHUNKS
from claimrag.tasks.claims.step import CLAIMS
from claimrag.tasks.evaluate.average_step import RUNS
from claimrag.tasks.evaluate.step import SCORED_ANSWERS
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.occurrences.step import OCCURRENCES
from claimrag.tasks.release.step import releases_of
from claimrag.tasks.retrieve.step import RETRIEVALS
from claimrag.tasks.run.failures import each_law
from claimrag.tasks.run.runtime import open_runtime
from claimrag.tasks.run.summary import check_version_asked, report_stages
from claimrag.tasks.run.tables import refuse_outdated, select, workspace_acts


@flow(name="generate", flow_run_name=run_name, persist_result=False)
async def generate(request: BuildRequest) -> StageReport:
    """Questions for every act in the workspace, and the versions in which each holds.

    Args:
        request: Which workspace, and how much of it. Endpoints and keys are settings of the machine.
    """
    async with open_runtime(request, purpose="generate") as runtime, shown_in_prefect(runtime):
        acts = workspace_acts(runtime)
        acts = [*await each_law(runtime, acts, partial(build.question, runtime))]
        acts = [*await each_law(runtime, acts, steps.bind_questions)]
        return ended(report_stages(runtime, select(runtime, acts), QUESTIONS, OCCURRENCES))


@flow(name="claims", flow_run_name=run_name, persist_result=False)
async def claims(request: BuildRequest) -> StageReport:
    """Claims for every question in the workspace.

    Args:
        request: Which workspace, and how much of it. Endpoints and keys are settings of the machine.
    """
    async with open_runtime(request, purpose="claims") as runtime, shown_in_prefect(runtime):
        acts = workspace_acts(runtime, QUESTIONS)
        acts = [*await each_law(runtime, acts, steps.extract_claims)]
        return ended(report_stages(runtime, select(runtime, acts), CLAIMS))


@flow(name="evaluate", flow_run_name=run_name, persist_result=False)
async def evaluate(request: BuildRequest) -> StageReport:
    """Scores of the RAG baselines over the workspace.

    Args:
        request: Which workspace, and how much of it. Endpoints and keys are settings of the machine.
    """
    async with open_runtime(request, purpose="evaluate") as runtime, shown_in_prefect(runtime):
        acts = workspace_acts(runtime, CLAIMS)
        refuse_outdated(runtime, acts)
        await build.evaluate(runtime, acts)
        return ended(report_stages(runtime, select(runtime, acts), CHUNKS, RETRIEVALS, SCORED_ANSWERS, RUNS))


@flow(name="validate", flow_run_name=run_name, persist_result=False)
async def validate(request: BuildRequest) -> StageReport:
    """Great Expectations on every table of the workspace.

    Args:
        request: Which workspace, and how much of it. Endpoints and keys are settings of the machine.
    """
    async with open_runtime(request, purpose="validate", models=False) as runtime, shown_in_prefect(runtime):
        acts = workspace_acts(runtime)
        refuse_outdated(runtime, acts)
        checked = await steps.validate(acts)
        selection = select(runtime, acts)
        return ended(
            report_stages(runtime, selection, QUESTIONS, CLAIMS, also=(f"report: {checked.html_path}",))
        )


@flow(name="release", flow_run_name=run_name, persist_result=False)
async def release(request: BuildRequest) -> StageReport:
    """The release folder from the tables of the workspace.

    Args:
        request: Which workspace, and how much of it. Endpoints and keys are settings of the machine.
    """
    from claimrag.tasks.release.folder import latest_release

    async with open_runtime(request, purpose="release", models=False) as runtime, shown_in_prefect(runtime):
        check_version_asked(runtime)
        acts = workspace_acts(runtime, CLAIMS)
        refuse_outdated(runtime, acts)
        await steps.validate(acts)
        before = latest_release(releases_of(runtime.workspace))
        made, path = await steps.release(acts)
        if before is None or before.version != made.version:
            emit_candidate(made)
        selection = select(runtime, acts)
        return ended(
            report_stages(runtime, selection, QUESTIONS, CLAIMS, also=(f"release {made.version}: {path}",))
        )
