"""Automations: what Prefect does by itself about runs of claimrag, and only about those (the tag `claimrag`).

A process that is killed together with its worker tells nobody. Its run is found by the silence that follows its last
sign of life (every 30 s, set in `prefect.yaml`), and crashed; a cancellation that nobody carries out is carried out
in the record. A run that failed, crashed or ended partial is posted to a webhook, where one is set.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.objects import StateType
from prefect.events.actions import CallWebhook, ChangeFlowRunState
from prefect.events.schemas.automations import Automation, AutomationCore, EventTrigger, Posture

from claimrag.flows.deployment.outcome import Outcome, difference
from claimrag.flows.states import PARTIAL

TAG = "claimrag"
PREFIX = "claimrag: "
SILENCE = timedelta(seconds=80)
"""Two signs of life are missed, and a third is late; the server looks every five seconds."""

START = timedelta(seconds=110)
"""A process imports everything before it gives its first sign of life: seconds, or a minute on a machine at work."""

REPORT = "claimrag: post bad runs"
PAYLOAD = (
    '{"text": {{ (flow_run.name ~ ": " ~ flow_run.state.name ~ ". " ~ (flow_run.state.message or "")) | tojson }}, '
    '"run": {{ flow_run.name | tojson }}, "id": {{ flow_run.id | string | tojson }}, '
    '"state": {{ flow_run.state.name | tojson }}, "message": {{ flow_run.state.message | tojson }}}'
)

_COMPARED = set(AutomationCore.model_fields) - {"owner_resource"}
"""The server keeps an automation's owner and does not say it."""

_HEARTBEAT = "prefect.flow-run.heartbeat"
_STARTING = {f"prefect.flow-run.{name}" for name in ("Pending", "Submitting", "InfrastructurePending")}
_ENDED = {f"prefect.flow-run.{name}" for name in ("Completed", PARTIAL, "Failed", "Crashed", "Cancelled")}


def watching() -> list[AutomationCore]:
    """Those that end the record of runs whose process is gone."""
    return [
        _silent(
            "claimrag: crash lost runs",
            after={_HEARTBEAT},
            expect={_HEARTBEAT, "prefect.flow-run.Cancelling", *_ENDED},
            action=ChangeFlowRunState(
                state=StateType.CRASHED,
                message=f"no sign of life for {SILENCE.total_seconds():.0f} s: its process, and the worker that would "
                "have said so, are gone. What was made is kept; the same run again goes on from there",
            ),
        ),
        _silent(
            "claimrag: crash runs never begun",
            after=_STARTING,
            expect={
                "prefect.flow-run.Running",
                "prefect.flow-run.Cancelling",
                _HEARTBEAT,
                *_STARTING,
                *_ENDED,
            }
            | {f"prefect.flow-run.{name}" for name in ("Scheduled", "Late", "AwaitingConcurrencySlot")},
            within=START,
            action=ChangeFlowRunState(
                state=StateType.CRASHED,
                message="a worker took it and did not begin it: the worker is gone. Run it again",
            ),
        ),
        _silent(
            "claimrag: end cancellations",
            after={"prefect.flow-run.Cancelling"},
            expect=_ENDED,
            action=ChangeFlowRunState(
                state=StateType.CANCELLED,
                message="cancelled; its process and its worker had gone before",
            ),
        ),
    ]


def reporting(block_id: UUID) -> AutomationCore:
    """The one that posts to the webhook of a block."""
    return AutomationCore(
        name=REPORT,
        description="A run of claimrag that failed, crashed or ended partial is posted to the webhook.",
        tags=[TAG],
        trigger=EventTrigger(
            expect={f"prefect.flow-run.{name}" for name in ("Failed", "Crashed", PARTIAL)},
            posture=Posture.Reactive,
            **_our_runs(),
        ),
        actions=[CallWebhook(block_document_id=block_id, payload=PAYLOAD)],
    )


async def ensure_automation(client: PrefectClient, wanted: AutomationCore) -> Outcome:
    """The automation of that name, once: one that differs is changed, further ones of the name are removed."""
    found = await client.read_automations_by_name(wanted.name)
    existing = min(found, key=lambda automation: str(automation.id), default=None)
    for surplus in found:
        if existing is not None and surplus.id != existing.id:
            await client.delete_automation(surplus.id)
    done = difference(existing, existing is not None and _comparable(existing) != _comparable(wanted))
    if existing is None:
        await client.create_automation(wanted)
    elif done == "updated":
        await client.update_automation(existing.id, _for_update(wanted))
    return Outcome(kind="automation", name=wanted.name, done=done, detail="on" if wanted.enabled else "off")


async def prune_automations(client: PrefectClient, kept: set[str]) -> list[Outcome]:
    """Remove ours that are not among `kept`: those of another version of claimrag, under names it gave them."""
    stale = [
        automation
        for automation in await client.read_automations()
        if TAG in automation.tags and automation.name.startswith(PREFIX) and automation.name not in kept
    ]
    for automation in stale:
        await client.delete_automation(automation.id)
    return [Outcome(kind="automation", name=automation.name, done="removed") for automation in stale]


def _silent(
    name: str,
    *,
    after: set[str],
    expect: set[str],
    action: ChangeFlowRunState,
    within: timedelta = SILENCE,
) -> AutomationCore:
    return AutomationCore(
        name=name,
        description=f"None of what it should say comes within {within.total_seconds():.0f} s.",
        tags=[TAG],
        trigger=EventTrigger(
            after=after, expect=expect, posture=Posture.Proactive, threshold=1, within=within, **_our_runs()
        ),
        actions=[action],
    )


def _our_runs() -> dict[str, Any]:
    """Runs of claimrag's deployments, each by itself."""
    return {
        "match": {"prefect.resource.id": "prefect.flow-run.*"},
        "match_related": {"prefect.resource.role": "tag", "prefect.resource.id": f"prefect.tag.{TAG}"},
        "for_each": {"prefect.resource.id"},
    }


def _for_update(automation: AutomationCore) -> AutomationCore:
    """With every field given, since Prefect's client leaves out of an update what is only a default.

    The owner is not among them: the server refuses to change it.
    """
    return AutomationCore.model_validate(automation.model_dump(mode="json", exclude={"owner_resource"}))


def _comparable(automation: AutomationCore | Automation) -> Any:
    return _sorted(automation.model_dump(mode="json", include=_COMPARED))


def _sorted(value: Any) -> Any:
    """With lists of names in order: Prefect keeps them as sets."""
    if isinstance(value, dict):
        return {name: _sorted(each) for name, each in value.items()}
    if isinstance(value, list):
        return sorted(map(_sorted, value), key=str)
    return value
