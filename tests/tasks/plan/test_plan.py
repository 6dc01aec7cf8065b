"""A plan says what the build then does: which articles and questions, how many requests; and pays for nothing."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import scripted_law
from scripted_model import ScriptedServer
from step_driver import Outcome, run_steps

from claimrag.schemas.asked import Work
from claimrag.schemas.build import BuildRequest
from claimrag.schemas.plan import Plan
from claimrag.tasks.plan.planning import plan_build

ALL_UNITS = 200
AMENDED = "to data portability pursuant to paragraph 1, the data subject shall have the right to have"
PRICE = {"prompt_usd_per_million": 1, "completion_usd_per_million": 2}


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    with ScriptedServer(scripted_law.reply) as server:
        monkeypatch.setenv("CLAIMRAG_LLM__BASE_URL", server.base_url)
        monkeypatch.setenv("CLAIMRAG_LLM__MODEL", "scripted")
        monkeypatch.setenv("CLAIMRAG_LLM__PRICES", json.dumps({"scripted": PRICE}))
        monkeypatch.setenv("CLAIMRAG_EVALUATE__RETRIEVERS", '["bm25"]')
        yield server


def planned(law: str, units: int = 6, windows: int = 1) -> Plan:
    return asyncio.run(plan_build(BuildRequest(laws=(law,), workspace="w", units=units, windows=windows)))


def built(law: str, units: int = 6, windows: int = 1) -> Outcome:
    return asyncio.run(run_steps("w", [law], units=units, windows=windows, manifest=True))


def files_of(folder: str) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in Path(folder).rglob("*")
        if path.is_file()
    }


def test_a_plan_asks_for_nothing_and_leaves_the_workspace_as_it_is(model: ScriptedServer) -> None:
    built("sample-en", units=3)
    before, asked = files_of("w"), len(model.requests)
    assert planned("sample-en", units=6).calls > 100
    assert len(model.requests) == asked
    assert files_of("w") == before


def test_a_plan_of_a_workspace_that_is_not_there_does_not_make_it(model: ScriptedServer) -> None:
    plan = planned("sample-en", units=3)
    assert not Path("w").exists() and not model.requests
    assert plan.laws[0].compared_with is None
    assert {one.work: one.first_calls for one in plan.work}[Work.SINGLE_HOP] == 3


def test_after_the_build_nothing_is_left_to_do(model: ScriptedServer) -> None:
    built("sample-en", units=3)
    plan = planned("sample-en", units=3)
    assert (plan.calls, plan.tokens, plan.cost_usd) == (0, (0, 0), 0)
    assert plan.again == ()
    assert plan.laws[0].questions_kept


@pytest.mark.parametrize(
    "place",
    [
        "eurlex-raw/32016r0679/2016-04-27/en.xml",
        "eurlex-raw/31995l0046/1995-10-24/fr.html",
        "legilux-raw/loi-1807-09-15-n2/2026-08-03/fr.xml",
    ],
)
@pytest.mark.corpus
def test_the_estimate_for_a_law_never_seen_is_within_15_percent(
    model: ScriptedServer, shared_corpus: Path, place: str
) -> None:
    law = str(shared_corpus / "data" / place)
    asyncio.run(run_steps("w", ["sample-en", "sample-fr"], units=12, windows=3, manifest=True))
    plan = planned(law, units=12, windows=3)
    (fact,) = built(law, units=12, windows=3).usage
    assert plan.calls == pytest.approx(fact.requests_sent, rel=0.15)
    assert sum(plan.tokens) == pytest.approx(fact.prompt_tokens + fact.completion_tokens, rel=0.15)
    assert plan.cost_usd == pytest.approx(fact.cost_usd, rel=0.15)


@pytest.mark.corpus
def test_one_amended_article_redoes_what_rests_on_it_and_the_plan_says_so(
    model: ScriptedServer, monkeypatch: pytest.MonkeyPatch, shared_corpus: Path
) -> None:
    monkeypatch.setenv("CLAIMRAG_GENERATE__MULTI_HOP", "false")
    monkeypatch.setenv("CLAIMRAG_EVALUATE__QUESTIONS_PER_LANGUAGE", "20")
    # Chunks of a fixed size would all move behind a word more, and every answer would be another.
    monkeypatch.setenv("CLAIMRAG_EVALUATE__CHUNKER", "article")
    text = (shared_corpus / "data/eurlex-raw/32016r0679/2016-04-27/en.xml").read_text(encoding="utf-8")
    assert text.count(AMENDED) == 1
    law = Path("law.xml")
    law.write_text(text, encoding="utf-8")
    (first,) = built("law.xml", units=ALL_UNITS).usage
    law.write_text(text.replace(AMENDED, AMENDED.replace("shall", "shall promptly")), encoding="utf-8")

    plan = planned("law.xml", units=ALL_UNITS)
    outcome = built("law.xml", units=ALL_UNITS)

    (one,) = plan.laws
    assert (one.changed, one.added, one.removed, one.unchanged) == (("20",), (), (), 98)
    assert (one.new_context_units, one.context_units) == (1, 99)
    assert one.withdrawn and {each.because for each in one.withdrawn} == {"amended: art_20"}
    asked = {each.work: each for each in plan.work}
    assert asked[Work.SINGLE_HOP].items == asked[Work.SINGLE_HOP].first_calls == 1
    assert asked[Work.SINGLE_HOP].known == 98
    assert {table.stage for table in plan.again} == outcome.remade
    (fact,) = outcome.usage
    assert 0 < fact.requests_sent <= (1 / 99 + 0.02) * first.requests_sent
    assert 0 < plan.calls <= (1 / 99 + 0.02) * first.requests_sent
    again = planned("law.xml", units=ALL_UNITS)
    assert again.calls == 0 and again.again == ()


def test_before_anything_was_measured_the_plan_says_what_it_cannot_know(model: ScriptedServer) -> None:
    plan = planned("sample-en", units=3)
    assert "no run with these models" in plan.averages
    built("sample-en", units=3)
    assert "this workspace's runs" in planned("sample-en", units=4).averages
