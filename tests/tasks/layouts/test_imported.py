"""Questions of a set in an act: quotations at real offsets, the same items as exported, or a reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claimrag.schemas.question import Category, Hop, Persona, ReviewStatus
from claimrag.schemas.reason import Reason
from claimrag.schemas.unit import UnitKind, UnitStatus
from claimrag.tasks.layouts.export import export_release
from claimrag.tasks.layouts.imported import IMPORTED, _without_evidence, import_into
from claimrag.tasks.layouts.published_words import Correctness
from claimrag.tasks.layouts.question_set import SetQuestion, read_question_set
from claimrag.tasks.occurrences import bind_questions


def asked(chunk: str, **more: Any) -> SetQuestion:
    given = {
        "query_id": "1",
        "query": "When does it open?",
        "relevant_chunk": chunk,
        "gt_answer": "At nine.",
        "correctness": None,
        "category": Category.FACTUAL_RECALL,
        "persona": Persona.CITIZEN,
    }
    return SetQuestion(**given | more)


@pytest.fixture
def bring(made_up_build: Any) -> Any:
    """Imports questions into the English law of the build."""
    act = made_up_build.acts[0]
    units = [one for one in made_up_build.units if one.act_id == act.id]
    contexts = [one for one in made_up_build.context_units if one.act_id == act.id]
    return lambda *questions, cut=contexts: import_into(
        act, units, made_up_build.texts[act.id], cut, questions
    )


def test_an_export_comes_back_as_the_same_questions_answers_and_evidence(release, made_up_build, tmp_path):
    export_release(release, "claimrag-law", str(tmp_path / "out"))
    for act in made_up_build.acts:
        (path,) = (tmp_path / "out").glob(f"*-{act.language}-rag.json")
        contexts = [one for one in made_up_build.context_units if one.act_id == act.id]
        units = [one for one in made_up_build.units if one.act_id == act.id]
        questions = read_question_set([Path(path)]).questions
        read = import_into(act, units, made_up_build.texts[act.id], contexts, questions)
        assert read.rejected == []
        before = {one.id: one for one in made_up_build.questions if one.language == act.language}
        assert {one.id for one in read.kept} == set(before)
        for one in read.kept:
            assert one.generated_by.model == one.generated_by.prompt_id == IMPORTED
            kept = {"generated_by": before[one.id].generated_by, "suitability_reason": None}
            assert one.model_copy(update=kept) == before[one.id].model_copy(update=kept)
        bound = bind_questions(read.kept, act, contexts).kept
        expected = [one for one in made_up_build.occurrences if one.act_id == act.id]
        assert {one.question_id: one for one in bound} == {one.question_id: one for one in expected}


def test_what_a_set_does_not_say_is_imported_and_unreviewed(bring):
    (one,) = bring(asked("The village  library opens at nine.", correctness=Correctness.CORRECT)).kept
    assert one.review is ReviewStatus.UNREVIEWED and one.rationale == IMPORTED
    assert one.generated_by.temperature is None and one.generated_by.temperature_note == IMPORTED
    (quotation,) = one.quotations
    assert quotation.text == "The village library opens at nine." and quotation.sentence == 1
    assert one.hop is Hop.SINGLE


def test_a_chunk_over_two_context_units_is_quoted_from_both_without_the_headings(bring, made_up_build):
    text = made_up_build.texts[made_up_build.acts[0].id]
    chunk = text[text.index("On Sundays") : text.index("Each book is")]
    (one,) = bring(asked(chunk)).kept
    assert one.hop is Hop.MULTI and len(one.context_unit_ids) == 2
    assert [quotation.text for quotation in one.quotations] == [
        "On Sundays it closes at noon.",
        "A reader may borrow four books.",
    ]
    assert [quotation.sentence for quotation in one.quotations] == [2, 1]


def test_evidence_in_one_unit_of_a_longer_chunk_is_single_hop(bring, made_up_build):
    chunk = made_up_build.texts[made_up_build.acts[0].id]
    (one,) = bring(asked(chunk, evidence=("A reader may borrow four books.",))).kept
    assert one.hop is Hop.SINGLE and len(one.context_unit_ids) == 1


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"chunk": "The library never closes."}, Reason.QUOTATION_NOT_FOUND),
        ({"chunk": "a", "correctness": Correctness.INCORRECT}, Reason.ANSWER_INCORRECT),
        ({"chunk": "A late book costs", "evidence": ("On Sundays",)}, Reason.QUOTATION_NOT_FOUND),
        ({"chunk": "book"}, Reason.AMBIGUOUS_EVIDENCE),
    ],
)
def test_a_question_that_cannot_be_placed_is_rejected_by_its_own_id(bring, more, reason):
    found = bring(asked(**more, query_id="GDPR-7"))
    assert found.kept == []
    assert [(one.item, one.reason, one.stage) for one in found.rejected] == [("GDPR-7", reason, "questions")]
    assert found.counts.considered == 1


def test_words_outside_every_context_unit_are_evidence_that_is_not_lost(bring, made_up_build):
    act, text = made_up_build.acts[0], made_up_build.texts[made_up_build.acts[0].id]
    cut = [one for one in made_up_build.context_units if one.act_id == act.id][1:]
    found = bring(asked("The village library opens at nine."), asked(text, query_id="2"), cut=cut)
    assert [one.reason for one in found.rejected] == [Reason.OUTSIDE_CONTEXT] * 2
    assert "CLAIMRAG_GENERATE__STRATEGY=p" in found.rejected[0].detail
    for gone in range(3):
        left = [one for number, one in enumerate(made_up_build.context_units[:3]) if number != gone]
        assert [one.reason for one in bring(asked(text), cut=left).rejected] == [Reason.OUTSIDE_CONTEXT]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"status": UnitStatus.ABROGATED}, None),
        ({"kind": UnitKind.TITLE_OF_ACT}, None),
        ({}, "* 1. *\n(2)"),
    ],
)
def test_what_no_question_rests_on_is_passed_over(changes, words, made_up_build):
    act, text = made_up_build.acts[0], made_up_build.texts[made_up_build.acts[0].id]
    first, gone, third = [
        one for one in made_up_build.units if one.act_id == act.id and one.kind is UnitKind.ARTICLE
    ]
    units = [one for one in made_up_build.units if one.act_id == act.id and one != gone]
    units.append(gone.model_copy(update=changes))
    contexts = [one for one in made_up_build.context_units if one.act_id == act.id]
    if words is not None:
        text = text[: gone.start] + words.rjust(gone.end - gone.start) + text[gone.end :]
    question = asked(text[first.start : third.end])
    (one,) = import_into(act, units, text, [contexts[0], contexts[2]], [question]).kept
    assert one.context_unit_ids == (contexts[0].id, contexts[2].id)


def test_what_holds_no_evidence_lies_one_after_another(made_up_build):
    act = made_up_build.acts[0]
    units = [one for one in made_up_build.units if one.act_id == act.id]
    around = max(units, key=lambda unit: unit.end - unit.start)
    chapter = around.model_copy(update={"status": UnitStatus.ABROGATED, "start": around.start})
    spans = list(_without_evidence([*units, chapter]))
    assert spans == [(chapter.start, chapter.end)]
    spans = list(_without_evidence(units))
    assert len(spans) == 3 and sorted(spans) == spans and all(start < end for start, end in spans)


def test_headings_alone_are_no_evidence(bring, made_up_build):
    heading = next(one for one in made_up_build.units if one.kind is UnitKind.ARTICLE)
    found = bring(asked(f"{heading.label}\n{heading.heading}"))
    assert [one.reason for one in found.rejected] == [Reason.OUTSIDE_CONTEXT]


def test_the_same_question_twice_is_one(bring):
    chunk = "The village library opens at nine."
    found = bring(asked(chunk), asked(chunk, query_id="2"))
    assert len(found.kept) == 1
    assert [(one.item, one.reason) for one in found.rejected] == [("2", Reason.DUPLICATE)]


def test_what_a_set_says_stays_data(bring, tmp_path):
    hostile = "{{ 7 * 7 }} \x1b[2J '; DROP TABLE =cmd()"
    item = {
        "query_id": hostile,
        "query": hostile,
        "relevant_chunk": "The village library opens at nine.",
        "gt_answer": hostile,
        "question_category": "cg2",
        "persona": "p1",
    }
    path = tmp_path / "set.json"
    path.write_text(json.dumps([item]), encoding="utf-8")
    (one,) = bring(*read_question_set([path]).questions).kept
    assert one.question == one.answer == hostile
