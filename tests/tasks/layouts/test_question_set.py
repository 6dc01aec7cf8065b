"""Question files of a set: what is read, and what is refused with file, row and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claimrag.schemas.errors import InputError
from claimrag.schemas.question import Category, Persona
from claimrag.tasks.layouts import question_set
from claimrag.tasks.layouts.published_words import Correctness, category_of, correctness_of, persona_of
from claimrag.tasks.layouts.question_set import read_question_set

ITEM: dict[str, Any] = {
    "query_id": "GDPR-1",
    "query": "When does the library open?",
    "relevant_chunk": "The library opens at nine.",
    "gt_answer": "At nine.",
    "answer_correctness": "Partially Correct",
    "question_category": "Jurisdiction/time-specific",
    "persona": "Civil officer",
}
PREMISE = {
    "kind": "number",
    "sentence": 1,
    "original": "nine",
    "altered": "ten",
    "truth": "It opens at nine.",
    "belief": "It opens at ten.",
}


def written(value: Any, name: str = "set.json") -> Path:
    path = Path(name)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def test_a_file_of_the_set_is_read_and_unknown_fields_are_passed_over() -> None:
    (one,) = read_question_set([written({"input_data": [ITEM | {"page": 3}], "more": 1})]).questions
    assert one.correctness is Correctness.PARTIALLY_CORRECT
    assert one.category is Category.JURISDICTION_TIME and one.persona is Persona.CIVIL_OFFICER
    assert one.evidence == () and one.rationale is None and one.false_premise is None
    ours = {"evidence": ["opens at nine"], "rationale": "So it says.", "false_premise": PREMISE}
    (two,) = read_question_set([written([ITEM | {"claimrag": ours, "answer_correctness": None}])]).questions
    assert two.correctness is None and two.evidence == ("opens at nine",)
    assert two.false_premise is not None and two.false_premise.altered == "ten"


def test_several_files_are_one_set() -> None:
    first, second = written([ITEM]), written([ITEM | {"query_id": "GDPR-2"}], "more.json")
    read = read_question_set([first, second])
    assert [one.query_id for one in read.questions] == ["GDPR-1", "GDPR-2"] and len(read.files) == 2
    with pytest.raises(InputError, match=r"more\.json, row 1: query_id 'GDPR-1' is there twice"):
        read_question_set([first, written([ITEM, ITEM], "more.json")])
    with pytest.raises(InputError, match=r"set\.json was named twice"):
        read_question_set([first, first])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"query": None}, "field query: it is absent"),
        ({"query": 5}, "field query: it is no text"),
        ({"gt_answer": " \n"}, "field gt_answer: it is blank"),
        ({"query_id": "x" * 201}, "field query_id: it has more than 200 characters"),
        ({"relevant_chunk": "x" * 500_001}, "field relevant_chunk: it has more than 500,000 characters"),
        ({"query": "\ud800"}, "field query: it holds half a character"),
        ({"persona": "King"}, "field persona: 'King' is none of Citizen, Civil officer, Legal expert"),
        ({"question_category": "CG5"}, "field question_category: 'CG5' is none of General legal research"),
        ({"answer_correctness": "Maybe"}, "field answer_correctness: 'Maybe' is none of Correct"),
        ({"answer_correctness": True}, "field answer_correctness: it is no text"),
        ({"claimrag": "x"}, "field claimrag: it is no object"),
        ({"claimrag": {"evidence": "x"}}, "field claimrag.evidence: it is no list"),
        ({"claimrag": {"evidence": ["x"] * 201}}, "field claimrag.evidence: it is no list of at most 200"),
        ({"claimrag": {"evidence": [1]}}, "field claimrag.evidence: it is no text"),
        ({"claimrag": {"rationale": []}}, "field claimrag.rationale: it is no text"),
        ({"claimrag": {"false_premise": {}}}, "field claimrag.false_premise.kind: Field required"),
    ],
)
def test_a_wrong_field_is_named_with_its_file_and_row(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as refused:
        read_question_set([written({"input_data": [ITEM | {"query_id": "other"}, ITEM | changes]})])
    assert str(refused.value).startswith("set.json, row 2, ") and words in str(refused.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is no JSON in UTF-8"),
        ("{", "is no JSON in UTF-8"),
        ("[" * 100_000, "is no JSON in UTF-8"),
        ("[NaN]", "NaN is no number of JSON"),
        ("5", "no list of questions under 'input_data'"),
        ('{"input_data": {}}', "no list of questions under 'input_data'"),
        ("[]", "there is no question in it"),
        ("[5]", "row 1: it is no object"),
        ('[{"claims": []}]', "holds claims"),
    ],
)
def test_a_file_of_another_shape_is_refused(text: str, words: str) -> None:
    with pytest.raises(InputError, match=r"set\.json") as refused:
        read_question_set([written(text)])
    assert words in str(refused.value)


def test_files_that_cannot_be_read_or_are_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"no\.json cannot be read: No such file"):
        read_question_set([Path("no.json")])
    Path("latin.json").write_bytes(b'["\xe9"]')
    with pytest.raises(InputError, match=r"latin\.json is no JSON in UTF-8"):
        read_question_set([Path("latin.json")])
    path = written([ITEM, ITEM | {"query_id": "2"}])
    with monkeypatch.context() as patch:
        patch.setattr(question_set, "MOST_ROWS", 1)
        with pytest.raises(InputError, match="more than 1 questions"):
            read_question_set([path])
    monkeypatch.setattr(question_set, "MOST_BYTES", path.stat().st_size - 1)
    with pytest.raises(InputError, match="MiB"):
        read_question_set([path])


@pytest.mark.parametrize("category", list(Category))
def test_a_category_is_known_by_each_of_its_names(category: Category) -> None:
    number = list(Category).index(category) + 1
    assert category_of(f"cg{number}") is category_of(category.value) is category
    assert category_of(category.value.replace("_", " ").upper()) is category


def test_personas_and_findings_are_known_by_each_of_their_names() -> None:
    assert [persona_of(f"P{number}") for number in (1, 2, 3)] == list(Persona)
    assert persona_of("legal-expert") is Persona.LEGAL_EXPERT and persona_of("P4") is None
    assert correctness_of("partially correct") is Correctness.PARTIALLY_CORRECT
