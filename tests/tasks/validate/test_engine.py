"""Validation finds what is wrong, names the row, and says the same however the acts are grouped."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest

from claimrag.schemas.act import Act
from claimrag.schemas.claim import Claim
from claimrag.schemas.errors import ValidationFailedError
from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.schemas.run import ScoreStatus
from claimrag.schemas.validation import Severity, ValidationReport, Verdict
from claimrag.tasks.validate import book
from claimrag.tasks.validate.engine import ensure_valid, validate_groups
from claimrag.tasks.validate.suites import expected_of
from claimrag.tasks.validate.tables import Group, TableInput
from tests.tasks.conftest import EVALUATION
from tests.tasks.validate.planted import PLANTED
from tests.tasks.validate.sound import (
    FRENCH,
    MODELS,
    NEW,
    OLD,
    SoundBuild,
    plain_judge,
    without_great_expectations,
)


def failures(report: ValidationReport) -> dict[tuple[str, str], Any]:
    return {(table, result.code): result for s in Severity for table, result in report.failed(s)}


def quickly(*groups: Group) -> ValidationReport:
    with without_great_expectations():
        return validate_groups(groups, EVALUATION)


def only(build: SoundBuild, *names: str) -> Group:
    return Group({name: build.table(name) for name in names}, build.texts)


def by_law(build: SoundBuild) -> list[Group]:
    """The English law and the French one, each with all runs, as the step gives them."""
    english = {question.id for question in build.questions if question.language == "en"}

    def of(row: Any) -> bool:
        act_id = getattr(row, "act_id", None) or (row.id if isinstance(row, Act) else None)
        if act_id is not None:
            return act_id in (OLD, NEW)
        named = next((getattr(row, n) for n in ("question_id", "item_id", "item") if hasattr(row, n)), None)
        return (named or row.id) in english or str(named).startswith(("ctx", "eu/32020R0001"))

    def part(wanted: Callable[[Any], bool], acts: tuple[str, ...]) -> Group:
        tables = {}
        for name, model in MODELS.items():
            rows = [row for row in getattr(build, name) if name == "runs" or wanted(row)]
            rejected = [row for row in build.rejected.get(name, []) if wanted(row)]
            tables[name] = TableInput(model, rows, StageCounts.of(len(rows), rejected), rejected)
        return Group(tables, {act_id: build.texts[act_id] for act_id in acts})

    return [part(of, (OLD, NEW)), part(lambda row: not of(row), (FRENCH,))]


def test_a_sound_build_passes_every_expectation(sound):
    report = validate_groups([sound.group()], EVALUATION)
    assert failures(report) == {}
    assert report.passed
    assert [table.table for table in report.tables] == sorted(MODELS)
    assert not [r for table in report.tables for r in table.with_verdict(Verdict.NOT_EVALUATED)]
    ensure_valid(report)
    assert quickly(sound.group()) == report


@pytest.mark.parametrize("tables", [("claims", "questions"), ("scored_answers", "runs")])
def test_the_plain_judge_of_the_tests_agrees_with_great_expectations(sound, tables):
    spoiled = Claim.model_construct(**(dict(sound.claims[0]) | {"label": "Maybe", "order": "first"}))
    sound.claims[0] = spoiled
    sound.claims[3] = Claim.model_construct(**(dict(sound.claims[3]) | {"subject": None}))
    for code in ("f1", "unit_mrr"):
        sound.change("scored_answers", sound.scored_answers[1], **{code: 1.5})
    group = only(sound, *tables)
    assert quickly(group) == validate_groups([group], EVALUATION)


def test_the_plain_judge_agrees_on_patterns(sound):
    act = Act.model_construct(**(dict(sound.acts[0]) | {"raw_sha256": "not a hash"}))
    sound.acts[0] = act
    group = only(sound, "acts")
    report = validate_groups([group], EVALUATION)
    assert ("acts", "raw_sha256.pattern") in failures(report)
    assert quickly(group) == report


def test_the_report_is_the_same_however_acts_are_grouped_and_rows_are_batched(sound, monkeypatch):
    one = quickly(sound.group())
    english, french = by_law(sound)
    for groups in ((english, french), (french, english)):
        report = quickly(*groups)
        assert failures(report) == {}
        assert [(t.table, t.rows, t.counts) for t in report.tables] == [
            (t.table, t.rows, t.counts) for t in one.tables
        ]
        judged = {(t.table, r.code): r.evaluated for t in report.tables for r in t.expectations}
        per_group = {"counts_add_up", "rows_equal_kept", "rejected_rows_equal_counts"}
        assert {key: n for key, n in judged.items() if key[1] not in per_group} == {
            (t.table, r.code): r.evaluated
            for t in one.tables
            for r in t.expectations
            if r.code not in per_group
        }
    monkeypatch.setattr(book, "FRAME_ROWS", 3)
    assert quickly(sound.group()) == one


def test_a_chunk_of_another_group_is_found_whichever_comes_first(sound):
    """An English answer retrieved a French chunk: it exists, but not in the run's acts."""
    PLANTED["retrievals", "chunk_is_of_run_elsewhere"](sound)
    english, french = by_law(sound)
    expected = {("retrievals", "chunk_is_of_run")}
    assert set(failures(quickly(english, french))) == expected
    assert set(failures(quickly(french, english))) == expected


