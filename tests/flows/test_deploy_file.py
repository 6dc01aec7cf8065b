"""prefect.yaml: every deployment can run, says what it is, and gives the signs of life that automations wait for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from prefect.utilities.callables import parameter_schema
from pydantic import TypeAdapter

from claimrag.flows.acquire import LAW_CHANGED
from claimrag.flows.deployment.automations import SILENCE, START, TAG, watching
from claimrag.flows.deployment.spec import FILE, DeploymentSpec, read_deployments
from claimrag.legal_sources.catalogue import load_catalogue

ROOT = Path(__file__).resolve().parent.parent.parent
SPECS = {spec.name: spec for spec in read_deployments()}


def test_the_package_has_the_file_of_the_repository() -> None:
    packaged = ROOT / "flows" / "deployment" / FILE
    assert packaged.read_bytes() == (ROOT / "prefect.yaml").read_bytes()
    names = [each["name"] for each in yaml.safe_load(packaged.read_text())["deployments"]]
    assert names == list(SPECS) and len(names) == 5


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_a_deployment_can_run_with_its_parameters_and_those_of_its_schedules(spec: DeploymentSpec) -> None:
    flow = spec.flow()
    assert (ROOT / spec.entrypoint.partition(":")[0]).is_file()
    for parameters in (spec.parameters, *(schedule.parameters for schedule in spec.schedules)):
        assert set(flow.validate_parameters(spec.parameters | parameters)) == {"request"}
    assert all(schedule.for_prefect(paused=False).active for schedule in spec.schedules)


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_a_deployment_is_described_to_its_last_parameter(spec: DeploymentSpec) -> None:
    assert spec.description and TAG in spec.tags and len(spec.tags) > 1
    assert spec.concurrency_limit.limit == 1 and spec.concurrency_limit.options()
    schema = parameter_schema(spec.flow()).model_dump_for_openapi()
    described = list(_fields(schema))
    assert described and all(field.get("description") for field in described)


def _fields(schema: dict[str, Any]) -> Any:
    yield from schema["properties"].values()
    for definition in schema.get("definitions", {}).values():
        yield from definition.get("properties", {}).values()


def test_every_run_gives_a_sign_of_life_often_enough_and_takes_the_workspace_of_the_variable() -> None:
    for spec in SPECS.values():
        env = spec.work_pool.job_variables["env"]
        assert SILENCE.total_seconds() > 2 * int(env["PREFECT_FLOWS_HEARTBEAT_FREQUENCY"])
        assert env["CLAIMRAG_WORKSPACE"] == "{{ prefect.variables.claimrag_workspace }}"
    assert max(SILENCE, START).total_seconds() <= 115


def test_no_automation_ends_the_record_of_a_run_that_has_ended_or_of_somebody_elses() -> None:
    for automation in watching():
        trigger: Any = automation.trigger
        ended = {
            f"prefect.flow-run.{name}" for name in ("Completed", "Partial", "Failed", "Crashed", "Cancelled")
        }
        assert ended <= trigger.expect and not ended & trigger.after
        related = TypeAdapter(dict[str, Any]).validate_python(trigger.match_related.model_dump())
        assert related["prefect.resource.id"] == f"prefect.tag.{TAG}"
        assert trigger.for_each == {"prefect.resource.id"}


def test_a_law_that_changed_is_built_by_name_and_publishers_are_asked_once_a_week() -> None:
    (trigger,) = SPECS["build-benchmark"].event_triggers()
    assert trigger.expect == {LAW_CHANGED}
    asked = [schedule.parameters["request"]["publisher"] for schedule in SPECS["acquire-laws"].schedules]
    on_the_network = {
        each.id for each in load_catalogue().publishers() if each.access not in ("sample", "by_hand")
    }
    assert sorted(asked) == sorted(on_the_network)
    assert SPECS["evaluate-baselines"].work_pool.name == "gpu"
