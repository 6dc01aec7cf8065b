"""`publish-release`: a person decides, and only `approve` publishes; the form is shown by a real Prefect server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_up_hub import TOKEN, Hub, made_up_hub
from prefect.blocks.system import Secret
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId
from prefect.client.schemas.objects import FlowRun, State
from prefect.flow_runs import resume_flow_run
from reader_workspace import copy_of_workspace

from claimrag.flows import publish as publishing
from claimrag.flows.publish import REJECTED, SKIPPED, TOKEN_BLOCK, publish
from claimrag.schemas.publish import PublishRequest

pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
DATASET = "alice/village-law"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    """A Hub, a workspace with a release to publish there, and a token in the environment."""
    from huggingface_hub import constants

    workspace = copy_of_workspace(tmp_path / "w")
    workspace.write_text("**Passed: 0 critical failures**\n", "reports", "validation.md")
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no-token"))
    monkeypatch.setattr(publishing, "LOOK_S", 1)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setenv("CLAIMRAG_WORKSPACE", str(tmp_path / "w"))
    monkeypatch.setenv("CLAIMRAG_PUBLISH__DATASET", DATASET)
    with made_up_hub(monkeypatch) as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        yield running


def run_and(answer: dict[str, Any] | None, *, wait: bool = False) -> tuple[State[Any], FlowRun]:
    """The end of a run whose form is sent with `answer` (None: as it is), or is not sent at all with `wait`."""

    async def both() -> tuple[State[Any], FlowRun]:
        async with get_client() as client:
            before = {run.id for run in await client.read_flow_runs()}
            running = asyncio.create_task(publish(PublishRequest(), return_state=True))
            paused = None if wait else await _paused(client, before, running)
            if paused is not None:
                assert paused.state is not None and paused.state.state_details.run_input_keyset
                await resume_flow_run(paused.id, run_input=answer)
            state = await running
            assert state.state_details.flow_run_id is not None
            return state, await client.read_flow_run(state.state_details.flow_run_id)

    return asyncio.run(both())


async def _paused(client: Any, before: set[Any], running: asyncio.Task[Any]) -> FlowRun | None:
    while not running.done():
        for run in await client.read_flow_runs():
            if run.id not in before and run.state and run.state.is_paused():
                return run  # type: ignore[no-any-return]
        await asyncio.sleep(0.2)
    return None


def artifacts_of(run: FlowRun) -> str:
    async def read() -> str:
        async with get_client() as client:
            wanted = FlowRunFilter(id=FlowRunFilterId(any_=[run.id]))
            return "\n".join(str(each.data) for each in await client.read_artifacts(flow_run_filter=wanted))

    return asyncio.run(read())


def test_only_approve_publishes_and_what_was_decided_is_seen(hub: Hub) -> None:
    state, run = run_and({"decision": "approve", "comment": "looks right"})
    assert state.name == "Completed" and "v0.1.0" in hub.repositories[DATASET].tags
    assert "release 0.1.0 is published, and was read back" in str(state.message)
    assert run.name == "publish-release latest"
    page = artifacts_of(run)
    assert (
        "data/qa/test.parquet" in page
        and "Passed: 0 critical failures" in page
        and "No expert has reviewed" in page
    )
    assert hub.url in page and TOKEN not in page
    again, _ = run_and(None, wait=True)
    assert "was published already" in asyncio.run(_result(again)).verdict


async def _result(state: State[Any]) -> Any:
    return await state.aresult()


@pytest.mark.parametrize("answer", [None, {"decision": "reject"}, {"comment": "approve"}])
def test_a_form_that_does_not_approve_leaves_the_hub_as_it_was(
    hub: Hub, answer: dict[str, Any] | None
) -> None:
    state, _ = run_and(answer)
    assert state.name == REJECTED and "was not approved" in str(state.message)
    assert hub.repositories == {}


def test_a_form_that_nobody_sends_in_time_is_a_rejection(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAIMRAG_PUBLISH__APPROVAL_HOURS", "0.0005")
    state, _ = run_and(None, wait=True)
    assert state.name == REJECTED and "in time" in str(state.message)
    assert hub.repositories == {}


def test_the_token_may_be_that_of_a_secret_block(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_TOKEN")
    state, _ = run_and(None, wait=True)
    assert state.is_failed() and TOKEN_BLOCK in str(state.message)
    Secret(value=TOKEN).save(TOKEN_BLOCK, overwrite=True)
    try:
        state, run = run_and({"decision": "approve"})
    finally:
        Secret.delete(TOKEN_BLOCK)
    assert state.name == "Completed" and hub.repositories[DATASET].tags
    assert TOKEN not in artifacts_of(run) + str(run.parameters) + str(state.message)


def test_without_a_dataset_nothing_is_asked(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAIMRAG_PUBLISH__DATASET")
    state, _ = run_and(None, wait=True)
    assert state.name == SKIPPED and "publish.dataset" in str(state.message)
    assert not hub.requests
