"""Makes everything, in order: what deployments stand on, the deployments, then the automations about them."""

from __future__ import annotations

from collections.abc import AsyncIterator

from prefect.client.orchestration import PrefectClient, get_client
from prefect.events.schemas.automations import AutomationCore
from pydantic import SecretStr

from claimrag.flows.deployment.automations import (
    REPORT,
    TAG,
    ensure_automation,
    prune_automations,
    reporting,
    watching,
)
from claimrag.flows.deployment.deployments import ensure_deployment
from claimrag.flows.deployment.foundations import ensure_llm_limit, ensure_pool, ensure_workspace_variable
from claimrag.flows.deployment.outcome import Outcome
from claimrag.flows.deployment.spec import read_deployments
from claimrag.flows.deployment.webhook import ensure_webhook, find_webhook
from claimrag.schemas.base import Noun

LLM_TASKS = 8


class DeployRequest(Noun):
    """How to deploy.

    `folder` is where runs begin; `default_workspace` and `LLM_TASKS` hold where nothing was asked and nothing is
    there. `paused` leaves off whatever starts runs by itself. `pool` takes the place of the pools `cpu` and `gpu`.
    """

    folder: str
    default_workspace: str
    workspace: str | None = None
    paused: bool = False
    pool: str | None = None
    llm_tasks: int | None = None
    webhook_url: SecretStr | None = None
    webhook_block: str | None = None


async def deploy(request: DeployRequest) -> list[Outcome]:
    """Make everything on the server that Prefect is set to; the same again changes nothing."""
    async with get_client() as client:
        return [outcome async for outcome in _each(client, request)]


async def _each(client: PrefectClient, request: DeployRequest) -> AsyncIterator[Outcome]:
    specs = read_deployments(request.pool)
    for pool in sorted({spec.work_pool.name for spec in specs}):
        yield await ensure_pool(client, pool)
    yield await ensure_llm_limit(client, request.llm_tasks, LLM_TASKS)
    yield await ensure_workspace_variable(client, request.workspace, request.default_workspace)
    wanted: list[AutomationCore] = []
    for spec in specs:
        outcome, deployment_id = await ensure_deployment(
            client, spec, folder=request.folder, paused=request.paused
        )
        yield outcome
        for trigger in spec.event_triggers():
            trigger.set_deployment_id(deployment_id)
            automation = trigger.as_automation()
            enabled = automation.enabled and not request.paused
            wanted.append(automation.model_copy(update={"enabled": enabled, "tags": [TAG]}))
    async for outcome in _webhook(client, request):
        yield outcome
    for automation in [*wanted, *watching()]:
        yield await ensure_automation(client, automation)
    kept = {REPORT, *(automation.name for automation in [*wanted, *watching()])}
    for outcome in await prune_automations(client, kept):
        yield outcome


async def _webhook(client: PrefectClient, request: DeployRequest) -> AsyncIterator[Outcome]:
    """Post bad runs where a webhook was named; what an earlier time has set up stays where none is."""
    if request.webhook_block is not None:
        block_id = await find_webhook(client, request.webhook_block)
    elif request.webhook_url is not None:
        outcome, block_id = await ensure_webhook(client, request.webhook_url)
        yield outcome
    else:
        return
    yield await ensure_automation(client, reporting(block_id))
