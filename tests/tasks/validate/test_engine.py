"""Validation finds what is wrong, names the row, and finds nothing where nothing is wrong."""

from __future__ import annotations

import json

import pytest

from claimrag.schemas.act import Act
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.claim import Claim
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.errors import ValidationFailedError
from claimrag.schemas.question import Question
from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.schemas.run import Retrieval, Run, ScoredAnswer
from claimrag.schemas.unit import Unit
from claimrag.schemas.validation import Severity, Verdict
from claimrag.tasks.validate import TableInput, ensure_valid, validate_tables

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
}


def tables_of(build, only=tuple(MODELS), **counts):
    lists = build.table_lists()
    return {name: TableInput(MODELS[name], lists[name], counts.get(name)) for name in only}


def validate(build, *only, **counts):
    """Validate all tables, or only those named: each costs a tenth of a second."""
    return validate_tables(tables_of(build, only or tuple(MODELS), **counts), build.texts)


def failures(report):
    return {(table, result.code): result for s in Severity for table, result in report.failed(s)}


def changed(rows, index, **update):
    """Replace one row by a copy with other values, past its validation, and return the new row."""
    rows[index] = rows[index].model_copy(update=update)
    return rows[index]


def changed_evidence(question, **update):
    first, *rest = question.evidence
    return (first.model_copy(update=update), *rest)


def test_a_sound_build_passes_every_expectation(made_up_build):
    report = validate(made_up_build)
    assert failures(report) == {}
    assert report.passed
    assert [table.table for table in report.tables] == sorted(MODELS)
    assert not [r for table in report.tables for r in table.with_verdict(Verdict.NOT_EVALUATED)]
    ensure_valid(report)


def test_the_same_tables_give_the_same_report(make_build):
    first = validate(make_build(), "claims", "questions").model_dump_json()
    assert validate(make_build(), "claims", "questions").model_dump_json() == first


def test_one_character_less_in_a_quotation_fails_and_names_the_question(made_up_build):
    question = made_up_build.questions[3]
    shorter = changed_evidence(question, quotation=question.evidence[0].quotation[:-1])
    changed(made_up_build.questions, 3, evidence=shorter)
    report = validate(made_up_build)
    assert set(failures(report)) == {("questions", "quotations_are_exact")}
    assert failures(report)["questions", "quotations_are_exact"].failing_ids == (question.id,)
    with pytest.raises(ValidationFailedError, match=question.id):
        ensure_valid(report)


def test_the_failing_row_is_named_by_its_key(made_up_build):
    answer = changed(made_up_build.scored_answers, 2, precision=0.9)
    found = failures(validate(made_up_build, "scored_answers", "questions"))
    assert found["scored_answers", "identity_b"].failing_ids == (f"{answer.run_id} {answer.question_id}",)


def test_values_outside_the_schema_fail_their_field_and_the_whole_row(made_up_build):
    rows = made_up_build.claims
    rows[0] = Claim.model_construct(**(dict(rows[0]) | {"label": "Maybe", "order": "first"}))
    rows[1] = Claim.model_construct(**(dict(rows[1]) | {"subject": None}))
    rows[2] = Claim.model_construct(**(dict(rows[2]) | {"extracted_by": "a model"}))
    found = failures(validate(made_up_build, "claims", "questions"))
    assert found["claims", "label.allowed"].failing_ids == (rows[0].id,)
    assert found["claims", "order.type"].failing_ids == (rows[0].id,)
    assert found["claims", "subject.not_null"].failing_ids == (rows[1].id,)
    assert found["claims", "valid_for_schema"].failing_ids == tuple(row.id for row in rows[:3])


def test_a_hash_that_is_no_hash_fails_its_pattern(made_up_build):
    row = made_up_build.acts[0]
    made_up_build.acts[0] = Act.model_construct(**(dict(row) | {"raw_sha256": "not a hash"}))
    assert ("acts", "raw_sha256.pattern") in failures(validate(made_up_build, "acts"))


