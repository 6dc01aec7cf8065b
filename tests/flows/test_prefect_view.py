"""What somebody sees in Prefect of a build with a law that fails: names, state, log lines, artifacts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import scripted_law
from scripted_model import ScriptedServer
from scripted_process import model_environment

from claimrag.flows.build import build_benchmark
from claimrag.flows.page import RunPage
from claimrag.flows.run_names import run_name
from claimrag.schemas.build import BuildRequest, BuildSummary, LawFailure
from claimrag.schemas.rejected import StageCounts
from claimrag.tasks.run.runtime import open_runtime


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    with ScriptedServer(scripted_law.reply) as server:
        for name, value in model_environment(server.base_url).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("CLAIMRAG_LLM__API_KEY", "sk-a-key-of-this-test")
        yield server


async def _in_prefect(law: Path) -> tuple[BuildSummary, Any, list[str], dict[str, Any]]:
    """A build of a sample law and a broken one; its summary, its flow run, its log and its artifacts by kind."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import ArtifactFilter, FlowRunFilter, FlowRunFilterName, LogFilter

    request = BuildRequest(laws=("sample-en", str(law)), workspace="w", units=3, windows=1, evaluate=False)
    summary = await build_benchmark(request)
    async with get_client() as client:
        named = FlowRunFilter(name=FlowRunFilterName(like_=law.name))
        (run,) = await client.read_flow_runs(flow_run_filter=named)
        flow_run = {"flow_run_id": {"any_": [str(run.id)]}}
        lines: list[str] = []
        for _ in range(100):  # log lines reach the server a moment later
            lines = [
                log.message for log in await client.read_logs(LogFilter.model_validate(flow_run), limit=200)
            ]
            if any("complete: release" in line for line in lines):
                break
            await asyncio.sleep(0.1)
        artifacts = await client.read_artifacts(artifact_filter=ArtifactFilter.model_validate(flow_run))
    of_run = {a.key.removesuffix(f"-{summary.run.lower()}"): a for a in artifacts if a.key is not None}
    return summary, run, lines, of_run


def test_a_build_in_which_a_law_fails_is_a_partial_run_that_says_which_and_why(
    model: ScriptedServer, tmp_path: Path
) -> None:
    law = tmp_path / "torn-law.md"
    law.write_text("# Nothing\n\nThere is no law here.\n")
    summary, run, lines, artifacts = asyncio.run(_in_prefect(law))
    assert isinstance(summary, BuildSummary) and summary.exit_code == 3
    assert [failure.law for failure in summary.failures] == ["torn-law.md"]
    assert len(summary.acts) == 1 and summary.release_path is not None
    assert run.name == "build-benchmark sample-en, torn-law.md, scripted"
    assert (run.state.type.value, run.state.name) == ("COMPLETED", "Partial")
    assert run.state.message == summary.verdict and "torn-law.md" in summary.verdict
    assert any(line.startswith("questions eu/32099R1001") and "kept of" in line for line in lines)
    assert any(line.startswith("failed, while the other laws go on: torn-law.md") for line in lines)
    assert any(line.startswith("complete: release") and "requests sent" in line for line in lines)
    assert set(artifacts) == {"progress", "status", "summary", "validation", "stage-counts"}
    assert artifacts["progress"].data == 100.0
    page = str(artifacts["status"].data)
    assert "Complete: release." in page and "torn-law.md" in page and "requests sent" in page
    for text in (page, str(artifacts["summary"].data), *lines):
        assert "sk-a-key" not in text and "file://" not in text


class Names:
    """Stands where Prefect says what the run that is about to begin is of."""

    def __init__(self, flow_name: str, request: object) -> None:
        self.flow_name = flow_name
        self.parameters = {} if request is None else {"request": request}


@pytest.mark.parametrize(
    "flow, request_, expected",
    [
        ("build-benchmark", None, "build-benchmark sample-en, sample-fr, m"),
        ("build-benchmark", BuildRequest(laws=("gdpr",)), "build-benchmark gdpr, m"),
        ("build-benchmark", {"laws": ["/a/b/law.xml"]}, "build-benchmark law.xml, m"),
        ("build-benchmark", {"laws": ["https://h/eli/x?key=secret"]}, "build-benchmark x, m"),
        ("build-benchmark", {"laws": list("abcde")}, "build-benchmark a, b, c and 2 more, m"),
        ("build-benchmark", {"laws": ["x" * 90]}, f"build-benchmark {'x' * 40}…, m"),
        ("evaluate", BuildRequest(workspace="s3://bucket/w/"), "evaluate in w, m"),
        ("evaluate", BuildRequest(), "evaluate in workspace, m"),
    ],
)
def test_a_run_is_called_by_its_laws_or_workspace_and_its_model(
    monkeypatch: pytest.MonkeyPatch, flow: str, request_: object, expected: str
) -> None:
    monkeypatch.setattr("claimrag.flows.run_names.flow_run", Names(flow, request_))
    monkeypatch.setenv("CLAIMRAG_LLM__BASE_URL", "http://user:secret@127.0.0.1:9/v1")
    monkeypatch.setenv("CLAIMRAG_LLM__MODEL", "m")
    assert run_name() == expected


def test_a_wrong_setting_does_not_keep_a_run_from_having_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("claimrag.flows.run_names.flow_run", Names("build-benchmark", {"laws": ["gdpr"]}))
    monkeypatch.setenv("CLAIMRAG_LLM__NO_SUCH", "1")
    assert run_name() == "build-benchmark gdpr, settings with an error"


def test_the_page_says_how_far_each_stage_is_and_when_the_latest_may_end(tmp_path: Path) -> None:
    now = [100.0]
    lines: list[str] = []

    class Log:
        def info(self, form: str, *values: object) -> None:
            lines.append(form % values)

    async def run() -> str:
        async with open_runtime(BuildRequest(workspace=str(tmp_path / "w")), models=False) as runtime:
            page = RunPage(runtime, Log(), clock=lambda: now[0])  # type: ignore[arg-type]
            page.begin("parse", 2)
            page.advance("parse")
            page.begin("claims", 40)
            now[0] += 60
            page.advance("claims", 10)
            for scope, kept in (("a", 3), ("b", 4), ("a", 5)):
                page.counted(
                    "claims", scope, StageCounts(considered=kept + 1, kept=kept, rejected={"length": 1})
                )
            page.say("loading")
            runtime.failures.append(LawFailure(law="c", sentence="c: torn"))
            now[0] += 3600
            return page.text()

    text = asyncio.run(run())
    assert "| parse | 1 of 2 |  |  |  |" in text
    assert "| claims | 10 of 40 | 9 | length 2 | about 3 h 03 min |" in text
    assert "At work for 1 h 01 min." in text and "- failed: c: torn" in text
    assert lines == [
        "claims a: 3 kept of 4, length 1",
        "claims b: 4 kept of 5, length 1",
        "claims a: 5 kept of 6, length 1",
        "loading",
    ]
