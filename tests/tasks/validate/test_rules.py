"""Each rule holds on sound rows, and a spoiled row breaks the rule that is about it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claimrag.schemas.act import Act
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.claim import Claim, Label
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.decision import Decision
from claimrag.schemas.question import Hop, Question, ReviewStatus
from claimrag.schemas.run import MeanScore, Retrieval, Run, ScoredAnswer, ScoreStatus
from claimrag.schemas.unit import Unit, UnitKind
from claimrag.tasks.validate.frames import frame_of
from claimrag.tasks.validate.score_rules import CLAIM_METRICS
from claimrag.tasks.validate.suites import KEY_COLUMN, RULES, rule_column
from claimrag.tasks.validate.tables import Build, TableInput

MODELS = {
    "acts": Act,
    "units": Unit,
    "context_units": ContextUnit,
    "questions": Question,
    "claims": Claim,
    "chunks": Chunk,
    "runs": Run,
    "retrievals": Retrieval,
    "scored_answers": ScoredAnswer,
    "decisions": Decision,
}


def judged(made_up, **more):
    """For every rule of every table, the verdict (True, False, None) on each row by the row's key."""
    rows = made_up.table_lists() | more
    build = Build({name: TableInput(MODELS[name], each) for name, each in rows.items()}, made_up.texts)
    verdicts = {}
    for name in rows:
        rules = RULES[MODELS[name]]
        frame = frame_of(name, rules, build)
        for rule in rules:
            column = frame[rule_column(rule)]
            verdicts[name, rule.code] = list(zip(frame[KEY_COLUMN], column, strict=True))
    return verdicts


def broken(made_up, **more):
    """The keys of the rows that break each rule, where any does."""
    verdicts = judged(made_up, **more).items()
    keys = {rule: [key for key, held in rows if held is False] for rule, rows in verdicts}
    return {rule: found for rule, found in keys.items() if found}


def test_no_sound_row_breaks_a_rule_and_every_rule_judges_some_row(made_up_build):
    verdicts = judged(made_up_build)
    assert broken(made_up_build) == {}
    idle = {rule for rule, rows in verdicts.items() if all(held is None for _, held in rows)}
    assert idle == {
        ("questions", "expert_stands_behind"),
        ("claims", "expert_stands_behind"),
        ("scored_answers", "unscored_has_no_score"),
    }


SPOILED = [
    ("acts", {"text_length": 3}, "text_matches_hash"),
    ("units", {"start": 1, "end": 11, "text": "Wrong text"}, "text_is_exact"),
    ("units", {"id": "eu/other#art_1"}, "belongs_to_act"),
    ("units", {"parent_id": "eu/none#art_1"}, "parent_exists"),
    ("units", {"row": 1}, "cell_has_place"),
    ("units", {"kind": UnitKind.CELL}, "cell_has_place"),
    ("context_units", {"text": "Another text"}, "text_is_exact"),
    ("context_units", {"text_sha256": "0" * 64}, "text_matches_hash"),
    ("context_units", {"unit_ids": ("gone",)}, "units_exist"),
    ("context_units", {"sentences": ()}, "sentences_cover_text"),
    ("chunks", {"body": "Another"}, "body_is_exact"),
    ("chunks", {"tokens": 0}, "has_text"),
    ("context_units", {"unit_ids": ()}, "names_a_unit"),
    ("chunks", {"unit_ids": ("gone",)}, "units_exist"),
    ("questions", {"evidence": ()}, "has_quotation"),
    ("questions", {"answer": "  "}, "is_written"),
    ("questions", {"rationale": ""}, "has_rationale"),
    ("questions", {"language": "fr"}, "language_is_of_act"),
    ("questions", {"context_unit_ids": ("gone",)}, "context_exists"),
    ("questions", {"review": ReviewStatus.EXPERT_VALIDATED}, "expert_stands_behind"),
    ("claims", {"question_id": "q_gone"}, "question_exists"),
    ("claims", {"sentence": " "}, "is_written"),
    ("claims", {"object": ""}, "triplet_is_whole"),
    ("claims", {"review": ReviewStatus.EXPERT_VALIDATED}, "expert_stands_behind"),
    ("scored_answers", {"hallucination": 0.5}, "identity_a"),
    ("scored_answers", {"precision": 0.6}, "identity_b"),
    ("scored_answers", {"recall": 1.2}, "metrics_are_fractions"),
    ("scored_answers", {"answer2response": (Label.NEUTRAL,)}, "matrices_fit"),
    ("scored_answers", {"retrieved2answer": ((Label.NEUTRAL,),)}, "matrices_fit"),
    ("scored_answers", {"response": None}, "scored_has_response"),
    ("scored_answers", {"status": ScoreStatus.NOT_SAMPLED}, "unscored_has_no_score"),
    ("scored_answers", {"status": ScoreStatus.NO_RESPONSE_CLAIMS}, "unscored_has_no_score"),
    ("scored_answers", {"run_id": "run_gone"}, "run_exists"),
    ("scored_answers", {"question_id": "q_gone"}, "question_exists"),
    ("retrievals", {"chunk_id": "chk_gone"}, "chunk_exists"),
    ("retrievals", {"rank": 0}, "rank_from_one"),
]


