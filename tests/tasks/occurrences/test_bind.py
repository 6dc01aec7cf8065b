"""Questions bound to a version of an act: exact places, what does not hold, one row per question."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.errors import SourceError
from claimrag.schemas.question import Question
from claimrag.tasks.occurrences import bind_questions

MakeQuestion = Callable[..., Question]
MakeContexts = Callable[[ParsedAct], list[ContextUnit]]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_evidence_slices_the_text_of_its_version_exactly(
    first_version: ParsedAct,
    second_version: ParsedAct,
    make_question: MakeQuestion,
    make_contexts: MakeContexts,
    data: st.DataObject,
) -> None:
    asked_of = make_contexts(first_version)
    spans = []
    for _ in range(data.draw(st.integers(1, 3))):
        context = data.draw(st.sampled_from(asked_of))
        start = data.draw(st.integers(0, len(context.text) - 1))
        spans.append((context, start, data.draw(st.integers(start + 1, len(context.text)))))
    question = make_question(1, *spans)
    for law in (first_version, second_version):
        units = {unit.id: unit for unit in law.units}
        contexts = {context.id: context for context in make_contexts(law)}
        outcome = bind_questions([question], law.act, list(contexts.values()))
        holds = set(question.context_unit_ids) <= set(contexts)
        assert (len(outcome.kept), len(outcome.rejected)) == ((1, 0) if holds else (0, 1))
        for occurrence in outcome.kept:
            assert (occurrence.question_id, occurrence.act_id) == (question.id, law.act.id)
            for evidence, quotation in zip(occurrence.evidence, question.quotations, strict=True):
                assert law.text[evidence.start : evidence.end] == evidence.quotation == quotation.text
                assert evidence.sentence == quotation.sentence
                assert evidence.context_unit_id == quotation.context_unit_id
                assert contexts[evidence.context_unit_id].start <= evidence.start
                assert units[evidence.unit_id].start <= evidence.start


def test_evidence_names_the_innermost_unit_at_its_place(
    first_version: ParsedAct, make_question: MakeQuestion, make_contexts: MakeContexts
) -> None:
    keys, fees = make_contexts(first_version)
    places = {"It hangs": 1, "a rope": 1, "a clapper": 1, "A bell has": 1}
    spans = [(keys, keys.text.index(words), keys.text.index(words) + 4) for words in places]
    question = make_question(1, *spans, (fees, 0, 4))
    (occurrence,) = bind_questions([question], first_version.act, [keys, fees]).kept
    assert [one.unit_id.split("#")[1] for one in occurrence.evidence] == [
        "art_1.par_1",
        "art_1.par_2.pnt_a",
        "art_1.par_2.pnt_b",
        "art_1.par_2",
        "art_2.par_1",
    ]


def test_words_between_two_sentences_are_of_the_one_before(
    first_version: ParsedAct, make_question: MakeQuestion, make_contexts: MakeContexts
) -> None:
    keys = make_contexts(first_version)[0]
    gap = keys.text.index("\n", keys.text.index("has:"))
    (occurrence,) = bind_questions([make_question(1, (keys, gap, gap + 4))], first_version.act, [keys]).kept
    assert occurrence.evidence[0].unit_id.endswith("#art_1.par_2")
    bare = keys.model_copy(update={"sentences": ()})
    (occurrence,) = bind_questions([make_question(1, (keys, gap, gap + 4))], first_version.act, [bare]).kept
    assert occurrence.evidence[0].unit_id == keys.unit_ids[0]


def test_a_question_about_words_that_changed_is_rejected_with_the_first_absent_context_unit(
    first_version: ParsedAct,
    second_version: ParsedAct,
    make_question: MakeQuestion,
    make_contexts: MakeContexts,
) -> None:
    keys, fees = make_contexts(first_version)
    about_both = make_question(2, (keys, 0, 5), (fees, 0, 5))
    about_keys = make_question(1, (keys, 0, 5))
    outcome = bind_questions([about_both, about_keys], second_version.act, make_contexts(second_version))
    assert [one.question_id for one in outcome.kept] == ["q_001"]
    (row,) = outcome.rejected
    assert (row.stage, row.item, row.reason, row.raw) == (
        "occurrences",
        "q_002",
        "not_in_this_version",
        fees.id,
    )
    assert second_version.act.id in row.detail
    assert fees.id in row.detail
    assert not row.reason.is_malfunction
    nothing = bind_questions([about_both], second_version.act, [])
    assert [row.raw for row in nothing.rejected] == [keys.id]


def test_a_quotation_of_a_unit_that_the_question_does_not_name_must_stand_there_too(
    first_version: ParsedAct, make_question: MakeQuestion, make_contexts: MakeContexts
) -> None:
    keys, fees = make_contexts(first_version)
    question = make_question(1, (keys, 0, 5), (fees, 0, 5)).model_copy(
        update={"context_unit_ids": (keys.id,)}
    )
    outcome = bind_questions([question], first_version.act, [keys])
    assert [row.raw for row in outcome.rejected] == [fees.id]


def test_occurrences_stand_in_the_order_of_the_text_then_of_ids_whatever_the_order_given(
    first_version: ParsedAct, make_question: MakeQuestion, make_contexts: MakeContexts
) -> None:
    keys, fees = make_contexts(first_version)
    questions = [
        make_question(4, (keys, 0, 5)),
        make_question(3, (fees, 0, 5), (keys, 9, 12)),
        make_question(2, (fees, 0, 9)),
        make_question(1, (fees, 0, 5)),
    ]
    for given_order in permutations(questions):
        outcome = bind_questions(given_order, first_version.act, [fees, keys])
        assert [one.question_id for one in outcome.kept] == ["q_004", "q_003", "q_001", "q_002"]


def test_a_question_without_quotations_stands_at_its_first_context_unit(
    first_version: ParsedAct, make_question: MakeQuestion, make_contexts: MakeContexts
) -> None:
    keys, fees = make_contexts(first_version)
    bare = make_question(1, (fees, 0, 5)).model_copy(update={"quotations": ()})
    outcome = bind_questions([bare, make_question(2, (keys, 3, 5))], first_version.act, [keys, fees])
    assert [(one.question_id, len(one.evidence)) for one in outcome.kept] == [("q_002", 1), ("q_001", 0)]


def test_one_question_of_two_tables_is_bound_once_by_its_first_row(
    first_version: ParsedAct, make_question: MakeQuestion, make_contexts: MakeContexts
) -> None:
    keys, fees = make_contexts(first_version)
    first, again = make_question(1, (keys, 0, 5)), make_question(1, (keys, 4, 9))
    outcome = bind_questions(iter([first, again]), first_version.act, [keys])
    assert [one.evidence[0].start for one in outcome.kept] == [keys.start]
    lost = bind_questions([make_question(2, (fees, 0, 5))] * 2, first_version.act, [keys])
    assert lost.counts.considered == 1


def test_context_units_of_another_act_and_quotations_that_are_not_there_are_refused(
    first_version: ParsedAct,
    second_version: ParsedAct,
    make_question: MakeQuestion,
    make_contexts: MakeContexts,
) -> None:
    keys = make_contexts(first_version)[0]
    question = make_question(1, (keys, 0, 5))
    with pytest.raises(SourceError, match="segment the act again"):
        bind_questions([question], second_version.act, [keys])
    moved = question.quotations[0].model_copy(update={"start": 1, "end": 6})
    with pytest.raises(SourceError, match="q_001: its quotation 1:6 does not stand in context unit"):
        bind_questions([question.model_copy(update={"quotations": (moved,)})], first_version.act, [keys])
