"""What deployments stand on: process pools, the limit of tasks that ask a model, and the workspace's variable."""

from __future__ import annotations

from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.actions import (
    GlobalConcurrencyLimitCreate,
    GlobalConcurrencyLimitUpdate,
    VariableCreate,
    VariableUpdate,
    WorkPoolCreate,
)
from prefect.exceptions import ObjectNotFound
from prefect.workers.process import ProcessWorker

from claimrag.flows.deployment.outcome import Outcome, difference
from claimrag.schemas.errors import InputError

LLM_TAG = "llm"
WORKSPACE_VARIABLE = "claimrag_workspace"
_PROCESS = "process"


async def ensure_pool(client: PrefectClient, name: str) -> Outcome:
    """A pool of that name whose workers start processes. Raises InputError where one of another kind has the name."""
    try:
        existing = await client.read_work_pool(name)
    except ObjectNotFound:
        template = ProcessWorker.get_default_base_job_template()
        await client.create_work_pool(WorkPoolCreate(name=name, type=_PROCESS, base_job_template=template))
        return Outcome(kind="pool", name=name, done="created", detail=_PROCESS)
    if existing.type != _PROCESS:
        raise InputError(
            f"the work pool {name} on the Prefect server is of type {existing.type}, not {_PROCESS}; "
            "name another with --pool"
        )
    return Outcome(kind="pool", name=name, done="unchanged", detail=_PROCESS)


async def ensure_llm_limit(client: PrefectClient, limit: int | None, default: int) -> Outcome:
    """How many tasks tagged `llm` work at once, over all runs; one that is there stays where `limit` is None.

    Prefect keeps the limit of a tag as a global limit named `tag:<tag>`, each slot a lease of a minute: those of a
    process that was killed come free by themselves.
    """
    name = f"tag:{LLM_TAG}"
    try:
        existing = await client.read_global_concurrency_limit_by_name(name)
    except ObjectNotFound:
        existing = None
    wanted = limit or (default if existing is None else existing.limit)
    done = difference(existing, existing is not None and existing.limit != wanted)
    if done == "created":
        await client.create_global_concurrency_limit(GlobalConcurrencyLimitCreate(name=name, limit=wanted))
    elif done == "updated":
        await client.update_global_concurrency_limit(name, GlobalConcurrencyLimitUpdate(limit=wanted))
    return Outcome(kind="limit", name=name, done=done, detail=f"{wanted} tasks at once")


async def ensure_workspace_variable(client: PrefectClient, workspace: str | None, default: str) -> Outcome:
    """The variable that every run takes its workspace from; one that is there stays where `workspace` is None."""
    existing = await client.read_variable_by_name(WORKSPACE_VARIABLE)
    wanted = workspace or (default if existing is None else str(existing.value))
    done = difference(existing, existing is not None and existing.value != wanted)
    if done == "created":
        await client.create_variable(VariableCreate(name=WORKSPACE_VARIABLE, value=wanted, tags=["claimrag"]))
    elif done == "updated":
        await client.update_variable(VariableUpdate(name=WORKSPACE_VARIABLE, value=wanted, tags=["claimrag"]))
    return Outcome(kind="variable", name=WORKSPACE_VARIABLE, done=done, detail=wanted)
