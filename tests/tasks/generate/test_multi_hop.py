"""Multi-hop generation: two units must be needed, by evidence and by test."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.errors import SettingsError
from claimrag.schemas.question import Category, Hop


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


def test_a_half_that_is_no_question_rejects_the_question(
    stage: Any, bells: ParsedAct, make_author: Any
) -> None:
    outcome, _ = run(stage, bells, author_of(make_author, question="The village pays the ringer a fee."))
    assert outcome.counts.rejected == {"not_a_question": 1}


def test_an_unsupported_half_rejects_the_question(stage: Any, bells: ParsedAct, make_author: Any) -> None:
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


LARGE = {"units_in_window": None, "windows_per_act": None}
TOWERS = [
    (
        str(n),
        "Bells",
        [f"Tower number {n} of the {place} rings its {metal} bell for {n} hours on feast days."],
    )
    for n, (place, metal) in enumerate(
        [
            ("market", "copper"),
            ("harbour", "silver"),
            ("monastery", "golden"),
            ("bridge", "tin"),
            ("orchard", "zinc"),
        ],
        start=2,
    )
]


def large(make_author: Any, support: str = "entailment", alone: str = "neutral", **changes: Any) -> Any:
    """A good question about two of five provisions, with `changes`; what is said of one provision alone."""

    def write(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        if name != "multi_hop":
            heading = body["messages"][-1]["content"].startswith("Premise: Article")
            return {"verdict": alone if heading else support}
        return {
            "evidence": ["3.1", "1.1"],
            "question": "How long do the market tower and the monastery tower ring on feast days?",
            "answer": "The market tower rings its copper bell for some hours, the monastery its golden one for more.",
            "rationale": "Each rule states one tower's hours.",
        } | changes

    return make_author(write)


def test_a_large_window_is_left_to_the_model_and_checked(stage: Any, make_law: Any, make_author: Any) -> None:
    law = make_law(TOWERS)
    outcome, server = run(stage, law, large(make_author), **LARGE)
    (question,) = outcome.kept
    assert (question.hop, question.category) == (Hop.MULTI, Category.GENERAL_RESEARCH)
    assert [one.text for one in question.quotations] == [
        "1. Tower number 2 of the market rings its copper bell for 2 hours on feast days.",
        "1. Tower number 4 of the monastery rings its golden bell for 4 hours on feast days.",
    ]
    assert len(question.context_unit_ids) == 5
    assert question.false_premise is None and question.suitability_reason is None
    assert question.generated_by.prompt_id == "generate/multi_hop"
    names = [body["response_format"]["json_schema"]["name"] for body in server.requests]
    assert names == ["multi_hop", "entailment", "entailment", "entailment"]
    schema = server.requests[0]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["evidence"]["items"] == {
        "type": "string",
        "enum": ["1.1", "2.1", "3.1", "4.1", "5.1"],
    }
    support = server.requests[1]["messages"][-1]["content"]
    assert "Hypothesis: How long do" in support and "for more." in support
    assert "market" in support.split("Hypothesis")[0] and "monastery" in support.split("Hypothesis")[0]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"support": "neutral"}, "not_supported"),
        ({"support": "contradiction"}, "contradicted"),
        ({"alone": "entailment"}, "answerable_from_one_unit"),
        ({"evidence": ["1.1", "1.1"]}, "single_unit_evidence"),
        ({"question": "How long do the market tower and the monastery tower ring?!"}, "not_a_question"),
        (
            {"answer": "The market tower rings its copper bell, the monastery for 99 hours."},
            "answer_beyond_evidence",
        ),
        ({"answer": "The market tower rings its bell for hours."}, "single_unit_evidence"),
    ],
)
def test_a_large_window_is_checked_as_every_multi_hop_question(
    stage: Any, make_law: Any, make_author: Any, options: dict[str, Any], reason: str
) -> None:
    law = make_law(TOWERS)
    outcome, _ = run(stage, law, large(make_author, **options), **LARGE)
    assert outcome.kept == []
    (row,) = outcome.rejected
    assert (row.reason, row.stage) == (reason, "generate")
    assert len(row.item.split("+")) == 5
    assert "Each rule states" in row.raw
    unchecked, _ = run(
        stage, law, large(make_author, **options), **LARGE, support_check=False, necessity_check=False
    )
    assert len(unchecked.kept) == (reason in ("not_supported", "contradicted", "answerable_from_one_unit"))


def test_a_number_that_one_provision_lacks_settles_that_both_are_needed(
    stage: Any, make_law: Any, make_author: Any
) -> None:
    answer = "The market tower rings its bell for 2 hours. The monastery tower rings its bell for 4 hours."
    author = large(make_author, alone="entailment", answer=answer)
    outcome, server = run(stage, make_law(TOWERS), author, **LARGE)
    assert len(outcome.kept) == 1
    assert len(server.requests) == 2


def window_sizes(outcome: Any) -> list[int]:
    rows = [question.context_unit_ids for question in outcome.kept]
    return sorted(map(len, [*rows, *(row.item.split("+") for row in outcome.rejected)]), reverse=True)


@pytest.mark.parametrize(
    ("settings", "context_tokens", "sizes"),
    [
        ({"window_tokens": 700, "reserved_tokens": 100}, None, [5]),
        ({"window_tokens": 700, "reserved_tokens": 200}, None, [4]),
        ({"window_tokens": 700, "reserved_tokens": 400}, None, [2, 2]),
        ({"window_tokens": 600, "reserved_tokens": 100}, None, [4]),
        ({"window_tokens": 700, "reserved_tokens": 100}, 2750, [4]),
        ({"window_tokens": 700, "reserved_tokens": 100}, 2700, [3, 2]),
        ({"window_tokens": 700, "reserved_tokens": 100, "max_tokens": 900}, 2750, [3, 2]),
        ({"window_tokens": 700, "reserved_tokens": 100, "max_tokens": 900}, 2700, [2, 2]),
        ({"window_tokens": 700, "reserved_tokens": 400}, 9000, [2, 2]),
    ],
)
def test_a_window_leaves_room_for_what_is_reserved_and_fits_into_the_models_context(
    stage: Any,
    make_law: Any,
    make_author: Any,
    settings: dict[str, int],
    context_tokens: int | None,
    sizes: list[int],
) -> None:
    words = " ".join(f"rope{number}" for number in range(111))
    law = make_law([(str(n), "Ropes", [f"Tower {n} keeps {words}."]) for n in range(1, 6)])  # 115 tokens each
    model = {"context_tokens": context_tokens} if context_tokens else {}
    author = large(make_author, question="no question at all")
    outcome, _ = run(stage, law, author, **LARGE, **settings, model=model)
    assert window_sizes(outcome) == sizes


def test_a_context_without_room_for_a_law_is_refused_by_its_settings(
    stage: Any, bells: ParsedAct, make_author: Any
) -> None:
    message = "generate.reserved_tokens.*context of 1900 tokens.*generate.multi_hop = false"
    with pytest.raises(SettingsError, match=message):
        run(stage, bells, make_author(), max_tokens=700, model={"context_tokens": 1900})
    run(stage, bells, make_author(), max_tokens=700, model={"context_tokens": 1902})


def test_progress_counts_windows_and_the_limit_of_windows_holds(
    stage: Any, make_law: Any, make_author: Any
) -> None:
    law = make_law(TOWERS)
    counted: list[tuple[int, int]] = []
    outcome, _ = run(
        stage,
        law,
        author_of(make_author),
        units_in_window=2,
        windows_per_act=2,
        on_progress=lambda done, total: counted.append((done, total)),
    )
    assert counted == [(1, 2), (2, 2)]
    assert outcome.counts.considered == 2


def test_two_windows_with_the_same_question_give_one_row(stage: Any, make_law: Any, make_author: Any) -> None:
    again = [(f"1{number}", heading, words) for number, heading, words in TOWERS[:4]]
    law = make_law([*TOWERS[:4], *again])
    outcome, _ = run(stage, law, large(make_author), units_in_window=4, windows_per_act=None)
    assert len(outcome.kept) == 1
    assert outcome.counts.rejected == {"duplicate": 1}


def test_an_act_of_one_unit_has_no_window(stage: Any, make_law: Any, make_author: Any) -> None:
    outcome, server = run(
        stage, make_law([("1", "Bells", ["The ringer rings the bell at noon."])]), make_author()
    )
    assert outcome.counts.considered == 0
    assert server.requests == []


KEYS = [
    ("1", "Keys", ["The ringer of the village keeps the key of the bell tower in the town hall."]),
    ("2", "Ropes", ["The ringer of the village oils the rope of the great bell each spring."]),
]


def halves(make_author: Any, **second: Any) -> Any:
    """The first half as it should be, the second with changes."""

    def write(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        if name != "factual_recall":
            return answer
        if "keeps the key" in body["messages"][-1]["content"].rpartition("Task:")[2]:
            return {
                "evidence": [1],
                "question": "Where must the village ringer keep the tower key ?",
                "answer": "The ringer keeps it in the town hall",
                "rationale": "It says where",
            }
        return {
            "evidence": [1],
            "question": "When does the village ringer treat the bell rope?",
            "answer": "The ringer oils it each spring.",
            "rationale": "It says when.",
        } | second

    return make_author(write)


def test_two_halves_are_joined_to_one_question_and_one_answer(
    stage: Any, make_law: Any, make_author: Any
) -> None:
    outcome, server = run(stage, make_law(KEYS), halves(make_author))
    (question,) = outcome.kept
    joined = "Where must the village ringer keep the tower key, and when does the village ringer treat the bell rope?"
    assert question.question == joined
    assert question.answer == "The ringer keeps it in the town hall. The ringer oils it each spring."
    assert question.rationale == "It says where… It says when."
    assert [one.sentence for one in question.quotations] == [1, 1]
    asked = [body for body in server.requests if "evidence" in str(body["response_format"])]
    assert len({body["seed"] for body in asked}) == 2
    assert question.generated_by.seed == asked[0]["seed"]
    assert question.generated_by.prompt_id == "generate/factual_recall"


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        ({"question": "Where must one put some other thing?"}, "too_vague"),
        ({"question": "When does this provision treat the bell rope?"}, "refers_to_unseen_text"),
        ({"answer": "The ringer oils it within 99 days."}, "answer_beyond_evidence"),
        ({"answer": "Il faut le faire dans la commune au printemps et la nuit."}, "wrong_language"),
    ],
)
def test_a_defect_of_either_half_rejects_the_question(
    stage: Any, make_law: Any, make_author: Any, second: dict[str, str], reason: str
) -> None:
    outcome, _ = run(stage, make_law(KEYS), halves(make_author, **second))
    assert outcome.kept == []
    assert outcome.counts.rejected == {reason: 1}
    assert [row.item.count("+") for row in outcome.rejected] == [1]


TIMES = [
    ("1", "Keys", ["The ringer of the village keeps the key for 3 days or for 4 weeks in winter."]),
    ("2", "Ropes", ["The ringer of the village oils the rope of the great bell for 5 days."]),
]


def test_a_half_asks_for_the_last_quantity_of_its_statement(
    stage: Any, make_law: Any, make_author: Any
) -> None:
    outcome, server = run(stage, make_law(TIMES), author_of(make_author))
    asked = " ".join(body["messages"][-1]["content"] for body in server.requests)
    assert 'The detail is "4 weeks"' in asked
    assert 'The detail is "5 days"' in asked
    assert len(outcome.kept) == 1


def test_a_half_that_leaves_its_detail_out_rejects_the_question(
    stage: Any, make_law: Any, make_author: Any
) -> None:
    silent = author_of(make_author, answer="The ringer does so until winter ends once more.")
    outcome, _ = run(stage, make_law(TIMES), silent)
    assert outcome.counts.rejected == {"detail_not_stated": 1}