@pytest.mark.parametrize(("table", "update", "code"), SPOILED)
def test_a_spoiled_row_and_no_other_breaks_its_rule(made_up_build, table, update, code):
    rows = made_up_build.table_lists()[table]
    rows[1] = rows[1].model_copy(update=update)
    keys = judged(made_up_build)[table, code]
    assert broken(made_up_build)[table, code] == [keys[1][0]]


def changed(rows, index, **update):
    rows[index] = rows[index].model_copy(update=update)
    return rows[index]


def changed_evidence(question, **update):
    first, *rest = question.evidence
    return (first.model_copy(update=update), *rest)


@pytest.mark.parametrize("offset", [-1, 1])
def test_a_quotation_moved_by_one_character_fails(made_up_build, offset):
    question = made_up_build.questions[0]
    evidence = question.evidence[0]
    moved = changed_evidence(question, start=evidence.start + offset, end=evidence.end + offset)
    changed(made_up_build.questions, 0, evidence=moved)
    assert ("questions", "quotations_are_exact") in broken(made_up_build)


def test_a_quotation_from_another_article_lies_outside_its_context(made_up_build):
    question, other = made_up_build.questions[0], made_up_build.questions[4]
    foreign = other.evidence[0].model_copy(update={"context_unit_id": question.context_unit_ids[0]})
    changed(made_up_build.questions, 0, evidence=(foreign,))
    found = broken(made_up_build)
    assert set(found) == {("questions", "quotations_in_context")}
    assert found["questions", "quotations_in_context"] == [question.id]


def test_a_multi_hop_question_that_quotes_one_unit_fails(made_up_build):
    index = next(i for i, q in enumerate(made_up_build.questions) if q.hop is Hop.MULTI)
    question = made_up_build.questions[index]
    changed(made_up_build.questions, index, evidence=question.evidence[:1])
    assert set(broken(made_up_build)) == {("questions", "hop_fits_evidence")}


@pytest.mark.parametrize(
    ("index", "temperature", "note", "fails"),
    [
        (0, 0.29, "sent", True),
        (0, 0.5, "sent", False),
        (1, 0.1, "sent", True),
        (2, 0.7, "sent", False),
        (2, 0.69, "sent", True),
        (3, 0.6, "sent", True),
        (3, None, "sent", True),
        (3, None, "unsupported", False),
    ],
)
def test_a_temperature_outside_its_category_fails(made_up_build, index, temperature, note, fails):
    trace = made_up_build.questions[index].generated_by
    update = {"temperature": temperature, "temperature_note": note}
    changed(made_up_build.questions, index, generated_by=trace.model_copy(update=update))
    assert (("questions", "temperature_fits_category") in broken(made_up_build)) is fails