def test_a_run_over_the_laws_of_two_groups_is_judged_over_both(sound):
    """Both laws under one language: the chunks of either compete for the questions of the other."""
    run = next(run for run in sound.runs if run.language == "en")
    row = next(
        row for row in sound.retrievals if row.run_id == run.id and row.rank == 2 and not row.holds_evidence
    )
    foreign = next(chunk for chunk in sound.chunks if chunk.act_id == FRENCH)
    sound.change("retrievals", row, chunk_id=foreign.id, holds_evidence=True)
    sound.rescore()
    english, french = by_law(sound)
    for groups in ((english, french), (french, english)):
        assert ("retrievals", "holds_evidence_is_true") in failures(quickly(*groups))


@pytest.mark.parametrize("table", ["acts", "questions"])
def test_an_act_or_a_question_in_two_groups_is_found(sound, table):
    english, french = by_law(sound)
    again = english.tables[table].rows[0]
    twice = TableInput(MODELS[table], [*french.tables[table].rows, again])
    later = Group(dict(french.tables) | {table: twice}, french.act_texts)
    found = failures(quickly(english, later))
    key = again.id
    assert found[table, "unique_key"].failing_ids == (key,)


def test_runs_count_once_however_many_groups_give_them(sound):
    english, french = by_law(sound)
    report = quickly(english, french)
    runs = next(table for table in report.tables if table.table == "runs")
    assert (runs.rows, runs.counts.kept) == (len(sound.runs), len(sound.runs))
    other = sound.runs[0].model_copy(update={"questions": 7})
    changed = dict(french.tables) | {"runs": TableInput(MODELS["runs"], [other])}
    assert ("runs", "unique_key") in failures(quickly(english, Group(changed, french.act_texts)))


def test_the_same_question_of_two_versions_is_one_item(sound):
    shared = [q for q in sound.questions if q.id == sound.questions[0].id]
    assert len(shared) == 2
    assert len([o for o in sound.occurrences if o.question_id == shared[0].id]) == 2
    assert failures(quickly(sound.group())) == {}


def test_a_critical_failure_names_the_row(sound):
    row = sound.change("scored_answers", sound.scored_answers[2], f1=0.1)
    report = quickly(sound.group())
    key = f"{row.run_id} {row.question_id}"
    assert failures(report)["scored_answers", "metrics_follow_from_matrices"].failing_ids == (key,)
    with pytest.raises(ValidationFailedError, match=key):
        ensure_valid(report)


