"""The deployments of `prefect.yaml`, as typed values: the one list, in a checkout and in the installed package.

A deployment made from here names its flow by module, so that a worker needs the package and no checkout.
"""

from __future__ import annotations

from importlib import import_module, resources
from typing import Any

import yaml
from prefect import Flow
from prefect.client.schemas.actions import DeploymentScheduleCreate
from prefect.client.schemas.objects import ConcurrencyOptions
from prefect.client.schemas.schedules import CronSchedule
from prefect.events import DeploymentEventTrigger
from pydantic import Field

from claimrag.schemas.base import Noun

FILE = "deployments.yaml"
"""In this folder, and in the package; `prefect.yaml` of the repository is a link to it, for `prefect deploy`."""


class WorkPoolSpec(Noun):
    """Where a deployment's runs work, and with which environment."""

    name: str
    work_queue_name: str
    job_variables: dict[str, Any]


class ScheduleSpec(Noun):
    """One schedule; `slug` is its name within the deployment, `parameters` replace the deployment's."""

    cron: str
    timezone: str
    slug: str
    active: bool
    parameters: dict[str, Any] = Field(default_factory=dict)

    def for_prefect(self, *, paused: bool) -> DeploymentScheduleCreate:
        """As Prefect takes it; `paused` leaves it off."""
        return DeploymentScheduleCreate(
            schedule=CronSchedule(cron=self.cron, timezone=self.timezone),
            active=self.active and not paused,
            parameters=self.parameters,
            slug=self.slug,
        )


class LimitSpec(Noun):
    """How many runs of a deployment work at once, and what becomes of one too many."""

    limit: int
    collision_strategy: str

    def options(self) -> ConcurrencyOptions:
        """As Prefect takes it."""
        return ConcurrencyOptions.model_validate({"collision_strategy": self.collision_strategy})


class DeploymentSpec(Noun):
    """One deployment, as `prefect.yaml` writes it."""

    name: str
    entrypoint: str
    description: str
    tags: tuple[str, ...]
    parameters: dict[str, Any]
    schedules: tuple[ScheduleSpec, ...] = ()
    triggers: tuple[dict[str, Any], ...] = ()
    concurrency_limit: LimitSpec
    work_pool: WorkPoolSpec

    @property
    def module_entrypoint(self) -> str:
        """As in `claimrag.flows.build.build_benchmark`."""
        path, name = self.entrypoint.split(":")
        return f"claimrag.{path.removesuffix('.py').replace('/', '.')}.{name}"

    def flow(self) -> Flow[..., Any]:
        """The flow itself."""
        module, name = self.module_entrypoint.rsplit(".", 1)
        flow: Flow[..., Any] = getattr(import_module(module), name)
        return flow

    def event_triggers(self) -> list[DeploymentEventTrigger]:
        """What starts it by an event."""
        return [DeploymentEventTrigger.model_validate(trigger) for trigger in self.triggers]


def read_deployments(pool: str | None = None) -> list[DeploymentSpec]:
    """Every deployment, in the order of the file; with `pool`, all of them in that one."""
    text = resources.files("claimrag.flows.deployment").joinpath(FILE).read_text(encoding="utf-8")
    specs = [DeploymentSpec.model_validate(each) for each in yaml.safe_load(text)["deployments"]]
    if pool is None:
        return specs
    return [
        spec.model_copy(update={"work_pool": spec.work_pool.model_copy(update={"name": pool})})
        for spec in specs
    ]
