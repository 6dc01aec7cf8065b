"""`claimrag deploy` against a real Prefect server: everything once, however often; what differs is brought back."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from prefect.client.orchestration import PrefectClient, get_client
from prefect.client.schemas.actions import VariableUpdate
from prefect.events.schemas.automations import AutomationCore
from pydantic import SecretStr
from typer.testing import CliRunner

from claimrag.flows.cli.app import app, run
from claimrag.flows.deployment.apply import DeployRequest, deploy
from claimrag.flows.deployment.automations import REPORT
from claimrag.flows.deployment.outcome import Outcome
from claimrag.schemas.errors import InputError

REQUEST = DeployRequest(folder="/srv/claimrag", default_workspace="/srv/claimrag/workspace")
SECRET = "https://hooks.example/T0/B0/a-secret-of-this-test"


def deployed(**options: Any) -> Counter[str]:
    """Deploy; how many things were created, updated and so on."""
    return Counter(outcome.done for outcome in outcomes(**options))


def outcomes(**options: Any) -> list[Outcome]:
    return asyncio.run(deploy(REQUEST.model_copy(update=options)))


def on_server() -> dict[str, list[str]]:
    """The names of everything that is there, by kind, with schedules and automations by whether they are on."""
    return asyncio.run(_on_server())


async def _on_server() -> dict[str, list[str]]:
    async with get_client() as client:
        deployments = await client.read_deployments()
        return {
            "pools": sorted(pool.name for pool in await client.read_work_pools()),
            "limits": sorted(each.name for each in await client.read_global_concurrency_limits(limit=50)),
            "variables": sorted(each.name for each in await client.read_variables()),
            "deployments": sorted(each.name for each in deployments),
            "schedules": sorted(f"{s.slug} {s.active}" for each in deployments for s in each.schedules),
            "automations": sorted(f"{each.name} {each.enabled}" for each in await client.read_automations()),
            "webhooks": sorted(
                str(each.name) for each in await client.read_block_documents_by_type("webhook")
            ),
        }


@pytest.fixture(autouse=True)
def _empty_server() -> None:
    """Nothing of an earlier test is there."""

    async def empty(client: PrefectClient) -> None:
        for automation in await client.read_automations():
            await client.delete_automation(automation.id)
        for deployment in await client.read_deployments():
            await client.delete_deployment(deployment.id)
        for pool in await client.read_work_pools():
            await client.delete_work_pool(pool.name)
        for variable in await client.read_variables():
            await client.delete_variable_by_name(variable.name)
        for limit in await client.read_global_concurrency_limits(limit=50):
            await client.delete_global_concurrency_limit_by_name(limit.name)
        for block in await client.read_block_documents_by_type("webhook"):
            await client.delete_block_document(block.id)

    async def connected() -> None:
        async with get_client() as client:
            await empty(client)

    asyncio.run(connected())


def test_a_second_time_changes_nothing_and_makes_nothing_twice() -> None:
    assert set(deployed(webhook_url=SecretStr(SECRET))) == {"created"}
    first = on_server()
    assert set(deployed(webhook_url=SecretStr(SECRET))) == {"unchanged"}
    assert on_server() == first
    assert first["pools"] == ["cpu", "gpu"]
    assert first["deployments"] == [
        "acquire-laws",
        "build-benchmark",
        "evaluate-baselines",
        "publish-release",
        "release-candidate",
    ]
    assert {"weekly-eu True", "weekly-lu True", "nightly True", "monthly True"} <= set(first["schedules"])
    assert "tag:llm" in first["limits"] and len(first["limits"]) == 1 + len(first["deployments"])
    assert first["variables"] == ["claimrag_workspace"] and first["webhooks"] == ["claimrag-webhook"]
    assert len(first["automations"]) == 6


def test_paused_leaves_off_what_starts_by_itself_and_the_watch_over_runs_on() -> None:
    deployed(paused=True)
    server = on_server()
    assert {schedule.split()[1] for schedule in server["schedules"]} == {"False"}
    assert "claimrag: build changed laws False" in server["automations"]
    assert "claimrag: publish candidates False" in server["automations"]
    assert "claimrag: crash lost runs True" in server["automations"]
    assert deployed() == Counter(created=0, updated=5, unchanged=9)
    assert {schedule.split()[1] for schedule in on_server()["schedules"]} == {"True"}


def test_what_was_changed_on_the_server_is_brought_back_and_what_is_the_operators_stays() -> None:
    deployed()

    async def meddle() -> None:
        async with get_client() as client:
            found = await client.read_deployment_by_name("evaluate/evaluate-baselines")
            await client.update_deployment_schedule(found.id, found.schedules[0].id, active=False)
            await client.pause_deployment(
                (await client.read_deployment_by_name("release/release-candidate")).id
            )
            (automation,) = await client.read_automations_by_name("claimrag: crash lost runs")
            await client.pause_automation(automation.id)
            (automation,) = await client.read_automations_by_name("claimrag: end cancellations")
            await client.delete_automation(automation.id)
            old = AutomationCore.model_validate(automation.model_dump(exclude={"id"}))
            await client.create_automation(old.model_copy(update={"name": "claimrag: of long ago"}))
            await client.update_variable(VariableUpdate(name="claimrag_workspace", value="s3://bucket/w"))

    asyncio.run(meddle())
    done = {outcome.name: outcome for outcome in outcomes(llm_tasks=3)}
    assert done["evaluate/evaluate-baselines"].done == "updated"
    assert done["claimrag: crash lost runs"].done == "updated"
    assert done["claimrag: end cancellations"].done == "created"
    assert done["claimrag: of long ago"].done == "removed"
    assert (done["tag:llm"].done, done["tag:llm"].detail) == ("updated", "3 tasks at once")
    assert (done["claimrag_workspace"].done, done["claimrag_workspace"].detail) == (
        "unchanged",
        "s3://bucket/w",
    )

    async def paused() -> bool:
        async with get_client() as client:
            return (await client.read_deployment_by_name("release/release-candidate")).paused

    assert asyncio.run(paused())
    assert [each for each in outcomes() if each.done != "unchanged"] == []


def test_one_pool_can_take_the_place_of_both() -> None:
    deployed(pool="big")
    assert on_server()["pools"] == ["big"]


def test_a_pool_of_another_kind_is_refused() -> None:
    from prefect.client.schemas.actions import WorkPoolCreate

    async def taken() -> None:
        async with get_client() as client:
            await client.create_work_pool(WorkPoolCreate(name="cpu", type="docker"))

    asyncio.run(taken())
    with pytest.raises(InputError, match="cpu on the Prefect server is of type docker"):
        outcomes()


def test_the_webhooks_address_is_shown_nowhere_and_it_stays_when_it_is_not_named_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CLAIMRAG_WEBHOOK_URL", SECRET)
    for arguments in (["deploy"], ["deploy", "--json"]):
        shown = CliRunner().invoke(app, arguments)
        assert shown.exit_code == 0 and "a-secret" not in shown.output
    assert {each["done"] for each in json.loads(shown.stdout)} == {"unchanged"}
    monkeypatch.delenv("CLAIMRAG_WEBHOOK_URL")
    shown = CliRunner().invoke(app, ["deploy", "--json"])
    assert {each["done"] for each in json.loads(shown.stdout)} == {"unchanged"}
    assert f"{REPORT} True" in on_server()["automations"]
    changed = outcomes(webhook_url=SecretStr(SECRET + "2"))
    assert [each.name for each in changed if each.kind == "block" and each.done == "updated"]
    with pytest.raises(InputError, match=r"no webhook block 'other' \(it has: claimrag-webhook\)"):
        outcomes(webhook_block="other")


@pytest.mark.parametrize(
    "address, code, sentence",
    [
        (None, 2, "PREFECT_API_URL is not set, and deployments live on a server; start one with"),
        ("http://127.0.0.1:9/api", 1, "the Prefect server at http://127.0.0.1:9 does not answer"),
    ],
)
def test_without_a_server_it_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    address: str | None,
    code: int,
    sentence: str,
) -> None:
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    monkeypatch.delenv("PREFECT_API_URL")
    if address is not None:
        monkeypatch.setenv("PREFECT_API_URL", address)
    with pytest.raises(SystemExit) as end:
        run(["deploy"], to_the_end=False)
    assert end.value.code == code
    words = " ".join(capsys.readouterr().err.split())
    assert sentence in words and "Traceback" not in words
