"""Multi-hop generation: two units must be needed, by evidence and by test."""

from __future__ import annotations

import asyncio
from typing import Any

from legal_sources.parsed import ParsedAct
from schemas.question import Category, Hop
from tasks.generate import EXPECTED_REASONS

PAIR = {
    "evidence": ["1.4", "2.1"],
    "first_question": "To whom must the ringer report a broken bell?",
    "first_answer": "The ringer must report a broken bell to the mayor within six hours.",
    "second_question": "What fee does the village pay the ringer?",
    "second_answer": "The village pays the ringer a fee of 40 euros for each month.",
    "rationale": "One rule states the report, the other the fee.",
}


def run(stage: Any, law: ParsedAct, author: Any, **settings: Any) -> Any:
    return asyncio.run(
        stage.run(law, author, "multi", **{"units_in_window": 2, "windows_per_act": 1} | settings)
    )


def pair_for(body: dict[str, Any]) -> dict[str, Any]:
    """The made-up pair, fitted to the statements that were asked about."""
    task = body["messages"][-1]["content"].rpartition("Task:")[2]
    numbers = body["response_format"]["json_schema"]["schema"]["properties"]["evidence"]["items"]["enum"]
    lines = dict(line[1:].split("] ", 1) for line in task.splitlines() if line.startswith("["))
    first = " ".join(text for number, text in lines.items() if number.startswith("1."))
    second = " ".join(text for number, text in lines.items() if number.startswith("2."))
    halves = {
        "first_question": "What does a ringer of the village do?",
        "second_question": "What about bell fees?",
    }
    return {**PAIR, **halves, "evidence": numbers, "first_answer": first, "second_answer": second}


def author_of(make_author: Any, **changes: Any) -> Any:
    def write(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        return {**pair_for(body), **changes} if name == "linked_rules" else answer

    return make_author(write)


def test_two_linked_rules_make_one_question_of_two_halves(
    stage: Any, bells: ParsedAct, make_author: Any
) -> None:
    outcome, server = run(stage, bells, author_of(make_author))
    (question,) = outcome.kept
    assert question.hop is Hop.MULTI
    assert question.category is Category.GENERAL_RESEARCH
    assert question.question == "What does a ringer of the village do, and what about bell fees?"
    assert len(question.context_unit_ids) == 2
    assert {one.context_unit_id for one in question.evidence} == set(question.context_unit_ids)
    assert all(bells.text[one.start : one.end] == one.quotation for one in question.evidence)
    assert 0.3 <= question.generated_by.temperature <= 0.5
    names = [body["response_format"]["json_schema"]["name"] for body in server.requests]
    assert names == ["linked_rules", "entailment", "entailment", "entailment"]


def test_evidence_from_one_unit_is_rejected(stage: Any, bells: ParsedAct, make_author: Any) -> None:
    def write(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        if name != "linked_rules":
            return answer
        pair = pair_for(body)
        return {**pair, "evidence": [mark for mark in pair["evidence"] if mark.startswith("1.")][:1] * 2}

    outcome, _ = run(stage, bells, make_author(write))
    assert outcome.counts.rejected == {"single_unit_evidence": 1}


def test_an_answer_from_one_unit_is_rejected(stage: Any, bells: ParsedAct, make_author: Any) -> None:
    outcome, _ = run(stage, bells, author_of(make_author, second_answer="The ringer reports a broken bell."))
    assert outcome.counts.rejected == {"single_unit_evidence": 1}


def test_a_question_answered_by_one_unit_alone_is_rejected(
    stage: Any, bells: ParsedAct, make_author: Any
) -> None:
    def write(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        return pair_for(body) if name == "linked_rules" else {"verdict": "entailment"}

    outcome, _ = run(stage, bells, make_author(write))
    assert outcome.counts.rejected == {"answerable_from_one_unit": 1}
    unchecked, server = run(stage, bells, make_author(write), necessity_check=False)
    assert len(unchecked.kept) == 1
    assert server.requests == []


def test_a_large_window_is_left_to_the_model(
    stage: Any, bells: ParsedAct, make_law: Any, make_author: Any
) -> None:
    articles = [
        (str(n), "Bells", [f"Tower number {n} rings its bell for {n} hours on feast day."])
        for n in range(2, 7)
    ]
    law = make_law(articles)

    def write(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        if name != "multi_hop":
            return answer
        return {
            "evidence": ["1.1", "3.1"],
            "question": "For how long do the first tower and the third tower ring their bell on a feast day?",
            "answer": "Tower number 2 rings its bell for 2 hours, tower number 4 for 4 hours.",
            "rationale": "Each rule states one tower's hours.",
        }

    outcome, server = run(stage, law, make_author(write), units_in_window=None, windows_per_act=None)
    names = [body["response_format"]["json_schema"]["name"] for body in server.requests]
    assert names[0] == "multi_hop"
    assert len(outcome.kept) + len(outcome.rejected) == 1
    assert set(outcome.counts.rejected) <= EXPECTED_REASONS


def test_an_act_of_one_unit_has_no_window(stage: Any, make_law: Any, make_author: Any) -> None:
    outcome, server = run(
        stage, make_law([("1", "Bells", ["The ringer rings the bell at noon."])]), make_author()
    )
    assert outcome.counts.considered == 0
    assert server.requests == []