def test_a_reviewed_row_passes_when_an_expert_decided_on_it(made_up_build):
    question = changed(made_up_build.questions, 0, review=ReviewStatus.EXPERT_VALIDATED)
    decision = Decision(
        id="d",
        item_id=question.id,
        item_kind="question",
        field="answer",
        value="correct",
        annotator="expert-1",
        guideline_version="1",
        decided_at="2024-03-01T00:00:00Z",
    )
    assert broken(made_up_build, decisions=[decision]) == {}


def test_a_unit_outside_its_parent_breaks_its_rule_unless_it_is_a_footnote(made_up_build):
    root = made_up_build.units[0]
    shorter = {"end": root.end - 30, "text": root.text[:-30]}
    changed(made_up_build.units, 0, **shorter)
    last = made_up_build.units[3]
    assert broken(made_up_build)["units", "lies_in_parent"] == [last.id]
    changed(made_up_build.units, 3, kind=UnitKind.FOOTNOTE)
    assert ("units", "lies_in_parent") not in broken(made_up_build)


def test_an_answer_that_is_not_scored_may_have_retrieval_metrics(made_up_build):
    answer = made_up_build.scored_answers[0]
    claimless = dict.fromkeys(CLAIM_METRICS)
    changed(
        made_up_build.scored_answers,
        0,
        **claimless,
        status=ScoreStatus.NOT_SAMPLED,
        response=None,
        unit_recall=0.5,
    )
    assert answer.precision is not None
    assert broken(made_up_build) == {}


def test_overlapping_or_misnumbered_sentences_break_their_rule(made_up_build):
    unit = made_up_build.context_units[0]
    first, second, *rest = unit.sentences
    overlapping = (first.model_copy(update={"end": second.start + 1}), second, *rest)
    changed(made_up_build.context_units, 0, sentences=overlapping)
    assert broken(made_up_build)["context_units", "sentences_in_order"] == [f"{unit.act_id} {unit.id}"]
    changed(made_up_build.context_units, 0, sentences=(second, first, *rest))
    assert broken(made_up_build)["context_units", "sentences_in_order"] == [f"{unit.act_id} {unit.id}"]


@pytest.mark.parametrize(
    ("cell", "honest"),
    [
        ({"mean": 50.0, "low": 40.0, "high": 60.0, "scored": 3, "total": 4}, True),
        ({"mean": 50.0, "low": None, "high": None, "scored": 1, "total": 4}, True),
        ({"mean": None, "low": None, "high": None, "scored": 0, "total": 4}, True),
        ({"mean": 50.0, "low": 51.0, "high": 60.0, "scored": 3, "total": 4}, False),
        ({"mean": 50.0, "low": 40.0, "high": 49.0, "scored": 3, "total": 4}, False),
        ({"mean": 50.0, "low": 40.0, "high": None, "scored": 3, "total": 4}, False),
        ({"mean": 0.0, "low": 0.0, "high": 0.0, "scored": 0, "total": 4}, False),
        ({"mean": 50.0, "low": 40.0, "high": 60.0, "scored": 5, "total": 4}, False),
    ],
)
def test_a_mean_says_over_how_many_and_lies_in_its_interval(made_up_build, cell, honest):
    run = changed(made_up_build.runs, 0, scores=(MeanScore(metric="precision", **cell),))
    expected = {} if honest else {("runs", "means_are_honest"): [run.id]}
    assert broken(made_up_build) == expected


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_character_less_in_any_quotation_breaks_exactly_that_question(make_build, data):
    made_up = make_build()
    index = data.draw(st.integers(0, len(made_up.questions) - 1))
    question = made_up.questions[index]
    quotation = question.evidence[0].quotation
    place = data.draw(st.integers(0, len(quotation) - 1))
    evidence = changed_evidence(question, quotation=quotation[:place] + quotation[place + 1 :])
    changed(made_up.questions, index, evidence=evidence)
    assert broken(made_up) == {("questions", "quotations_are_exact"): [question.id]}
