"""Single-hop generation through the real gateway and a scripted model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from scripted_model import ScriptedReply

from claimrag import prompts
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.errors import ModelRefusedError
from claimrag.schemas.question import Category, Hop
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import StageCounts
from claimrag.tasks.generate import multi_hop, single_hop

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
        trace = question.generated_by
        assert trace.prompt_id == f"generate/{question.category.value}"
        assert trace.prompt_hash == prompts.load(trace.prompt_id, "en").hash
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


def test_progress_counts_the_units(stage: Any, bells: ParsedAct, make_author: Any) -> None:
    counted: list[tuple[int, int]] = []
    run(stage, bells, make_author(), on_progress=lambda done, total: counted.append((done, total)))
    assert counted == [(1, 3), (2, 3), (3, 3)]


def test_the_calls_of_a_unit_follow_one_another(stage: Any, bells: ParsedAct, make_author: Any) -> None:
    _, server = run(stage, bells, make_author(), model={"max_in_flight": 1})
    names = [body["response_format"]["json_schema"]["name"] for body in server.requests]
    shown = [str(body["messages"]) for body in server.requests]
    first = ["suitability", "general_research", "entailment", "factual_recall", "entailment"]
    assert names[:5] == first
    headings = [next((n for n in (1, 2, 3) if f"Article {n}:" in one), 0) for one in shown]
    units = [number for number in headings if number]
    assert units == sorted(units)


def test_what_takes_the_processor_leaves_the_event_loop(
    stage: Any, bells: ParsedAct, make_author: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    places: dict[str, set[bool]] = {}

    def watched(module: Any, name: str) -> None:
        work = getattr(module, name)

        def run_watched(*arguments: Any, **options: Any) -> Any:
            in_main = threading.current_thread() is threading.main_thread()
            places.setdefault(name, set()).add(in_main)
            return work(*arguments, **options)

        monkeypatch.setattr(module, name, run_watched)

    for name in ("plan_items", "drop_duplicates"):
        watched(single_hop, name)
    for name in ("choose_windows", "linked_statements", "drop_duplicates"):
        watched(multi_hop, name)
    run(stage, bells, make_author())
    run(stage, bells, make_author(), hop="multi")
    names = ("plan_items", "drop_duplicates", "choose_windows", "linked_statements")
    assert places == {name: {False} for name in names}


def test_each_category_is_asked_with_what_its_prompt_needs(
    stage: Any, bells: ParsedAct, make_author: Any
) -> None:
    _, server = run(stage, bells, make_author(), units_per_act=None)
    tasks: dict[str, list[str]] = {}
    for body in server.requests:
        name = body["response_format"]["json_schema"]["name"]
        tasks.setdefault(name, []).append(body["messages"][-1]["content"].rpartition("Task: ")[2])
    assert any(
        'The detail is "six hours"' in one or 'The detail is "1 March 2090"' in one
        for one in tasks["factual_recall"]
    )
    assert any('The detail is "40 euros"' in one for one in tasks["factual_recall"])
    assert any('where the law says "six hours"' in one for one in tasks["false_premise"])
    assert all("Begin the question with" in one for one in tasks["general_research"])
    assert any("shall apply from 1 May 2091" in one for one in tasks["jurisdiction_time"])


def test_a_question_why_is_refused_unless_its_premise_is_false(
    stage: Any, bells: ParsedAct, make_author: Any
) -> None:
    def ask_why(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        if name == "factual_recall":
            return answer | {"question": answer["question"].replace("How", "Why")}
        return answer

    outcome, _ = run(stage, bells, make_author(ask_why))
    assert outcome.counts.rejected["asks_for_a_reason"] == 3
    assert Category.FALSE_PREMISE in {question.category for question in outcome.kept}


def test_a_factual_question_that_says_its_detail_is_refused(
    stage: Any, bells: ParsedAct, make_author: Any
) -> None:
    def reveal(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        if name == "factual_recall":
            return answer | {
                "question": f"How is it that {answer['answer'].rstrip('.')} ?",
                "answer": "It is 77 bells.",
            }
        return answer

    outcome, _ = run(stage, bells, make_author(reveal), categories=(Category.FACTUAL_RECALL,))
    assert outcome.counts.rejected["answer_in_question"] == 3


def test_the_same_question_about_two_provisions_is_one_row(
    stage: Any, make_law: Callable[..., ParsedAct], make_author: Any
) -> None:
    law = make_law(
        [
            (str(n), "Bells", [f"The ringer rings the great bell of the village for 3 hours in {m}."])
            for n, m in ((1, "May"), (2, "June"))
        ]
    )

    def same(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        if name == "factual_recall":
            return answer | {"question": "How long does the ringer ring the great bell of the village?"}
        return answer

    outcome, _ = run(stage, law, make_author(same), categories=(Category.FACTUAL_RECALL,))
    assert len(outcome.kept) == 1
    assert outcome.counts.rejected == {"duplicate": 1}
