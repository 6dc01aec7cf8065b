"""Deployments on the server: made or changed to be as `prefect.yaml` has them, or left alone where they are.

Whether a deployment itself is paused is the operator's: that is never changed here.
"""

from __future__ import annotations

from importlib.metadata import version as installed_version
from typing import Any
from uuid import UUID

from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.actions import DeploymentScheduleCreate
from prefect.client.schemas.responses import DeploymentResponse
from prefect.exceptions import ObjectNotFound
from prefect.utilities.callables import parameter_schema

from claimrag.flows.deployment.outcome import Outcome, difference
from claimrag.flows.deployment.spec import DeploymentSpec

_LIMIT = "concurrency_limit"
"""Given under this name, and kept as a limit of its own: the deployment's field of the name is always empty."""


async def ensure_deployment(
    client: PrefectClient, spec: DeploymentSpec, *, folder: str, paused: bool
) -> tuple[Outcome, UUID]:
    """The deployment, whose runs begin in `folder` (where `claimrag.toml` is looked for); its id for automations."""
    flow = spec.flow()
    schedules = [schedule.for_prefect(paused=paused) for schedule in spec.schedules]
    wanted = _wanted(spec, flow, folder)
    existing = await _existing(client, f"{flow.name}/{spec.name}")
    differs = existing is not None and (
        _of_server(existing, wanted) != wanted
        or sorted(map(_of_schedule, existing.schedules), key=str)
        != sorted(map(_of_schedule, schedules), key=str)
    )
    done = difference(existing, differs)
    if existing is not None and done == "unchanged":
        deployment_id = existing.id
    else:
        deployment_id = await client.create_deployment(
            flow_id=await client.create_flow_from_name(flow.name),
            name=spec.name,
            schedules=schedules,
            **wanted,
        )
    name = f"{flow.name}/{spec.name}"
    return Outcome(kind="deployment", name=name, done=done, detail=_detail(spec, schedules)), deployment_id


async def _existing(client: PrefectClient, name: str) -> DeploymentResponse | None:
    try:
        return await client.read_deployment_by_name(name)
    except ObjectNotFound:
        return None


def _wanted(spec: DeploymentSpec, flow: Any, folder: str) -> dict[str, Any]:
    """What is given to Prefect and compared with what it has."""
    return {
        "version": installed_version("claimrag"),
        "description": spec.description,
        "tags": list(spec.tags),
        "entrypoint": spec.module_entrypoint,
        "pull_steps": [{"prefect.deployments.steps.set_working_directory": {"directory": folder}}],
        "parameters": spec.parameters,
        "parameter_openapi_schema": parameter_schema(flow).model_dump_for_openapi(),
        "enforce_parameter_schema": True,
        "work_pool_name": spec.work_pool.name,
        "work_queue_name": spec.work_pool.work_queue_name,
        "job_variables": spec.work_pool.job_variables,
        _LIMIT: spec.concurrency_limit.limit,
        "concurrency_options": spec.concurrency_limit.options(),
    }


def _of_server(existing: DeploymentResponse, wanted: dict[str, Any]) -> dict[str, Any]:
    """The same fields, as the server has them."""
    limit = existing.global_concurrency_limit
    found = {name: getattr(existing, name) for name in wanted if name != _LIMIT}
    return found | {_LIMIT: None if limit is None else limit.limit}


def _of_schedule(schedule: Any) -> dict[str, Any]:
    fields = {"schedule", "active", "parameters", "slug"}
    return dict(DeploymentScheduleCreate.model_dump(schedule, mode="json", include=fields))


def _detail(spec: DeploymentSpec, schedules: list[DeploymentScheduleCreate]) -> str:
    if not schedules:
        how = "on an event" if spec.triggers else "by hand"
    else:
        on = sum(schedule.active for schedule in schedules)
        how = f"{on} schedule{'' if on == 1 else 's'} on" if on else "schedules off"
    return f"{spec.work_pool.name}, {how}"
