"""Repeated questions: the same result as comparing each with all others, in a fraction of the time."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from claimrag.schemas.question import Category, Hop, ModelTrace, Persona, Question
from claimrag.tasks.generate.duplicates import drop_duplicates
from claimrag.tasks.generate.wording import folded, stems

TRACE = ModelTrace(model="m", temperature=0.0, seed=1, prompt_id="p", prompt_hash="h", request_key="k")
WORDS = ("ringer", "reports", "broken", "bells", "mayor", "tower", "sixth", "ropes", "village", "lantern")


def ask(
    number: int,
    words: str,
    *,
    units: tuple[str, ...] = ("ctx_1",),
    category: Category = Category.FACTUAL_RECALL,
    law: str = "eu/1",
    language: str = "en",
) -> Question:
    return Question(
        id=f"q_{number:05d}",
        law_id=law,
        context_unit_ids=units,
        context_sha256="0" * 64,
        hop=Hop.SINGLE,
        category=category,
        persona=Persona.CITIZEN,
        language=language,
        question=words,
        answer="It rings.",
        rationale="It says so.",
        quotations=(),
        generated_by=TRACE,
    )


def compared_with_all(questions: list[Question]) -> list[tuple[str, str, str]]:
    """The definition: (repeated, reason, original), by comparing each question with all that were kept."""
    kept: list[Question] = []
    found = []
    for question in questions:
        for other in kept:
            if (question.law_id, question.language) == (other.law_id, other.language) and folded(
                question.question
            ) == folded(other.question):
                found.append((question.id, "duplicate", other.id))
                break
        else:
            near = next((other for other in kept if nearly_equal(question, other)), None)
            if near is None:
                kept.append(question)
            else:
                found.append((question.id, "near_duplicate", near.id))
    return found


def nearly_equal(one: Question, other: Question) -> bool:
    if one.context_unit_ids != other.context_unit_ids:
        return False
    if (one.category is Category.FALSE_PREMISE) != (other.category is Category.FALSE_PREMISE):
        return False
    a, b = stems(one.question), stems(other.question)
    return bool(a | b) and len(a & b) / len(a | b) >= 0.8


QUESTIONS = st.lists(
    st.builds(
        lambda words, tail, units, category, law: (" ".join(words) + tail, units, category, law),
        st.lists(st.sampled_from(WORDS), max_size=11),
        st.sampled_from([" ?", "?", " in it?"]),
        st.sampled_from([("ctx_1",), ("ctx_2",), ("ctx_1", "ctx_2")]),
        st.sampled_from([Category.FALSE_PREMISE, Category.FACTUAL_RECALL, Category.GENERAL_RESEARCH]),
        st.sampled_from([("eu/1", "en"), ("eu/2", "en"), ("eu/1", "fr")]),
    ),
    max_size=25,
)


@settings(deadline=None, max_examples=120)
@given(drawn=QUESTIONS)
def test_the_index_finds_what_comparing_all_finds(drawn: list[tuple]) -> None:
    questions = [
        ask(number, words, units=units, category=category, law=law, language=language)
        for number, (words, units, category, (law, language)) in enumerate(drawn)
    ]
    outcome = drop_duplicates(questions)
    expected = compared_with_all(questions)
    found = [(row.item, row.reason.value, row.detail.split()[3].rstrip(":")) for row in outcome.rejected]
    assert found == expected
    repeated = {item for item, _, _ in expected}
    assert outcome.kept == [question for question in questions if question.id not in repeated]


@settings(deadline=None, max_examples=80)
@given(sets=st.lists(st.sets(st.integers(0, 12), max_size=12), min_size=2, max_size=12))
def test_word_sets_of_every_size_are_found(sets: list[set[int]]) -> None:
    questions = [ask(n, " ".join(f"word {i + 10}" for i in sorted(one))) for n, one in enumerate(sets)]
    assert len(drop_duplicates(questions).rejected) == len(compared_with_all(questions))


def test_four_fifths_of_the_words_is_nearly_equal_and_less_is_not() -> None:
    first = ask(1, "Ringer reports broken bells")
    near = ask(2, "Ringer reports broken bells tower")
    far = ask(3, "Ringer reports broken tower village lantern")
    outcome = drop_duplicates([first, near, far])
    assert outcome.kept == [first, far]
    (row,) = outcome.rejected
    assert (row.stage, row.item, row.reason) == ("generate", "q_00002", "near_duplicate")
    assert row.detail == "The question repeats q_00001: Ringer reports broken bells"
    assert Question.model_validate_json(row.raw) == near


def test_a_question_without_content_words_is_near_to_nothing() -> None:
    questions = [ask(1, "Is it so?"), ask(2, "Was it so?"), ask(3, "is it SO")]
    outcome = drop_duplicates(questions)
    assert [row.item for row in outcome.rejected] == ["q_00003"]
    assert [row.reason for row in outcome.rejected] == ["duplicate"]


def test_words_that_were_rejected_as_near_do_not_make_a_later_question_a_duplicate() -> None:
    first = ask(1, "Ringer reports broken bells")
    near = ask(2, "Ringer reports broken bells tower")
    elsewhere = ask(3, "Ringer reports broken bells tower", units=("ctx_2",))
    assert drop_duplicates([first, near, elsewhere]).kept == [first, elsewhere]


def test_many_questions_take_seconds_even_about_one_provision() -> None:
    questions = [
        ask(
            number,
            f"What must ringer name{number} of tower town{number} report about broken bells to mayors?",
        )
        for number in range(8_000)
    ]
    begun = time.process_time()
    assert len(drop_duplicates(questions).kept) == len(questions)
    assert time.process_time() - begun < 4
