"""`plan`, `build --estimate`, and what a build that costs money says first: on 80 columns, and without paying."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import scripted_law
from scripted_model import ScriptedServer
from typer.testing import CliRunner

from claimrag.flows.cli import plan as plan_command
from claimrag.flows.cli.app import app
from claimrag.flows.cli.build import show_costs_of_priced
from claimrag.schemas.asked import Work
from claimrag.schemas.build import BuildRequest
from claimrag.schemas.plan import LawPlan, Plan, TablePlan, Withdrawn, WorkPlan

PRICES = json.dumps({"scripted": {"prompt_usd_per_million": 1, "completion_usd_per_million": 2}})
NOTHING = "nothing was asked or paid"
ENV = {"COLUMNS": "80", "NO_COLOR": "1"}
LARGE = WorkPlan(
    work=Work.SINGLE_HOP,
    language="en",
    items=123_456,
    known=0,
    first_calls=123_456,
    calls=1_234_567.4,
    prompt_tokens=123_456_789.0,
    completion_tokens=12_345_678.0,
    cost_usd=1234.5,
)
LAW = LawPlan(
    act_id="eu/32016R0679/2016-05-04/en",  # type: ignore[arg-type]
    compared_with="eu/32016R0679/2016-04-27/en",  # type: ignore[arg-type]
    changed=tuple(map(str, range(1, 9))),
    unchanged=91,
    context_units=99,
    new_context_units=8,
    questions_kept=40,
    withdrawn=(Withdrawn(question_id="q_1", because="amended: art_6\x1b[2J"),) * 7,  # type: ignore[arg-type]
)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    with ScriptedServer(scripted_law.reply) as server:
        monkeypatch.setenv("CLAIMRAG_LLM__BASE_URL", server.base_url)
        monkeypatch.setenv("CLAIMRAG_LLM__MODEL", "scripted")
        yield server
        assert not server.requests


@pytest.mark.usefixtures("model")
def test_a_plan_is_shown_and_is_one_json_value() -> None:
    shown = CliRunner().invoke(app, ["plan", "sample-en", "--units", "3"], env=ENV)
    assert shown.exit_code == 0 and "new to this workspace, 16 context units" in shown.stdout
    assert "3 context units (en)" in shown.stdout and NOTHING in shown.stdout
    whole = CliRunner().invoke(app, ["plan", "sample-en", "--units", "3", "--json"], env=ENV)
    assert Plan.model_validate_json(whole.stdout).laws[0].context_units == 16


@pytest.mark.usefixtures("model")
def test_an_estimate_is_the_costs_of_the_plan_alone() -> None:
    shown = CliRunner().invoke(app, ["build", "sample-en", "--units", "3", "--estimate"], env=ENV)
    assert shown.exit_code == 0 and NOTHING in shown.stdout and "new tables" not in shown.stdout
    whole = CliRunner().invoke(app, ["build", "sample-en", "--units", "3", "--estimate", "--json"], env=ENV)
    assert Plan.model_validate_json(whole.stdout).calls > 3


@pytest.mark.usefixtures("model")
def test_a_build_that_costs_money_says_how_much_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    request = BuildRequest(laws=("sample-en",), units=3)
    show_costs_of_priced(request)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("CLAIMRAG_LLM__PRICES", PRICES)
    show_costs_of_priced(request)
    said = capsys.readouterr()
    assert said.out == "" and "USD" in said.err and "0.0" in said.err


def test_large_numbers_fit_80_columns_and_all_of_a_law_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    again = TablePlan(stage="question_shards", scope="eu/x", why=("prompt generate/suitability en",))
    plan = Plan(workspace="w", laws=(LAW,), work=(LARGE,), again=(again,), averages="measured")
    monkeypatch.setattr(plan_command, "make_plan", lambda request: plan)
    shown = CliRunner().invoke(app, ["plan", "gdpr"], env=ENV).stdout
    table = shown[shown.index("What a build") : shown.index("123,456 of the calls")]
    assert max(map(len, table.splitlines())) <= 80 and "1,234.50" in table and "123,456,789" in table
    assert "8 changed (1, 2, 3, 4, 5, ...); 91 articles are the same" in shown
    assert "40 hold on, 7 would be withdrawn" in shown and "and 2 more, in --json" in shown
    assert "question shards: 1 made again, changed: prompt generate/suitability en" in shown
    assert "\x1b" not in shown


def test_nothing_to_do_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(workspace="w", laws=(), work=(), again=(), averages="measured")
    monkeypatch.setattr(plan_command, "make_plan", lambda request: plan)
    shown = CliRunner().invoke(app, ["plan"], env=ENV).stdout
    assert shown == (
        "every table is current\n\n"
        "a build would ask nothing of a model: every reply that it needs is at hand\n"
    )