def test_a_row_of_another_noun_is_not_valid(made_up_build):
    made_up_build.claims[0] = made_up_build.questions[0]
    assert ("claims", "valid_for_schema") in failures(validate(made_up_build, "claims"))


def test_ids_given_twice_fail_once_for_each_id(made_up_build):
    made_up_build.claims.append(made_up_build.claims[0])
    found = failures(validate(made_up_build, "claims", "questions"))
    assert found["claims", "unique_key"].failing_ids == (made_up_build.claims[0].id,)
    assert found["claims", "unique_key"].failing == 2
    assert found["claims", "made_once"].severity is Severity.WARNING


def test_only_warnings_let_the_build_pass(made_up_build):
    question = changed(made_up_build.questions, 0, rationale="")
    report = validate(made_up_build, "questions")
    assert report.passed
    ensure_valid(report)
    assert [(t, r.failing_ids) for t, r in report.failed(Severity.WARNING)] == [("questions", (question.id,))]


def test_an_empty_table_fails(made_up_build):
    made_up_build.claims.clear()
    report = validate(made_up_build, "claims", "questions")
    assert set(failures(report)) == {("claims", "has_rows")}
    with pytest.raises(ValidationFailedError, match="found 0 rows"):
        ensure_valid(report)


def test_counts_that_do_not_add_up_fail(made_up_build):
    kept = len(made_up_build.claims)
    sound = StageCounts(considered=kept + 2, kept=kept, rejected={"empty": 2})
    assert validate(made_up_build, "claims", "questions", claims=sound).passed
    lost = sound.model_copy(update={"considered": kept + 3})
    assert set(failures(validate(made_up_build, "claims", "questions", claims=lost))) == {
        ("claims", "counts_add_up")
    }


def test_fewer_rows_than_the_stage_reported_fail(made_up_build):
    counts = StageCounts.of(len(made_up_build.claims), [])
    made_up_build.claims.pop()
    assert set(failures(validate(made_up_build, "claims", "questions", claims=counts))) == {
        ("claims", "rows_equal_kept")
    }


def test_a_rule_without_its_other_table_is_not_evaluated(made_up_build):
    report = validate_tables({"claims": TableInput(Claim, made_up_build.claims)}, {})
    [table] = report.tables
    assert [r.code for r in table.with_verdict(Verdict.NOT_EVALUATED)] == ["question_exists"]
    assert table.with_verdict(Verdict.NOT_EVALUATED)[0].observed == "no table of Question was given"
    assert report.passed


def test_a_missing_act_text_fails_instead_of_passing_unseen(made_up_build):
    report = validate_tables(tables_of(made_up_build), {})
    assert {table for table, code in failures(report) if code == "act_text_is_given"} == {
        "acts", "units", "context_units", "questions", "chunks"
    }  # fmt: skip


def test_a_report_counts_all_failures_and_names_the_first_fifty(made_up_build):
    template = made_up_build.claims[0]
    made_up_build.claims[:] = [
        template.model_copy(update={"id": f"clm_{n:03}", "subject": f"s{n}", "question_id": "q_gone"})
        for n in range(80)
    ]
    result = failures(validate(made_up_build, "claims", "questions"))["claims", "question_exists"]
    assert (result.failing, result.evaluated, len(result.failing_ids)) == (80, 80, 50)
    assert result.failing_ids[0] == "clm_000"


def test_rows_without_a_key_are_named_by_position():
    rows = [
        Rejected(stage="claims", item="q", reason="empty", detail="d", raw=""),
        Rejected.model_construct(stage="claims", item=None, reason="empty", detail="d", raw=""),
    ]
    report = validate_tables({"rejected": TableInput(Rejected, rows)}, {})
    assert failures(report)["rejected", "item.not_null"].failing_ids == ("row 1",)


def test_a_report_survives_json(made_up_build):
    report = validate(made_up_build, "questions")
    assert type(report).model_validate(json.loads(report.model_dump_json())) == report


def test_nothing_to_validate_is_no_success():
    with pytest.raises(ValidationFailedError, match="no table to validate"):
        validate_tables({}, {})
