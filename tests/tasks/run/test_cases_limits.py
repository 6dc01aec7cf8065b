"""Limits that people set hold: the context of a model bounds every prompt, a budget is spent once over all runs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from faulty_law import FaultyLaw, Steps
from scripted_model import ScriptedServer

from claimrag.schemas.errors import BudgetExceededError
from claimrag.schemas.reason import Reason


def least_tokens(body: dict[str, Any]) -> int:
    """Tokens that a request takes at least, with its answer."""
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
    sent = "".join(message["content"] for message in body["messages"]) + (
        json.dumps(schema) if schema else ""
    )
    return len(sent.encode()) // 4 + int(body.get("max_tokens") or body["max_completion_tokens"])


@pytest.mark.parametrize("limit", [2600, 4000])
def test_no_request_is_larger_than_the_context_that_was_set(
    limit: int, model: ScriptedServer, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps("unbounded", units=16, windows=3)
    assert max(map(least_tokens, model.requests)) > limit
    model.requests.clear()
    monkeypatch.setenv("CLAIMRAG_LLM__CONTEXT_TOKENS", str(limit))
    monkeypatch.setenv("CLAIMRAG_EVALUATE__CONTEXT_TOKENS", str(limit))
    outcome = steps(units=16, windows=3)
    assert max(map(least_tokens, model.requests)) <= limit
    assert outcome.exit_code == 0, outcome.verdict
    (questions,) = (stage.counts for stage in outcome.stages if stage.stage == "questions")
    assert questions.kept and Reason.CONTEXT_LENGTH not in questions.rejected


def test_a_context_that_is_set_later_makes_the_windows_again(
    model: ScriptedServer, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps(units=2, windows=2)
    monkeypatch.setenv("CLAIMRAG_LLM__CONTEXT_TOKENS", "2600")
    later = steps(units=2, windows=2)
    assert [name for name in later.tables if "question_shards" in name] == [
        "question_shards eu/32099R1001/2099-03-12/en/multi-0000"
    ]
    assert steps(units=2, windows=2).remade == set()


PRICES = {"prompt_usd_per_million": 1000.0, "completion_usd_per_million": 3000.0}


def test_a_budget_is_spent_once_over_all_runs_of_a_workspace(
    law: FaultyLaw, model: ScriptedServer, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    for section, name in (("LLM", "scripted"), ("EMBEDDINGS", "scripted")):
        monkeypatch.setenv(f"CLAIMRAG_{section}__PRICES", json.dumps({name: PRICES}))
    whole = cost(steps("undisturbed"))
    asked = len(model.requests)

    model.requests.clear()
    monkeypatch.setenv("CLAIMRAG_LLM__BUDGET_USD", str(whole / 2))
    with pytest.raises(BudgetExceededError, match=r"run again"):
        steps()
    first = len(model.requests)
    assert 0 < first < asked
    for _ in range(2):
        with pytest.raises(BudgetExceededError, match="by earlier runs"):
            steps()
    assert len(model.requests) <= first + 2, "a smaller call may still fit into what is left"

    monkeypatch.setenv("CLAIMRAG_LLM__BUDGET_USD", str(whole * 2))
    steps()
    assert len(model.requests) == asked and set(law.good.values()) <= {1, 2}


def cost(outcome: Any) -> float:
    return sum(usage.cost_usd or 0.0 for usage in outcome.usage)
