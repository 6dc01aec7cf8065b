"""The stages by themselves, on a workspace, and what the command line shows of a build."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import scripted_law
from scripted_model import ScriptedServer
from scripted_process import model_environment
from typer.testing import CliRunner

from claimrag.flows import stages
from claimrag.flows.build import build_benchmark
from claimrag.flows.cli.app import app
from claimrag.schemas.build import BuildRequest
from claimrag.schemas.errors import InputError, ValidationFailedError
from claimrag.schemas.occurrence import Occurrence
from claimrag.tasks.occurrences.step import OCCURRENCES
from claimrag.tasks.store import Workspace


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    with ScriptedServer(scripted_law.reply) as server:
        for name, value in model_environment(server.base_url).items():
            monkeypatch.setenv(name, value)
        yield server


def test_each_stage_runs_by_itself_on_a_built_workspace(endpoint: ScriptedServer, tmp_path: Path) -> None:
    request = BuildRequest(laws=("sample-en",), workspace=str(tmp_path / "w"), units=3, windows=1)
    built = asyncio.run(build_benchmark(request))
    asked = len(endpoint.requests)
    for flow in (stages.generate, stages.claims, stages.evaluate, stages.validate, stages.release):
        report = asyncio.run(flow(request))
        assert report.exit_code == 0 and report.sentences[-1] == "verdict: complete"
    assert len(endpoint.requests) == asked
    assert f"release {built.release_version}: {built.release_path}" in report.sentences
    assert any(s.startswith("nothing has changed since release 0.1.0") for s in report.sentences)


def test_a_quotation_that_lost_a_character_stops_validation_and_is_named(
    endpoint: ScriptedServer, tmp_path: Path
) -> None:
    request = BuildRequest(
        laws=("sample-en",), workspace=str(tmp_path / "w"), units=3, windows=1, evaluate=False
    )
    act_id = asyncio.run(build_benchmark(request)).acts[0]
    workspace = Workspace.open(str(tmp_path / "w"))
    ref = OCCURRENCES.of(act_id)
    rows = workspace.read_table(ref, Occurrence)
    damaged = rows[0].evidence[0].model_copy(update={"quotation": rows[0].evidence[0].quotation[:-1]})
    rows[0] = rows[0].model_copy(update={"evidence": (damaged, *rows[0].evidence[1:])})
    workspace.write_table(ref, Occurrence, rows, workspace.read_rejected(ref))
    with pytest.raises(ValidationFailedError, match=rows[0].question_id):
        asyncio.run(stages.validate(request))
    assert "failed" in (tmp_path / "w" / "reports" / "validation.html").read_text().lower()


def test_a_stage_on_an_empty_workspace_says_what_to_run_first(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="claimrag build"):
        asyncio.run(stages.validate(BuildRequest(workspace=str(tmp_path / "w"))))


def test_the_command_line_says_what_was_made_and_what_comes_next(
    endpoint: ScriptedServer, tmp_path: Path
) -> None:
    arguments = ["build", "sample-en", "--workspace", str(tmp_path / "w"), "--units", "3", "--windows", "1"]
    shown = CliRunner().invoke(app, arguments)
    assert shown.exit_code == 0, shown.output
    for words in (
        "What was made",
        "RAG baselines",
        "no expert has reviewed",
        "load_dataset",
        "verdict: complete",
    ):
        assert words in shown.stdout
    value = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert value["exit_code"] == 0 and value["release_version"] == "0.1.0"
