"""A law with its versions: read one law at a time, nothing lost in silence, what is left out is counted."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from claimrag.schemas.errors import EmptyStageError, StoreError
from claimrag.schemas.question import ReviewStatus
from claimrag.tasks.release import make_release
from claimrag.tasks.release.law import LeftOut, left_out, read_law, versions_by_law

REJECTED = {"review": ReviewStatus.EXPERT_REJECTED}


def test_acts_stand_by_law_and_language_with_the_newest_version_first(two_versions):
    act = two_versions.acts[0]
    french = act.model_copy(update={"id": act.id[:-2] + "fr", "language": "fr"})
    acts = [french, *two_versions.acts]
    expected = [
        ("eu/32020R0001/2025-06-01/en", "eu/32020R0001/2024-01-01/en"),
        ("eu/32020R0001/2024-01-01/fr",),
        ("eu/32021R0001/2024-01-01/fr",),
    ]
    for given in (acts, acts[::-1]):
        assert [tuple(one.id for one in versions) for versions in versions_by_law(given)] == expected


def test_occurrences_stand_in_the_order_of_the_versions_and_claims_in_that_of_the_answer(
    two_versions, source_of
):
    source = source_of(two_versions, claims=two_versions.claims[::-1])
    versions = versions_by_law(source.acts)[0]
    law = read_law(source, versions)
    dates = {tuple(one.act_id.split("/")[2] for one in found) for found in law.occurrences.values()}
    assert dates == {("2025-06-01", "2024-01-01"), ("2024-01-01",)}
    assert {tuple(claim.order for claim in claims) for claims in law.claims.values()} == {(0, 1)}
    assert law.released == law.questions


def test_what_is_left_out_is_counted_by_why(two_versions, source_of):
    english = [one for one in two_versions.questions if one.language == "en"]
    lost, rejected, rejected_and_lost, kept = (one.id for one in english[:4])
    questions = [
        one.model_copy(update=REJECTED) if one.id in (rejected, rejected_and_lost) else one
        for one in two_versions.questions
    ]
    occurrences = [
        one for one in two_versions.occurrences if one.question_id not in (lost, rejected_and_lost)
    ]
    claims = [
        one.model_copy(update=REJECTED) if one.question_id in (lost, rejected, kept) else one
        for one in two_versions.claims
    ]
    source = source_of(two_versions, questions=questions, occurrences=occurrences, claims=claims)
    law = read_law(source, versions_by_law(source.acts)[0])
    found = left_out(law)
    assert found == LeftOut(questions_rejected=2, questions_without_version=1, claims_rejected=2)
    assert set(law.released) == {one.id for one in english} - {lost, rejected, rejected_and_lost}
    assert found + LeftOut(1, 2, 3) == LeftOut(3, 3, 5)


def test_a_question_that_no_version_holds_is_left_out_with_its_claims_and_the_card_says_so(
    made_up_build, tmp_path, rows_of, source_of
):
    gone = made_up_build.questions[0].id
    occurrences = [one for one in made_up_build.occurrences if one.question_id != gone]
    result = make_release(tmp_path, source_of(made_up_build, occurrences=occurrences))
    assert gone not in {row["id"] for row in rows_of(result.folder, "qa")}
    assert gone not in {row["question_id"] for row in rows_of(result.folder, "claims")}
    card = (tmp_path / "0.1.0/README.md").read_text()
    assert "- Left out because no version in this release holds them: 1 question." in card
    assert "experts rejected" not in card


def test_an_occurrence_of_an_unknown_question_is_an_error_that_names_it(made_up_build, tmp_path, source_of):
    with pytest.raises(StoreError, match=rf"{made_up_build.questions[0].id} occurs in eu/\S+ but is not in"):
        make_release(
            tmp_path, source_of(made_up_build, questions=made_up_build.questions[1:], claims=made_up_build.claims[2:])
        )  # fmt: skip
    assert list(tmp_path.iterdir()) == []


def test_a_claim_of_an_unknown_question_is_an_error_that_names_it(made_up_build, tmp_path, source_of):
    source = source_of(
        made_up_build, questions=made_up_build.questions[1:], occurrences=made_up_build.occurrences[:0]
    )
    with pytest.raises(StoreError, match=rf"{made_up_build.claims[0].id} belongs to question q_"):
        make_release(tmp_path, source)


def test_a_context_unit_that_is_not_in_the_act_is_an_error_that_names_it(made_up_build, tmp_path, source_of):
    source = source_of(made_up_build, context_units=made_up_build.context_units[1:])
    with pytest.raises(StoreError, match=rf"{made_up_build.context_units[0].id}, which is not in eu/"):
        make_release(tmp_path, source)
    assert list(tmp_path.iterdir()) == []


def test_an_occurrence_that_lies_with_those_of_another_act_is_an_error(two_versions, source_of):
    source = source_of(two_versions)

    class Mixed:
        acts, runs, counts = source.acts, source.runs, source.counts
        questions, claims = source.questions, source.claims

        def occurrences(self, act_id):
            return source.all_occurrences

    with pytest.raises(StoreError, match=r"an occurrence of eu/\S+ lies with those of eu/"):
        read_law(Mixed(), versions_by_law(source.acts)[0])


@pytest.mark.parametrize(
    ("table", "rest", "name"),
    [
        ("all_claims", {}, "claims"),
        ("all_units", {}, "corpus"),
        ("all_questions", {"all_occurrences": (), "all_claims": ()}, "qa"),
        ("all_context_units", {"all_questions": (), "all_occurrences": (), "all_claims": ()}, "qa"),
    ],
)
def test_a_release_without_a_row_of_a_configuration_is_refused(
    made_up_build, tmp_path, source_of, table, rest, name
):
    source = replace(source_of(made_up_build), **{table: ()}, **rest)
    with pytest.raises(EmptyStageError, match=rf"no row for '{name}'.*counts of the stages say why"):
        make_release(tmp_path, source)
    assert list(tmp_path.iterdir()) == []


def test_a_law_is_read_when_the_one_before_is_written_and_no_text_before_it_is_needed(
    two_versions, tmp_path, source_of
):
    source = source_of(two_versions)
    asked = []

    class Noted:
        acts, runs, counts = source.acts, source.runs, source.counts

        def __getattr__(self, name):
            def read(act_id, *stage):
                asked.append((name, act_id.split("/")[1], date.fromisoformat(act_id.split("/")[2]).year))
                return iter(getattr(source, name)(act_id, *stage))

            return read

    make_release(tmp_path, Noted())
    laws = [law for _, law, _ in asked]
    assert laws == sorted(laws)
    texts = [(name, year) for name, law, year in asked if law == "32020R0001" and "units" in name]
    assert texts == [
        ("context_units", 2025),
        ("units", 2025),
        ("context_units", 2025),
        ("context_units", 2024),
        ("units", 2024),
        ("context_units", 2024),
    ]
