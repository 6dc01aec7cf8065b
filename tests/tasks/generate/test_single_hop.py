"""Single-hop generation through the real gateway and a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from scripted_model import ScriptedReply

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.errors import ModelRefusedError
from claimrag.schemas.question import Category, Hop
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import StageCounts
from claimrag.tasks.generate import prompt_hashes

RANGES = {
    Category.FACTUAL_RECALL: (0.0, 0.0),
    Category.GENERAL_RESEARCH: (0.3, 0.5),
    Category.JURISDICTION_TIME: (0.3, 0.5),
    Category.FALSE_PREMISE: (0.7, 0.7),
}


def run(stage: Any, *arguments: Any, **settings: Any) -> Any:
    return asyncio.run(stage.run(*arguments, **settings))


def test_every_unit_and_category_is_kept_or_rejected(stage: Any, bells: ParsedAct, make_author: Any) -> None:
    outcome, server = run(stage, bells, make_author())
    counts: StageCounts = outcome.counts
    assert counts.considered == 3 * 4
    assert counts.kept >= 6
    assert not any(Reason(code).is_malfunction for code in counts.rejected)
    assert {question.category for question in outcome.kept} == set(Category)
    assert len({row.item for row in outcome.rejected}) == len(outcome.rejected)
    assert len(server.requests) == server.stats["distinct_answered"]


def test_kept_questions_are_exact_and_traced(
    stage: Any, bells: ParsedAct, make_author: Any, make_contexts: Any
) -> None:
    texts = {context.id: context.text for context in make_contexts(bells)}
    outcome, _ = run(stage, bells, make_author())
    hashes = prompt_hashes("en")
    for question in outcome.kept:
        assert question.hop is Hop.SINGLE
        assert question.language == "en"
        assert question.law_id == "eu/32090R0001"
        assert question.quotations
        for one in question.quotations:
            assert texts[one.context_unit_id][one.start : one.end] == one.text
            assert one.context_unit_id in question.context_unit_ids
        low, high = RANGES[question.category]
        assert low <= question.generated_by.temperature <= high
        assert question.generated_by.prompt_hash == hashes[question.generated_by.prompt_id]
        assert question.generated_by.request_key
        assert question.suitability_reason
        assert bool(question.false_premise) == (question.category is Category.FALSE_PREMISE)


def test_a_false_premise_question_holds_the_altered_fact(
    stage: Any, bells: ParsedAct, make_author: Any
) -> None:
    outcome, server = run(stage, bells, make_author(), categories=(Category.FALSE_PREMISE,))
    assert outcome.kept
    for question in outcome.kept:
        premise = question.false_premise
        assert premise.altered in question.question
        assert premise.altered not in question.answer
        assert premise.truth.replace(premise.original, premise.altered, 1) == premise.belief
    assert {body["temperature"] for body in server.requests} == {0.0, 0.7}


def test_the_same_run_twice_asks_nothing_again_and_gives_the_same_rows(
    stage: Any, bells: ParsedAct, make_author: Any
) -> None:
    first, _ = run(stage, bells, make_author())
    second, server = run(stage, bells, make_author())
    assert second.kept == first.kept
    assert second.rejected == first.rejected
    assert server.requests == []


def test_another_version_with_the_same_words_keeps_the_question_ids(
    stage: Any, make_law: Callable[..., ParsedAct], make_author: Any, bells: ParsedAct
) -> None:
    from dataclasses import replace  # the act is frozen: a new version is a new act

    act = bells.act.model_copy(update={"id": bells.act.id.replace("2090-01-01", "2091-01-01")})
    units = tuple(
        unit.model_copy(update={"act_id": act.id, "id": unit.id.replace("2090-01-01", "2091-01-01")})
        for unit in bells.units
    )
    first, _ = run(stage, bells, make_author())
    second, server = run(stage, replace(bells, act=act, units=units), make_author())
    assert [question.id for question in second.kept] == [question.id for question in first.kept]
    assert server.requests == []


def test_french_law_is_asked_about_in_french(stage: Any, cloches: ParsedAct, make_author: Any) -> None:
    outcome, server = run(stage, cloches, make_author(), categories=(Category.FACTUAL_RECALL,))
    assert len(outcome.kept) == 2
    assert {question.language for question in outcome.kept} == {"fr"}
    tasks = [body["messages"][-1]["content"] for body in server.requests if "écris" in str(body["messages"])]
    assert tasks
    assert all("Tâche :" in task for task in tasks)


def test_an_unsuitable_category_is_rejected_with_the_models_reason(
    stage: Any, bells: ParsedAct, make_author: Any
) -> None:
    def refuse(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        if name == "suitability" and "factual_recall" in answer:
            answer["factual_recall"] = {"reason": "No detail worth asking.", "suitable": False}
        return answer

    outcome, _ = run(stage, bells, make_author(refuse), categories=(Category.FACTUAL_RECALL,))
    assert outcome.kept == []
    assert {(row.reason, row.detail) for row in outcome.rejected} == {
        ("unsuitable", "No detail worth asking.")
    }


def test_one_malformed_reply_costs_one_row_only(stage: Any, bells: ParsedAct, make_author: Any) -> None:
    broken = []

    def break_one(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any] | str:
        if name == "factual_recall" and not broken:
            broken.append(name)
            return '{"evidence": ['
        return answer

    outcome, _ = run(stage, bells, make_author(break_one))
    malformed = [row for row in outcome.rejected if row.reason == "malformed_reply"]
    assert [row.raw for row in malformed] == ['{"evidence": [']
    assert Reason.MALFORMED_REPLY.is_malfunction
    assert outcome.counts.considered == 12
    assert outcome.kept


def test_an_unusable_suitability_reply_rejects_every_item_of_the_unit(
    stage: Any, bells: ParsedAct, make_author: Any
) -> None:
    def cut(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any] | ScriptedReply:
        return ScriptedReply(text="{", finish_reason="length") if name == "suitability" else answer

    outcome, _ = run(stage, bells, make_author(cut))
    assert outcome.kept == []
    assert outcome.counts.rejected == {"length": 12}


@pytest.mark.parametrize(
    ("verdict", "reason"), [("neutral", "not_supported"), ("contradiction", "contradicted")]
)
def test_an_answer_that_its_evidence_does_not_entail_is_rejected(
    stage: Any, bells: ParsedAct, make_author: Any, verdict: str, reason: str
) -> None:
    def judge(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        return {"verdict": verdict} if name == "entailment" else answer

    outcome, _ = run(stage, bells, make_author(judge))
    assert outcome.kept == []
    assert outcome.counts.rejected[reason] >= 6
    unchecked, server = run(stage, bells, make_author(judge), support_check=False)
    assert unchecked.kept
    assert "entailment" not in str(
        [body["response_format"]["json_schema"]["name"] for body in server.requests]
    )


def test_a_permanent_refusal_stops_the_stage(stage: Any, bells: ParsedAct, make_author: Any) -> None:
    def refuse(name: str, answer: dict[str, Any], body: dict[str, Any]) -> ScriptedReply:
        return ScriptedReply(status=401, message="wrong key")

    with pytest.raises(ModelRefusedError):
        run(stage, bells, make_author(refuse))


def test_what_does_not_change_is_sent_first(stage: Any, bells: ParsedAct, make_author: Any) -> None:
    _, server = run(stage, bells, make_author(), units_per_act=1)
    written = [
        body for body in server.requests if body["response_format"]["json_schema"]["name"] != "entailment"
    ]
    openings = {str(body["messages"][:-1]) for body in written}
    assert len(openings) == 1
    starts = {body["messages"][-1]["content"].partition("Task:")[0] for body in written}
    assert len(starts) == 1


def test_several_factual_questions_per_unit_ask_about_different_sentences(
    stage: Any, make_law: Callable[..., ParsedAct], make_author: Any
) -> None:
    law = make_law(
        [
            (
                "1",
                "Hours",
                [f"The ringer of tower {n} rings the bell for {n + 2} hours each day." for n in range(4)],
            )
        ]
    )
    outcome, _ = run(stage, law, make_author(), categories=(Category.FACTUAL_RECALL,), factual_per_unit=3)
    assert outcome.counts.considered == 3


def test_only_chosen_units_are_asked(stage: Any, bells: ParsedAct, make_author: Any) -> None:
    outcome, _ = run(stage, bells, make_author(), units_per_act=2)
    assert outcome.counts.considered == 2 * 4