def test_an_answer_with_status_ok_and_no_verdicts_fails(sound):
    nothing = dict.fromkeys(("retrieved2response", "retrieved2answer"), ())
    sound.change("scored_answers", sound.scored_answers[0], **nothing)
    assert {
        ("scored_answers", "matrices_fit_response"),
        ("scored_answers", "matrices_fit_reference"),
        ("scored_answers", "columns_are_shown_chunks"),
    } <= set(failures(quickly(sound.group())))


def test_a_row_that_is_not_valid_is_judged_by_that_alone(sound):
    sound.claims[0] = sound.questions[0]
    found = failures(quickly(only(sound, "claims")))
    assert {code for _, code in found} >= {"valid_for_schema"}
    assert not {code for _, code in found} & {"id_is_its_content", "sentence_is_its_triplet"}


def test_only_warnings_let_the_build_pass(sound):
    question = sound.change("questions", sound.questions[-1], rationale="")
    report = quickly(sound.group())
    assert report.passed
    ensure_valid(report)
    assert [(t, r.failing_ids) for t, r in report.failed(Severity.WARNING)] == [("questions", (question.id,))]


def test_a_run_without_one_scored_answer_is_a_warning(sound):
    PLANTED["runs", "run_has_scores"](sound)
    report = quickly(sound.group())
    assert report.passed
    assert [r.code for _, r in report.failed(Severity.WARNING)] == ["run_has_scores"]


def test_an_empty_table_fails(sound):
    report = validate_groups([Group({"claims": TableInput(Claim, [])})])
    assert set(failures(report)) == {("claims", "has_rows")}
    with pytest.raises(ValidationFailedError, match="found 0 rows"):
        ensure_valid(report)


def test_a_rule_without_its_other_table_is_not_evaluated(sound):
    report = validate_groups([Group({"claims": TableInput(Claim, sound.claims)})])
    [table] = report.tables
    missing = table.with_verdict(Verdict.NOT_EVALUATED)
    assert [r.code for r in missing] == ["question_exists", "agrees_with_question"]
    assert missing[0].observed == f"no table of Question was given for {len(sound.claims)} rows"
    assert report.passed


def test_a_rule_that_some_group_could_not_be_judged_by_says_for_how_many_rows(sound):
    english, french = by_law(sound)
    without = Group({k: v for k, v in french.tables.items() if k != "questions"}, french.act_texts)
    report = quickly(english, without)
    claims = next(table for table in report.tables if table.table == "claims")
    result = next(r for r in claims.expectations if r.code == "question_exists")
    left_out = len(french.tables["claims"].rows)
    assert result.verdict is Verdict.HELD
    assert result.observed == f"no table of Question was given for {left_out} rows"
    assert result.evaluated == claims.rows - left_out


def test_counts_without_their_rejected_rows_are_compared_with_the_rows_alone(sound):
    counts = StageCounts(considered=len(sound.claims) + 2, kept=len(sound.claims), rejected={"empty": 2})
    table = TableInput(Claim, sound.claims, counts)
    report = quickly(Group({"claims": table}))
    results = {result.code: result for result in report.tables[0].expectations}
    assert (results["counts_add_up"].evaluated, results["rejected_rows_equal_counts"].evaluated) == (1, 0)
    assert report.passed


def test_wrong_counts_name_the_group(sound):
    PLANTED["claims", "counts_add_up"](sound)
    assert failures(quickly(sound.group()))["claims", "counts_add_up"].failing_ids == (
        f"{OLD} and what was judged with it",
    )


def test_a_missing_act_text_fails_instead_of_passing_unseen(sound):
    sound.texts.clear()
    found = failures(quickly(sound.group()))
    assert {table for table, code in found if code == "act_text_is_given"} == {
        "acts", "units", "context_units", "occurrences", "chunks", "scored_answers"
    }  # fmt: skip


def test_a_report_counts_all_failures_and_names_the_first_fifty(sound, monkeypatch):
    monkeypatch.setattr(book, "FRAME_ROWS", 30)
    template = sound.claims[0]
    sound.claims[:] = [
        template.model_copy(update={"id": f"clm_{n:03}", "subject": f"s{n}", "question_id": "q_gone"})
        for n in range(80)
    ]
    result = failures(quickly(only(sound, "claims", "questions")))["claims", "question_exists"]
    assert (result.failing, result.evaluated, len(result.failing_ids)) == (80, 80, 50)
    assert result.failing_ids[0] == "clm_000"


