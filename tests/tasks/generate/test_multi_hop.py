"""Multi-hop generation: two units must be needed, by evidence and by test."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.question import Category, Hop
from claimrag.schemas.reason import Reason


def run(stage: Any, law: ParsedAct, author: Any, **settings: Any) -> Any:
    return asyncio.run(
        stage.run(law, author, "multi", **{"units_in_window": 2, "windows_per_act": 1} | settings)
    )


def half_for(body: dict[str, Any]) -> dict[str, Any]:
    """A question on the statement that is asked about, and an answer in its own words."""
    asked = body["response_format"]["json_schema"]["schema"]["properties"]["evidence"]["items"]["enum"]
    task = body["messages"][-1]["content"].rpartition("Task:")[2]
    lines = [line.partition("] ")[2] for line in task.splitlines() if line.startswith("[")]
    named = [word for word in re.findall(r"[a-z]{4,}", " ".join(lines)) if word != "hours"][:4]
    question = f"What is the rule of the village on {' and '.join(named)}?"
    return {
        "evidence": asked,
        "question": question,
        "answer": " ".join(lines),
        "rationale": "The rule states it.",
    }


def author_of(make_author: Any, **changes: Any) -> Any:
    """Halves made from the statements, with `changes`; verdicts as in every other test."""

    def write(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        return {**half_for(body), **changes} if name == "factual_recall" else answer

    return make_author(write)


def test_two_linked_rules_make_one_question_of_two_halves(
    stage: Any, bells: ParsedAct, make_author: Any, make_contexts: Any
) -> None:
    outcome, server = run(stage, bells, author_of(make_author))
    (question,) = outcome.kept
    assert question.hop is Hop.MULTI
    assert question.category is Category.FACTUAL_RECALL
    assert ", and what is the rule" in question.question and question.question.count("?") == 1
    assert len(question.context_unit_ids) == 2
    assert {one.context_unit_id for one in question.quotations} == set(question.context_unit_ids)
    texts = {context.id: context.text for context in make_contexts(bells)}
    assert all(texts[one.context_unit_id][one.start : one.end] == one.text for one in question.quotations)
    assert question.generated_by.temperature == 0.0
    names = [body["response_format"]["json_schema"]["name"] for body in server.requests]
    assert names == ["factual_recall", "entailment", "factual_recall", "entailment"]


def test_a_half_that_is_no_question_rejects_the_whole(stage: Any, bells: ParsedAct, make_author: Any) -> None:
    outcome, _ = run(stage, bells, author_of(make_author, question="The village pays the ringer a fee."))
    assert outcome.counts.rejected == {"not_a_question": 1}


def test_an_unsupported_half_rejects_the_whole(stage: Any, bells: ParsedAct, make_author: Any) -> None:
    def write(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        return half_for(body) if name == "factual_recall" else {"verdict": "neutral"}

    outcome, _ = run(stage, bells, make_author(write))
    assert outcome.counts.rejected == {"not_supported": 1}


def test_a_question_answered_by_one_unit_alone_is_rejected(
    stage: Any, make_law: Any, make_author: Any
) -> None:
    law = make_law(
        [
            ("1", "Keys", ["The ringer of the village keeps the key of the bell tower in the town hall."]),
            ("2", "Ropes", ["The ringer of the village oils the rope of the great bell each spring."]),
        ]
    )

    def write(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        return half_for(body) if name == "factual_recall" else {"verdict": "entailment"}

    outcome, _ = run(stage, law, make_author(write))
    assert outcome.counts.rejected == {"answerable_from_one_unit": 1}
    unchecked, server = run(stage, law, make_author(write), necessity_check=False)
    assert len(unchecked.kept) == 1
    assert server.requests == []


def test_each_half_is_tested_against_the_other_provision(stage: Any, make_law: Any, make_author: Any) -> None:
    law = make_law(
        [
            ("1", "Keys", ["The ringer of the village keeps the key of the bell tower in the town hall."]),
            ("2", "Ropes", ["The ringer of the village oils the rope of the great bell each spring."]),
        ]
    )
    outcome, server = run(stage, law, author_of(make_author))
    assert len(outcome.kept) == 1
    tested = [body["messages"][-1]["content"] for body in server.requests[4:]]
    assert [
        "Article 1: Keys" in text and "oils the rope" in text.split("Hypothesis")[1] for text in tested
    ] == [True, False]
    assert [
        "Article 2: Ropes" in text and "keeps the key" in text.split("Hypothesis")[1] for text in tested
    ] == [False, True]


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
    assert not any(Reason(code).is_malfunction for code in outcome.counts.rejected)


def test_an_act_of_one_unit_has_no_window(stage: Any, make_law: Any, make_author: Any) -> None:
    outcome, server = run(
        stage, make_law([("1", "Bells", ["The ringer rings the bell at noon."])]), make_author()
    )
    assert outcome.counts.considered == 0
    assert server.requests == []
