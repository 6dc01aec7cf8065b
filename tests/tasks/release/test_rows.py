"""The rows of a release: what `datasets` reads, and which version each row is of."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from claimrag.schemas.base import Noun
from claimrag.schemas.claim import Claim
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.errors import StoreError
from claimrag.schemas.question import Question, ReviewStatus
from claimrag.schemas.unit import Unit, UnitKind
from claimrag.tasks.release import make_release
from claimrag.tasks.release.law_rows import ClaimRow, ContextUnitRow, CorpusRow, QaRow
from claimrag.tasks.release.rows import columns

FIRST, SECOND = "2024-01-01", "2025-06-01"


def act_id(language: str, day: str = FIRST) -> str:
    return f"eu/3202{['en', 'fr'].index(language)}R0001/{day}/{language}"


def test_datasets_reads_typed_rows_of_every_configuration(made_up_build, tmp_path, load, source_of):
    import datasets

    result = make_release(tmp_path / "releases", source_of(made_up_build))
    qa = load(result.folder, "qa")
    assert qa.num_rows == len(made_up_build.questions) == result.release.rows["qa"]
    assert qa.features["version_date"] == datasets.Value("date32")
    assert qa.features["temperature"] == datasets.Value("float64")
    assert qa.features["in_force"] == datasets.Value("bool")
    assert qa.features["evidence"].feature["start"] == datasets.Value("int64")
    assert qa.features["versions"] == datasets.List(datasets.Value("string"))
    occurrences = qa.features["occurrences"].feature
    assert occurrences["version_date"] == datasets.Value("date32")
    assert occurrences["evidence"].feature["quotation"] == datasets.Value("string")
    assert qa[0]["evidence"][0]["quotation"] == "The village library opens at nine."
    assert load(result.folder, "claims").num_rows == len(made_up_build.claims)
    corpus = load(result.folder, "corpus")
    assert set(corpus["kind"]) == {"article"}
    assert corpus[0]["text"].startswith("Article 1")
    context = load(result.folder, "context_units")
    assert {row["id"]: row["text"] for row in context} == {u.id: u.text for u in made_up_build.context_units}


def test_a_category_is_its_name_for_every_reader(made_up_build, tmp_path, load, source_of, rows_of):
    folder = make_release(tmp_path / "r", source_of(made_up_build)).folder
    qa = load(folder, "qa")
    expected = [row["category"] for row in rows_of(folder, "qa")]
    assert "false_premise" in expected
    assert qa["category"][:] == qa.to_pandas()["category"].tolist() == expected
    found = qa.filter(lambda row: row["category"] == "false_premise")
    assert found.num_rows == expected.count("false_premise")


def test_a_question_row_is_its_item_with_its_act_and_how_it_was_generated(
    made_up_build, tmp_path, rows_of, source_of
):
    rows = {row["id"]: row for row in rows_of(make_release(tmp_path, source_of(made_up_build)).folder, "qa")}
    assert len(rows) == len(made_up_build.questions)
    for question in made_up_build.questions:
        row = rows[question.id]
        plain = question.model_dump(
            mode="json", exclude={"quotations", "generated_by", "context_sha256", "suitability_reason"}
        )
        assert {name: row[name] for name in plain if name != "context_unit_ids"} == {
            name: value for name, value in plain.items() if name != "context_unit_ids"
        }
        trace = question.generated_by.model_dump(exclude={"request_key"})
        assert {name: row[name] for name in trace} == trace
        assert row["act_id"] == act_id(question.language)
        assert (row["celex"], row["eli"]) == (question.law_id.split("/")[1], None)
        assert row["title"] == f"Regulation on village libraries ({question.language})"
        assert (row["version_date"], row["versions"], row["in_force"]) == (
            date(2024, 1, 1),
            [row["act_id"]],
            True,
        )


def test_quotations_stand_in_the_act_in_the_context_and_in_the_released_context_unit(
    made_up_build, tmp_path, rows_of, source_of
):
    folder = make_release(tmp_path, source_of(made_up_build)).folder
    units = {(row["act_id"], row["id"]): row for row in rows_of(folder, "context_units")}
    seen = 0
    for row in rows_of(folder, "qa"):
        text = made_up_build.texts[row["act_id"]]
        chosen = [units[row["act_id"], unit_id]["text"] for unit_id in row["context_unit_ids"]]
        assert row["context"] == "\n\n".join(chosen)
        for evidence in row["evidence"]:
            unit = units[row["act_id"], evidence["context_unit_id"]]
            start, end = evidence["start"], evidence["end"]
            assert text[start:end] == evidence["quotation"]
            assert unit["text"][start - unit["start"] : end - unit["start"]] == evidence["quotation"]
            seen += 1
    assert seen >= len(made_up_build.questions)


def test_a_false_premise_is_a_struct_and_any_other_question_has_none(
    made_up_build, tmp_path, load, source_of
):
    qa = load(make_release(tmp_path / "r", source_of(made_up_build)).folder, "qa")
    for row in qa:
        premise = row["false_premise"]
        if row["category"] != "false_premise":
            assert premise is None
            continue
        assert set(premise) == {"kind", "sentence", "original", "altered", "truth", "belief"}
        assert premise["truth"].replace(premise["original"], premise["altered"]) == premise["belief"]


def test_a_claim_row_is_its_item_with_its_question_act_and_units(made_up_build, tmp_path, rows_of, source_of):
    folder = make_release(tmp_path, source_of(made_up_build)).folder
    questions = {row["id"]: row for row in rows_of(folder, "qa")}
    claims = {claim.id: claim for claim in made_up_build.claims}
    rows = rows_of(folder, "claims")
    assert len(rows) == len(claims)
    for row in rows:
        claim, question = claims[row["id"]], questions[row["question_id"]]
        plain = claim.model_dump(mode="json", exclude={"extracted_by", "labelled_by"})
        assert {name: row[name] for name in plain} == plain
        for name in ("question", "act_id", "versions", "in_force"):
            assert row[name] == question[name]
        assert row["unit_ids"] == list(dict.fromkeys(e["unit_id"] for e in question["evidence"]))
        assert (row["extracted_by"], row["labelled_by"]) == ("made-up-model", "made-up-judge")
        assert row["label_prompt_id"] == "p/1"


def test_a_question_on_two_units_gives_its_claims_both(made_up_build, tmp_path, rows_of, source_of):
    folder = make_release(tmp_path, source_of(made_up_build)).folder
    multi = {row["id"] for row in rows_of(folder, "qa") if row["hop"] == "multi"}
    of_multi = [row for row in rows_of(folder, "claims") if row["question_id"] in multi]
    assert [len(row["unit_ids"]) for row in of_multi] == [2] * 4


def test_a_question_that_holds_in_two_versions_is_one_row_of_the_newer(
    two_versions, tmp_path, rows_of, source_of
):
    rows = rows_of(make_release(tmp_path, source_of(two_versions)).folder, "qa")
    assert sorted(row["id"] for row in rows) == sorted(one.id for one in two_versions.questions)
    old, new = act_id("en"), act_id("en", SECOND)
    both = [row for row in rows if row["versions"] == [old, new]]
    retired = [row for row in rows if row["versions"] == [old] and row["language"] == "en"]
    assert len(both) == 8
    assert len(retired) == 5
    for row in both:
        assert (row["act_id"], row["version_date"], row["in_force"]) == (new, date(2025, 6, 1), True)
        first, second = row["occurrences"]
        assert (first["act_id"], first["version_date"]) == (old, date(2024, 1, 1))
        assert (second["act_id"], second["version_date"]) == (new, date(2025, 6, 1))
        assert row["evidence"] == second["evidence"]
        assert [e["start"] - 100 for e in second["evidence"]] == [e["start"] for e in first["evidence"]]
        assert all(e["unit_id"].startswith(new) for e in row["evidence"])
    for row in retired:
        assert (row["act_id"], row["version_date"], row["in_force"]) == (old, date(2024, 1, 1), False)
        [only] = row["occurrences"]
        assert (only["act_id"], only["evidence"]) == (old, row["evidence"])
    french = [row for row in rows if row["language"] == "fr"]
    assert {(row["act_id"], row["in_force"]) for row in french} == {(act_id("fr"), True)}


def test_claims_follow_their_question_to_the_newest_version(two_versions, tmp_path, rows_of, source_of):
    folder = make_release(tmp_path, source_of(two_versions)).folder
    questions = {row["id"]: row for row in rows_of(folder, "qa")}
    rows = rows_of(folder, "claims")
    assert sorted(row["id"] for row in rows) == sorted(one.id for one in two_versions.claims)
    for row in rows:
        question = questions[row["question_id"]]
        assert [row[n] for n in ("act_id", "versions", "in_force")] == [
            question[n] for n in ("act_id", "versions", "in_force")
        ]
        assert all(unit_id.startswith(row["act_id"]) for unit_id in row["unit_ids"])


def test_texts_are_one_row_per_version(two_versions, tmp_path, rows_of, source_of):
    folder = make_release(tmp_path, source_of(two_versions)).folder
    corpus, context = rows_of(folder, "corpus"), rows_of(folder, "context_units")
    old, new, french = act_id("en"), act_id("en", SECOND), act_id("fr")
    assert [row["act_id"] for row in corpus] == [new] * 3 + [old] * 3 + [french] * 2
    assert [row["act_id"] for row in context] == [new] * 2 + [old] * 3 + [french] * 2
    for row in (*corpus, *context):
        assert row["newest_version"] == (row["act_id"] != old)
        assert row["version_date"].isoformat() == row["act_id"].split("/")[2]
    assert len({(row["act_id"], row["id"]) for row in context}) == 7
    assert len({row["id"] for row in context}) == 5


def test_rows_stand_by_law_and_language_then_in_the_order_of_the_newest_text(
    two_versions, tmp_path, rows_of, source_of
):
    folder = make_release(tmp_path, source_of(two_versions)).folder
    qa = rows_of(folder, "qa")
    acts = [act_id("en", SECOND), act_id("en"), act_id("fr")]
    places = [(acts.index(row["act_id"]), row["evidence"][0]["start"], row["id"]) for row in qa]
    assert places == sorted(places)
    order = {row["id"]: place for place, row in enumerate(qa)}
    claims = [(order[row["question_id"]], row["order"]) for row in rows_of(folder, "claims")]
    assert claims == sorted(claims)
    corpus = [row["start"] for row in rows_of(folder, "corpus")]
    assert corpus[:3] == sorted(corpus[:3])


def test_a_multi_hop_question_stands_where_its_first_quotation_does(
    made_up_build, tmp_path, rows_of, source_of
):
    multi = next(one for one in made_up_build.questions if one.hop == "multi")
    occurrences = [
        one.model_copy(update={"evidence": one.evidence[::-1]}) if one.question_id == multi.id else one
        for one in made_up_build.occurrences
    ]
    folder = make_release(tmp_path, source_of(made_up_build, occurrences=occurrences)).folder
    starts = [min(e["start"] for e in row["evidence"]) for row in rows_of(folder, "qa")[:13]]
    assert starts == sorted(starts)


def test_a_question_without_a_quotation_stands_where_its_context_does(
    made_up_build, tmp_path, rows_of, source_of
):
    last = made_up_build.context_units[2]
    bare = [one.id for one in made_up_build.questions if one.context_unit_ids == (last.id,)]
    occurrences = [
        one.model_copy(update={"evidence": ()}) if one.question_id in bare else one
        for one in made_up_build.occurrences
    ]
    folder = make_release(tmp_path, source_of(made_up_build, occurrences=occurrences)).folder
    assert [row["id"] for row in rows_of(folder, "qa")[9:13]] == sorted(bare)
    assert all(row["unit_ids"] == [] for row in rows_of(folder, "claims") if row["question_id"] in bare)


def test_of_an_item_in_the_tables_of_two_versions_the_newer_row_is_taken(
    two_versions, tmp_path, rows_of, source_of
):
    source = source_of(two_versions)
    old, new = act_id("en"), act_id("en", SECOND)

    class ByAct:
        """Each version has its own tables of the items, and tells them apart by the rationale and the sentence."""

        acts, runs, counts = source.acts, source.runs, source.counts
        units, context_units, occurrences = source.units, source.context_units, source.occurrences
        chunks, answers, retrievals = source.chunks, source.answers, source.retrievals
        rejected = source.rejected

        def questions(self, act):
            return [q.model_copy(update={"rationale": f"as in {act}"}) for q in source.questions(act)]

        def claims(self, act):
            return [c.model_copy(update={"sentence": f"as in {act}"}) for c in source.claims(act)]

    folder = make_release(tmp_path, ByAct()).folder
    english = [row for row in rows_of(folder, "qa") if row["language"] == "en"]
    assert {row["act_id"] for row in english} == {old, new}
    assert {row["rationale"] for row in english} == {f"as in {new}"}
    claims = [row for row in rows_of(folder, "claims") if row["language"] == "en"]
    assert {row["sentence"] for row in claims} == {f"as in {new}"}
    assert len(claims) == len({row["id"] for row in claims}) == 26


def test_only_articles_recitals_and_annexes_are_the_corpus(made_up_build, tmp_path, rows_of, source_of):
    units = made_up_build.units
    articles = [place for place, unit in enumerate(units) if unit.kind is UnitKind.ARTICLE]
    for place, kind in zip(articles, (UnitKind.RECITAL, UnitKind.ANNEX, UnitKind.SECTION), strict=False):
        units[place] = units[place].model_copy(update={"kind": kind})
    folder = make_release(tmp_path, source_of(made_up_build)).folder
    assert [row["kind"] for row in rows_of(folder, "corpus")] == ["recital", "annex", "article", "article"]


def test_what_an_expert_rejected_is_left_out_with_its_claims(made_up_build, tmp_path, rows_of, source_of):
    rejected = {"review": ReviewStatus.EXPERT_REJECTED}
    questions, claims = made_up_build.questions, made_up_build.claims
    questions[1] = questions[1].model_copy(update=rejected)
    claims[0] = claims[0].model_copy(update=rejected)
    folder = make_release(tmp_path, source_of(made_up_build)).folder
    assert questions[1].id not in {row["id"] for row in rows_of(folder, "qa")}
    left = {row["id"] for row in rows_of(folder, "claims")}
    assert left == {c.id for c in claims[1:] if c.question_id != questions[1].id}


@pytest.mark.parametrize(
    ("row", "nouns", "own"),
    [
        (CorpusRow, {"unit": Unit}, {"newest_version", "unit_id", "title", "celex", "eli", "language", "version_date"}),
        (ContextUnitRow, {"unit": ContextUnit}, {"newest_version", "version_date"}),
        (ClaimRow, {"claim": Claim}, {"question", "act_id", "versions", "in_force", "unit_ids", "label_prompt_id"}),
        (
            QaRow,
            {"question": Question},
            {"act_id", "celex", "eli", "title", "version_date", "versions", "in_force", "context", "evidence",
             "occurrences", "model", "temperature", "temperature_note", "seed", "prompt_id", "prompt_hash"},
        ),
    ],
)  # fmt: skip
def test_every_column_that_a_noun_has_is_the_nouns(row, nouns, own):
    [noun] = nouns.values()
    assert row.model_fields.keys() - noun.model_fields.keys() == own


def test_a_column_comes_from_the_first_noun_that_has_it_unless_it_is_given():
    class Row(Noun):
        a: int
        b: int
        c: int

    class One(Noun):
        a: int = 1
        other: int = 1

    class Two(Noun):
        a: int = 2
        b: int = 2
        c: int = 2

    assert columns(Row, One(), Two(), c=3) == {"a": 1, "b": 2, "c": 3}


@pytest.mark.parametrize("table", ["units", "context_units", "questions", "occurrences", "claims"])
def test_a_stray_row_of_a_source_in_memory_is_refused(made_up_build, source_of, table):
    whole = source_of(made_up_build)
    empty = {f"all_{name}": () for name in ("units", "context_units", "questions", "occurrences", "claims")}
    alone = replace(whole, **(empty | {f"all_{table}": getattr(whole, f"all_{table}")}))
    for acts in (whole.acts[1:], whole.acts[:1]):
        with pytest.raises(StoreError, match=r"belongs to eu/\S+, which is not in the release; give its act"):
            replace(alone, acts=acts)
