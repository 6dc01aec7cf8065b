"""The plan of a build: what it would redo and why, and the calls, tokens and money that it would take."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from claimrag.schemas.build import BuildRequest
from claimrag.schemas.plan import Plan, TablePlan
from claimrag.schemas.settings import load_settings
from claimrag.tasks.plan.averages import averages_for
from claimrag.tasks.plan.estimate import Estimate
from claimrag.tasks.plan.laws import law_plans
from claimrag.tasks.plan.rehearsal import Rehearsal, rehearsed
from claimrag.tasks.run.failures import failed_law
from claimrag.tasks.run.made_from import name_of
from claimrag.tasks.store import Workspace
from claimrag.tasks.store.files import open_filesystem


async def plan_build(request: BuildRequest) -> Plan:
    """What `claimrag build` would do with this request now. Nothing is asked or paid, the workspace stays as it is.

    Takes no lock: while a build works in the workspace, the plan is of what it has come to. Raises what the build
    would raise before its first request.
    """
    settings = load_settings(workspace=request.workspace, preset=request.preset)
    filesystem, root = open_filesystem(settings.workspace)
    there = await asyncio.to_thread(filesystem.isdir, root)
    base = Workspace.open(settings.workspace) if there else None  # a build would create it
    with tempfile.TemporaryDirectory(prefix="claimrag-plan-", ignore_cleanup_errors=True) as folder:
        async with rehearsed(request, base, Path(folder)) as rehearsal:
            return await asyncio.to_thread(_plan, rehearsal, base, settings.workspace)


def _plan(rehearsal: Rehearsal, base: Workspace | None, address: str) -> Plan:
    runtime = rehearsal.runtime
    models = runtime.llm.model_name, runtime.judge.model_name
    averages = averages_for(base, models)
    estimate = Estimate(rehearsal, averages)
    prices = {**runtime.settings.judge_model().prices, **runtime.settings.llm.prices}
    again = [
        TablePlan(stage=ref.stage, scope=ref.scope, why=_why(rehearsal, name_of(ref)))
        for ref in runtime.remade
    ]
    return Plan(
        workspace=base.shown if base is not None else address,
        laws=law_plans(rehearsal, base),
        work=estimate.work(prices),
        again=tuple(again),
        averages=averages.source,
        open=tuple(estimate.open),
        failures=tuple(failed_law(one.law, one.sentence) for one in runtime.failures),
    )


def _why(rehearsal: Rehearsal, name: str) -> tuple[str, ...]:
    """What has changed since the table was made; nothing where it is new."""
    return tuple(rehearsal.runtime.changed.get(name, ()))
