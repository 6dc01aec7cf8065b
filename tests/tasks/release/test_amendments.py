"""The configuration `changes` names every row that differs from the previous release, and why where the law tells."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from claimrag.tasks.release import damaged_files, make_release
from claimrag.tasks.release.changes import KEYS
from claimrag.tasks.release.rows import COMPARED

OLD, NEW = "eu/32020R0001/2024-01-01/en", "eu/32020R0001/2025-06-01/en"


@pytest.fixture
def source(made_up_build, source_of):
    return source_of(made_up_build)


def of_acts(source, acts):
    """What a source holds of these acts; questions and claims that hold in none of them are in no release."""
    laws = {act_id.rsplit("/", 2)[0] for act_id in acts}
    of_acts = ("all_units", "all_context_units", "all_occurrences")
    items = ("all_questions", "all_claims")
    return replace(
        source,
        acts=[act for act in source.acts if act.id in acts],
        runs=(),
        counts={},
        all_rejected=(),
        **{name: [row for row in getattr(source, name) if row.act_id in acts] for name in of_acts},
        **{name: [row for row in getattr(source, name) if row.law_id in laws] for name in items},
    )


def with_article_1(source, change):
    """The source with another first article in the later version; None takes it out."""
    units = []
    for unit in source.all_units:
        is_article = unit.id == f"{NEW}#art_1"
        units += [change(unit)] if is_article and change else [] if is_article else [unit]
    return replace(source, all_units=units)


def reworded(unit):
    return unit.model_copy(update={"text": unit.text.upper()})


def reasons_of(rows, configuration, kind):
    return Counter(
        (row["reason"], tuple(row["unit_ids"]))
        for row in rows
        if (row["configuration"], row["kind"]) == (configuration, kind)
    )


@pytest.mark.parametrize(
    ("change", "reason", "units"),
    [
        (reworded, "amended", (f"{OLD}#art_1",)),
        (None, "gone", (f"{OLD}#art_1",)),
        (lambda unit: unit, "version_left", ()),
    ],
)
def test_questions_and_claims_leave_with_the_words_they_rest_on_or_with_their_version(
    source, two_versions, tmp_path, source_of, rows_of, change, reason, units
):
    """The five questions on the first article do not hold in the later version, which comes in place of the old."""
    french = source.acts[1].id
    make_release(tmp_path, source)
    later = of_acts(source_of(two_versions), {NEW, french})
    rows = rows_of(make_release(tmp_path, with_article_1(later, change)).folder, "changes")
    assert reasons_of(rows, "qa", "removed") == {(reason, units): 5}
    assert reasons_of(rows, "claims", "removed") == {(reason, units): 10}
    assert reasons_of(rows, "context_units", "removed") == {("version_left", ()): 3}


def test_a_question_that_stays_with_the_old_version_is_changed_because_its_article_was_amended(
    source, two_versions, tmp_path, source_of, rows_of
):
    make_release(tmp_path, source)
    both = with_article_1(source_of(two_versions), reworded)
    rows = rows_of(make_release(tmp_path, both).folder, "changes")
    assert reasons_of(rows, "qa", "changed") == {("amended", (f"{OLD}#art_1",)): 5, (None, ()): 8}
    assert reasons_of(rows, "corpus", "added") == {(None, ()): 3}


def test_a_row_that_did_not_hold_in_the_newest_version_before_is_not_changed_by_an_amendment(
    two_versions, tmp_path, source_of, rows_of
):
    source = with_article_1(source_of(two_versions), reworded)
    make_release(tmp_path, source)
    reviewed = [one.model_copy(update={"rationale": "Another."}) for one in source.all_questions]
    rows = rows_of(make_release(tmp_path, replace(source, all_questions=reviewed)).folder, "changes")
    assert reasons_of(rows, "qa", "changed") == {(None, ()): 18}


def test_rows_of_a_law_that_is_no_longer_there_say_so(source, tmp_path, rows_of):
    make_release(tmp_path, source)
    rows = rows_of(make_release(tmp_path, of_acts(source, {source.acts[1].id})).folder, "changes")
    assert reasons_of(rows, "qa", "removed") == {("law_left", ()): 13}
    assert reasons_of(rows, "corpus", "removed") == {("law_left", ()): 3}
    assert reasons_of(rows, "runs", "removed") == {(None, ()): 2}


def test_a_question_that_went_while_its_law_stayed_says_so(source, tmp_path, rows_of):
    make_release(tmp_path, source)
    gone = source.all_questions[0].id
    fewer = replace(
        source,
        all_questions=source.all_questions[1:],
        all_occurrences=[one for one in source.all_occurrences if one.question_id != gone],
        all_claims=[one for one in source.all_claims if one.question_id != gone],
    )
    rows = rows_of(make_release(tmp_path, fewer).folder, "changes")
    assert [row for row in rows if row["configuration"] == "qa"] == [
        {
            "configuration": "qa",
            "kind": "removed",
            "key": [gone],
            "reason": "law_unchanged",
            "unit_ids": [],
        }
    ]
    assert reasons_of(rows, "claims", "removed") == {("law_unchanged", ()): 2}


def test_the_rows_are_those_that_differ_and_as_many_as_the_card_says(
    source, two_versions, tmp_path, source_of, rows_of, table_under
):
    make_release(tmp_path, source)
    folder = make_release(tmp_path, with_article_1(source_of(two_versions), reworded)).folder
    rows = rows_of(folder, "changes")
    found = Counter((row["configuration"], row["kind"]) for row in rows)
    card = (Path(folder) / "README.md").read_text(encoding="utf-8")
    for line in table_under(card, "Changes since 0.1.0"):
        name = line["configuration"].strip("`")
        for kind in ("added", "removed", "changed"):
            assert found[name, kind] == int(line[f"rows {kind}"])
        before, after = (
            {tuple(row[column] for column in KEYS[COMPARED[name]]) for row in rows_of(release, name)}
            for release in (tmp_path / "0.1.0", folder)
        )
        for row in (row for row in rows if row["configuration"] == name):
            there = (tuple(row["key"]) in before, tuple(row["key"]) in after)
            assert (
                there
                == {"added": (False, True), "removed": (True, False), "changed": (True, True)}[row["kind"]]
            )
    assert sum(found.values()) > 20
    reasons = Counter((row["configuration"], row["reason"]) for row in rows if row["reason"])
    assert reasons == {
        (line["configuration"].strip("`"), line["reason"].strip("`")): int(line["rows removed or changed"])
        for line in table_under(card, "Changes since 0.1.0", 1)
    }
    assert reasons == {("qa", "amended"): 5, ("claims", "amended"): 10}


def test_datasets_reads_what_changed(source, changed, tmp_path, load):
    make_release(tmp_path, source)
    rows = load(make_release(tmp_path, changed).folder, "changes")
    assert list(rows) == [
        {
            "configuration": "qa",
            "kind": "changed",
            "key": [source.all_questions[0].id],
            "reason": None,
            "unit_ids": [],
        }
    ]


def test_what_changed_is_no_content_so_the_same_tables_make_no_third_release(source, changed, tmp_path):
    first = make_release(tmp_path, source)
    second = make_release(tmp_path, changed)
    assert "changes" not in first.release.rows and second.release.rows["changes"] == 1
    again = make_release(tmp_path, changed)
    assert (again.created, again.release) == (False, second.release)
    alone = make_release(tmp_path / "alone", changed)
    assert alone.release.content_sha256 == second.release.content_sha256
    back = make_release(tmp_path, source)
    assert back.release.content_sha256 == first.release.content_sha256
    assert back.release.rows["changes"] == 1


def test_a_damaged_list_of_changes_is_written_again(source, changed, tmp_path, files_of):
    make_release(tmp_path, source)
    second = make_release(tmp_path, changed)
    before = files_of(second.folder)
    (Path(second.folder) / "data/changes/test.parquet").write_bytes(b"damaged")
    assert make_release(tmp_path, changed).repaired == ("data/changes/test.parquet",)
    assert files_of(second.folder) == before
    assert damaged_files(tmp_path, second.release) == []


def test_a_damaged_list_of_changes_does_not_keep_the_next_release_from_its_own(source, changed, tmp_path):
    make_release(tmp_path, source)
    second = make_release(tmp_path, changed)
    (Path(second.folder) / "data/changes/test.parquet").write_bytes(b"damaged")
    assert make_release(tmp_path, source).release.rows["changes"] == 1


def test_evidence_in_a_paragraph_is_about_the_article_that_holds_it(
    source, two_versions, tmp_path, source_of, rows_of
):
    deeper = [
        one.model_copy(
            update={
                "evidence": tuple(
                    e.model_copy(update={"unit_id": f"{e.unit_id}.par_1.pnt_a"}) for e in one.evidence
                )
            }
        )
        for one in source.all_occurrences
    ]
    make_release(tmp_path, replace(source, all_occurrences=deeper))
    later = with_article_1(of_acts(source_of(two_versions), {NEW, source.acts[1].id}), reworded)
    rows = rows_of(make_release(tmp_path, later).folder, "changes")
    assert reasons_of(rows, "qa", "removed") == {("amended", (f"{OLD}#art_1",)): 5}