def test_rows_without_a_key_are_named_by_position():
    rows = [
        Rejected(stage="claims", item="q", reason="empty", detail="d", raw=""),
        Rejected.model_construct(stage="claims", item=None, reason="empty", detail="d", raw=""),
    ]
    report = quickly(Group({"rejected": TableInput(Rejected, rows)}))
    assert failures(report)["rejected", "item.not_null"].failing_ids == ("row 1",)


def test_without_settings_intervals_are_held_to_bracket_their_mean_alone(sound):
    PLANTED["runs", "intervals_follow_from_rows"](sound)
    with without_great_expectations():
        assert failures(validate_groups([sound.group()])) == {}
    PLANTED["runs", "means_are_honest"](sound)
    with without_great_expectations():
        assert set(failures(validate_groups([sound.group()]))) == {("runs", "means_are_honest")}


def test_the_id_of_a_run_that_sampled_nothing_away_is_not_told_by_its_sample_size(sound):
    """Another limit, which left no question out, gives another id: the run does not say which it was."""
    for row in [row for row in sound.scored_answers if row.status is ScoreStatus.NOT_SAMPLED]:
        sound.change("scored_answers", row, status=ScoreStatus.NO_CHUNKS)
    found = failures(quickly(only(sound, "runs", "scored_answers", "occurrences")))
    assert ("runs", "id_is_its_content") not in found


def test_a_report_survives_json(sound):
    report = quickly(only(sound, "questions"))
    assert type(report).model_validate(json.loads(report.model_dump_json())) == report


def test_nothing_to_validate_is_no_success():
    with pytest.raises(ValidationFailedError, match="no table to validate"):
        validate_groups([])


def test_nothing_is_written_to_the_terminal_or_the_log(sound, capfd, caplog):
    caplog.set_level(logging.DEBUG)
    validate_groups([only(sound, "acts")])
    assert capfd.readouterr() == ("", "")
    assert not [record for record in caplog.records if record.levelno < logging.WARNING]


def test_every_noun_is_validated_by_its_schema_and_by_rules_that_are_told_apart():
    for model in MODELS.values():
        codes = [each.code for each in expected_of(model)]
        assert len(codes) == len(set(codes))
        assert "valid_for_schema" in codes


def test_the_plain_judge_refuses_an_expectation_that_it_does_not_know():
    for model in MODELS.values():
        known = {
            "ExpectColumnValuesToBeInSet",
            "ExpectColumnValuesToBeOfType",
            "ExpectColumnValuesToMatchRegex",
            "ExpectColumnValuesToNotBeNull",
        }
        assert {each.expectation for each in expected_of(model)} <= known
    assert plain_judge("x", {"row_key": []}, []) == {}


def test_a_question_of_a_version_that_is_not_given_is_held_to_its_own_claims_and_reasons(sound):
    """A build of the newer version alone is given the older one's items that hold in it, beside its own tables."""
    holding = {one.question_id for one in sound.occurrences if one.act_id == NEW}
    group = sound.group()
    own = [row for row in sound.questions if row.id != sound.questions[0].id]
    others = [row for row in sound.questions[:1] if row.id in holding]
    tables = dict(group.tables) | {
        "questions": TableInput(MODELS["questions"], own),
        "others": TableInput(MODELS["questions"], others),
    }
    assert failures(quickly(Group(tables, group.act_texts))) == {}
    kept = [row for row in sound.claims if row.question_id != others[0].id]
    tables["claims"] = TableInput(Claim, kept, rejected=sound.rejected["claims"])
    tables["claims of others"] = TableInput(Claim, [])
    found = failures(quickly(Group(tables, group.act_texts)))
    assert found["others", "has_claims_or_reason"].failing_ids == (others[0].id,)
