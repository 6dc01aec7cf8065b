"""The card says what its rows say, and nothing that is shown in it is markup of somebody else."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from claimrag.schemas.question import Category, Hop, Persona, ReviewStatus
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import StageCounts
from claimrag.schemas.release import ChangeReason
from claimrag.tasks.evaluate.metrics import CLAIM_METRICS
from claimrag.tasks.evaluate.retrieval_metrics import RETRIEVAL_METRICS
from claimrag.tasks.release import make_release
from claimrag.tasks.release.fields import meaning_of, values_of
from claimrag.tasks.release.figures import Figures, LanguageFigures
from claimrag.tasks.release.front_matter import front_matter
from claimrag.tasks.release.history_rows import ChangeRow, RejectionRow
from claimrag.tasks.release.law_rows import QaRow
from claimrag.tasks.release.limits import limits_section
from claimrag.tasks.release.method import method_section
from claimrag.tasks.release.rejected import rejected_section
from claimrag.tasks.release.rows import CONFIGURATIONS, REQUIRED
from claimrag.tasks.release.system_rows import AnswerRow
from claimrag.tasks.validate.markdown import literal

VALIDATED = {"review": ReviewStatus.EXPERT_VALIDATED}
REJECTED = {"review": ReviewStatus.EXPERT_REJECTED}


def metadata_of(card):
    return yaml.safe_load(card.split("---\n")[1])


def test_the_figures_equal_the_published_rows(
    two_versions, tmp_path, source_of, card_of, rows_of, table_under
):
    card = card_of(source_of(two_versions, claims=two_versions.claims[4:]))
    qa, claims = rows_of(tmp_path / "0.1.0", "qa"), rows_of(tmp_path / "0.1.0", "claims")
    asked, claimed = table_under(card, "Figures"), table_under(card, "Figures", 1)
    assert (
        [line["language"] for line in asked]
        == [line["language"] for line in claimed]
        == ["en", "fr", "total"]
    )
    assert list(asked[0]) == [
        "language", "questions", "citizen", "civil officer", "legal expert", "general research", "factual recall",
        "false premise", "jurisdiction time", "single-hop", "multi-hop",
    ]  # fmt: skip
    assert list(claimed[0]) == [
        "language",
        "answers with claims",
        "claims",
        "entailment",
        "neutral",
        "contradiction",
    ]
    for line in asked:
        rows = [row for row in qa if line["language"] in (row["language"], "total")]
        assert int(line["questions"]) == len(rows)
        for field, values in (("persona", Persona), ("category", Category), ("hop", Hop)):
            for value in values:
                shown = f"{value}-hop" if field == "hop" else value.replace("_", " ")
                assert int(line[shown]) == sum(row[field] == value for row in rows)
    for line in claimed:
        rows = [row for row in claims if line["language"] in (row["language"], "total")]
        assert int(line["claims"]) == len(rows)
        assert int(line["answers with claims"]) == len({row["question_id"] for row in rows})
        for label in ("Entailment", "Neutral", "Contradiction"):
            assert int(line[label.lower()]) == sum(row["label"] == label for row in rows)


def test_the_configurations_are_counted(made_up_build, tmp_path, source_of, table_under):
    result = make_release(tmp_path, source_of(made_up_build))
    card = (Path(result.folder) / "README.md").read_text()
    lines = table_under(card, "Configurations")
    assert {line["configuration"].strip("`"): int(line["rows"]) for line in lines} == result.release.rows
    assert all(line["rows are"] for line in lines)


def test_with_one_version_of_each_law_the_introduction_is_short(made_up_build, source_of, card_of):
    card = card_of(source_of(made_up_build))
    laws = "Regulation on village libraries (en) (32020R0001) and Regulation on village libraries (fr) (32021R0001)"
    assert (
        f"\n# Claim-level RAG benchmark on {laws}\n\nA benchmark on 2 laws: {laws}.\n\nVersion 0.1.0: "
        in card
    )
    assert (
        "Version 0.1.0: 18 questions with reference answers and exact quotations of the law, 36 claims taken from the "
        "answers, in en, fr. The texts are 2 dated versions of 2 laws, each language counted by itself. Each question "
        "names the version in which it holds. Each quotation is the text of that version, character for character.\n"
    ) in card
    assert 'load_dataset("path/or/name", "qa", split="test")' in card


def test_with_several_versions_the_introduction_says_how_questions_are_bound(
    two_versions, source_of, card_of
):
    card = card_of(source_of(two_versions))
    assert "The texts are 3 dated versions of 2 laws" in card
    assert "A question that holds in several versions is one row: `versions` names them all" in card
    assert (
        " is one of them. 8 of the questions hold in several versions, 5 no longer in the newest. Each"
        in card
    )
    assert "bound to one" not in card


def test_one_of_anything_is_counted_in_the_singular(made_up_build, source_of, card_of):
    acts = [act for act in made_up_build.acts if act.language == "en"]
    english = [one for one in made_up_build.questions if one.language == "en"][:1]
    chosen = {act.id for act in acts}
    card = card_of(
        source_of(
            made_up_build,
            acts=acts,
            units=[one for one in made_up_build.units if one.act_id in chosen],
            context_units=[one for one in made_up_build.context_units if one.act_id in chosen],
            questions=english,
            occurrences=[one for one in made_up_build.occurrences if one.question_id == english[0].id],
            claims=[one for one in made_up_build.claims if one.question_id == english[0].id][:1],
            runs=(),
        )
    )
    assert "A benchmark on 1 law: Regulation on village libraries (en) (32020R0001).\n" in card
    assert "1 question with" in card
    assert "1 claim taken" in card
    assert "1 dated version of 1 law," in card
    assert "1 label was asked for" in card


def test_the_acts_say_which_versions_there_are_and_how_many_questions_hold_in_each(
    two_versions, source_of, card_of, table_under
):
    acts = [
        two_versions.acts[0],
        two_versions.acts[1],
        two_versions.acts[2].model_copy(update={"consolidated": True}),
    ]
    lines = table_under(card_of(source_of(two_versions, acts=acts)), "Licence and attribution")
    assert [(line["language"], line["version"], line["questions"]) for line in lines] == [
        ("en", "2025-06-01, consolidated, the newest here", "8"),
        ("en", "2024-01-01, as adopted", "13"),
        ("fr", "2024-01-01, as adopted", "5"),
    ]
    assert lines[0]["number"] == "32020R0001"
    assert (lines[0]["licence"], lines[0]["attribution"]) == ("CC BY 4.0", "The village")
    assert (
        lines[0]["source"] == "<https\\://example.org/law>"
        or lines[0]["source"] == "<https://example.org/law>"
    )


def test_an_act_is_named_by_its_eli_or_work_and_a_source_without_address_by_its_hash(
    made_up_build, source_of, card_of, table_under
):
    english, french = made_up_build.acts
    acts = [
        english.model_copy(
            update={"celex": None, "eli": "eli/x", "source_address": None, "title": "t" * 161}
        ),
        french.model_copy(
            update={"celex": None, "source_address": "https://example.org/a b", "title": "t" * 160}
        ),
    ]
    first, second = table_under(card_of(source_of(made_up_build, acts=acts)), "Licence and attribution")
    assert (first["number"], second["number"]) == ("eli/x", "32021R0001")
    assert first["source"] == f"SHA-256 {english.raw_sha256[:12]}"
    assert second["source"] == "https\\://example.org/a b"
    assert (first["act"], second["act"]) == ("t" * 159 + "…", "t" * 160)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://example.org/a", "<http://example.org/a>"),
        ("https://example.org/é", "https\\://example.org/é"),
        ("https://example.org/>x", "https\\://example.org/>x"),
        ("ftp://example.org", "ftp\\://example.org"),
    ],
)
def test_only_a_plain_web_address_is_a_link(made_up_build, source_of, card_of, table_under, address, shown):
    acts = [act.model_copy(update={"source_address": address}) for act in made_up_build.acts]
    line = table_under(card_of(source_of(made_up_build, acts=acts)), "Licence and attribution")[0]
    assert line["source"] == shown


def test_a_hostile_title_changes_neither_yaml_nor_markdown(made_up_build, source_of, card_of, table_under):
    title = "x\n---\nlicense: mit\n# [win](https://evil.example) | <b> {{ 1 }}"
    update = {"title": title, "licence": "mine\nlicense: mit", "source_address": "javascript:1"}
    acts = [act.model_copy(update=update) for act in made_up_build.acts]
    card = card_of(source_of(made_up_build, acts=acts))
    assert metadata_of(card)["license"] == "other"
    lines = table_under(card, "Licence and attribution")
    assert len(lines) == len(acts)
    assert lines[0]["source"] == "javascript\\:1"
    outside_of_code = re.sub(r"^```.*?^```$", "", card, flags=re.DOTALL | re.MULTILINE)
    assert outside_of_code.endswith("The same stands in `CITATION.cff`.\n")
    for markup in ("[win](", "<b>", "\n# ["):
        assert markup not in outside_of_code


def test_the_metadata_names_configurations_languages_licence_and_size(made_up_build, tmp_path, source_of):
    result = make_release(tmp_path, source_of(made_up_build))
    metadata = metadata_of((Path(result.folder) / "README.md").read_text())
    assert [(one["config_name"], one.get("default", False)) for one in metadata["configs"]] == [
        ("qa", True),
        ("claims", False),
        ("corpus", False),
        ("context_units", False),
        ("runs", False),
        ("rejected", False),
    ]
    for one in metadata["configs"]:
        assert one["data_files"] == [{"split": "test", "path": f"data/{one['config_name']}/test.parquet"}]
    assert (metadata["language"], metadata["license"]) == (["en", "fr"], ["cc-by-4.0"])
    assert metadata["size_categories"] == ["n<1K"]
    assert metadata["annotations_creators"] == ["machine-generated"]


@pytest.mark.parametrize(
    ("rows", "size"),
    [(999, "n<1K"), (1_000, "1K<n<10K"), (9_999, "1K<n<10K"), (10_000, "10K<n<100K"), (100_000, "100K<n<1M"),
     (1_000_000, "1M<n<10M")],
)  # fmt: skip
def test_the_size_is_that_of_the_largest_configuration(made_up_build, rows, size):
    figures = Figures()
    figures.rows.update({"qa": 5, "claims": rows})
    block = front_matter(made_up_build.acts, figures, dict.fromkeys(CONFIGURATIONS, "0"))
    assert yaml.safe_load(block.strip("-\n"))["size_categories"] == [size]


def test_two_folders_of_one_version_do_not_share_a_cache(made_up_build, changed, tmp_path, source_of, load):
    one = make_release(tmp_path / "one", source_of(made_up_build))
    other = make_release(tmp_path / "other", changed)
    assert one.release.version == other.release.version
    answers = [set(load(result.folder, "qa")["answer"]) for result in (one, other)]
    assert "Another." in answers[1] - answers[0]


@pytest.mark.parametrize(
    ("licences", "expected"),
    [
        (["CC BY 4.0", " etalab-2.0"], {"license": ["cc-by-4.0", "etalab-2.0"]}),
        (
            ["CC BY 4.0", "mine"],
            {"license": "other", "license_name": "licences-of-the-acts", "license_link": "README.md"},
        ),
    ],
)
def test_licences_that_the_hub_knows_are_named_unless_one_is_not(
    made_up_build, source_of, card_of, licences, expected
):
    pairs = zip(made_up_build.acts, licences, strict=True)
    acts = [act.model_copy(update={"licence": licence}) for act, licence in pairs]
    metadata = metadata_of(card_of(source_of(made_up_build, acts=acts)))
    assert {name: metadata[name] for name in metadata if name.startswith("license")} == expected


def test_what_was_rejected_is_counted_by_reason_with_what_each_means(
    made_up_build, source_of, card_of, table_under
):
    card = card_of(source_of(made_up_build))
    [line] = table_under(card, "What was rejected")
    assert line == {
        "stage": "question shards",
        "rejected by reason": "quotation\\_not\\_found 3, malformed\\_reply 2",
        "considered": "23",
        "kept": "18",
        "rejected": "5",
    }
    assert table_under(card, "What was rejected", 1) == [
        {
            "reason": f"{reason.value}".replace("_", "\\_"),
            "means that": reason.meaning,
            "kind": reason.kind,
        }
        for reason in (Reason.QUOTATION_NOT_FOUND, Reason.MALFORMED_REPLY)
    ]


def test_stages_stand_in_the_order_given_and_without_a_rejected_row_there_is_no_legend():
    counts = {
        "units": StageCounts(considered=2, kept=2, rejected={}),
        "chunks": StageCounts(considered=1, kept=1, rejected={}),
    }
    section = rejected_section(counts)
    assert "| units | - | 2 | 2 | 0 |\n| chunks | - | 1 | 1 | 0 |" in section
    assert section.endswith("| chunks | - | 1 | 1 | 0 |")
    assert rejected_section({}) == ""


def test_reasons_with_one_count_stand_by_name():
    counts = StageCounts(considered=3, kept=0, rejected={"refusal": 1, "length": 1, "empty": 1})
    assert "| empty 1, length 1, refusal 1 |" in rejected_section({"x": counts})


def test_a_card_without_scores_or_counts_has_no_such_sections(made_up_build, source_of, card_of):
    card = card_of(source_of(made_up_build, runs=(), counts={}, rejected=()))
    for absent in ("## Baselines", "## What was rejected", "baselines answered", "## Changes", "\n\n\n"):
        assert absent not in card


def test_unreviewed_rows_are_never_called_validated(made_up_build, source_of, card_of):
    assert (
        "- Not expert-validated: 0 of 18 questions and 0 of 36 claims were reviewed by an expert. The rest is the "
        "output of models.\n"
    ) in card_of(source_of(made_up_build))


def test_reviewed_rows_are_counted_and_so_are_rejected_ones(made_up_build, source_of, card_of):
    questions, claims = made_up_build.questions, made_up_build.claims
    questions[0] = questions[0].model_copy(update=VALIDATED)
    questions[1] = questions[1].model_copy(update=REJECTED)
    claims[0] = claims[0].model_copy(update=VALIDATED)
    claims[1] = claims[1].model_copy(update=REJECTED)
    card = card_of(source_of(made_up_build))
    assert "- Partly expert-validated: 1 of 17 questions and 1 of 33 claims were reviewed" in card
    assert "- Left out because experts rejected them: 1 question, and 1 claim of other questions.\n" in card
    assert metadata_of(card)["annotations_creators"] == ["machine-generated", "expert-generated"]


def test_a_validated_claim_alone_is_an_experts_annotation(made_up_build, source_of, card_of):
    made_up_build.claims[0] = made_up_build.claims[0].model_copy(update=VALIDATED)
    card = card_of(source_of(made_up_build))
    assert "- Partly expert-validated: 0 of 18 questions and 1 of 36 claims" in card
    assert metadata_of(card)["annotations_creators"] == ["machine-generated", "expert-generated"]


def test_a_rejected_claim_alone_is_named(made_up_build, source_of, card_of):
    made_up_build.claims[0] = made_up_build.claims[0].model_copy(update=REJECTED)
    assert "- Left out because experts rejected them: 0 questions, and 1 claim of" in card_of(
        source_of(made_up_build)
    )


def test_a_release_of_which_every_row_is_validated_says_so(made_up_build, source_of, card_of):
    for rows in (made_up_build.questions, made_up_build.claims):
        rows[:] = [row.model_copy(update=VALIDATED) for row in rows]
    card = card_of(source_of(made_up_build))
    assert "- Expert-validated: 18 of 18 questions and 36 of 36 claims were reviewed by an expert.\n" in card


def test_models_are_named_by_role_and_overlaps_disclosed(made_up_build, source_of, card_of):
    card = card_of(source_of(made_up_build))
    for sentence in (
        "Questions and answers were generated by made-up-model.",
        "Claims were extracted by made-up-model and labelled by made-up-judge.",
        "The baselines answered with made-up-model, judged by made-up-judge.",
        "favour a model: made-up-judge labelled claims and judged.\n",
        "favour a model: made-up-model generated questions, extracted claims and was tested.\n",
    ):
        assert sentence in card


def test_a_model_in_one_role_is_no_overlap(made_up_build, source_of, card_of):
    claims = made_up_build.claims
    claims[:] = [
        claim.model_copy(
            update={"extracted_by": claim.extracted_by.model_copy(update={"model": "extractor"})}
        )
        for claim in claims
    ]
    card = card_of(source_of(made_up_build, runs=()))
    assert "Claims were extracted by extractor and labelled by made-up-judge." in card
    assert "Overlap of roles" not in card


def test_categories_with_few_questions_are_named_as_a_limit(made_up_build, source_of, card_of):
    card = card_of(source_of(made_up_build))
    assert (
        "- Fewer than 10 questions in en: general research 4, factual recall 3, false premise 3, jurisdiction time 3."
    ) in card


def test_a_category_with_ten_questions_is_no_limit():
    figures = Figures()
    categories = dict.fromkeys(map(str, Category), 10) | {"false_premise": 9}
    figures.by_language["en"] = LanguageFigures("en", categories=categories)
    figures.by_language["fr"] = LanguageFigures("fr", categories=dict.fromkeys(map(str, Category), 10))
    section = limits_section(figures, ())
    assert "- Fewer than 10 questions in en: false premise 9.\n" in section
    assert "in fr" not in section


def test_labels_follow_refchecker_only_where_its_prompt_asked_for_them():
    section = method_section({"refchecker-0.2.17/joint_checking_q": 30, "claims/label": 6})
    assert (
        "30 labels were asked for as RefChecker's joint check does (refchecker-0.2.17/joint\\_checking\\_q)."
        in section
    )
    assert "6 labels were asked for with the keyed check, which is claimrag's own" in section
    assert "(claims/label)." in section
    assert "joint check" not in method_section({"claims/label": 6})


def test_the_card_counts_labels_by_prompt(made_up_build, source_of, card_of):
    claims = made_up_build.claims
    claims[0] = claims[0].model_copy(
        update={"labelled_by": claims[0].labelled_by.model_copy(update={"prompt_id": "refchecker-1/q"})}
    )
    method = card_of(source_of(made_up_build)).split("## Method\n")[1]
    assert "35 labels were asked for with the keyed check" in method
    assert "1 label was asked for as RefChecker's joint check does (refchecker-1/q)." in method


def test_every_field_is_named_with_its_type_and_what_it_holds(two_versions, tmp_path, source_of, table_under):
    make_release(tmp_path, source_of(two_versions, runs=()))
    card = (Path(make_release(tmp_path, source_of(two_versions)).folder) / "README.md").read_text()
    present = [name for name in CONFIGURATIONS if f"\n**{name}**\n" in card]
    assert present == [*REQUIRED, "runs", "rejected", "changes"]
    types = {}
    for place, name in enumerate(present):
        lines = table_under(card, "Fields", place)
        assert [(line["field"].strip("`"), line["meaning"].partition(": `")[0]) for line in lines] == [
            (column, literal(meaning_of(CONFIGURATIONS[name], column)))
            for column in CONFIGURATIONS[name].model_fields
        ]
        for line in lines:
            values = values_of(CONFIGURATIONS[name], line["field"].strip("`"))
            assert (line["meaning"].partition(": `")[2] == "") is not (0 < len(values) <= 10)
        types |= {f"{name}.{line['field'].strip('`')}": line["type"] for line in lines}
    for field, kind in {
        "qa.id": "string",
        "qa.version_date": "date",
        "qa.versions": "list of strings",
        "qa.in_force": "bool",
        "qa.evidence": "list of structs",
        "qa.false_premise": "struct",
        "qa.temperature": "number",
        "qa.seed": "integer",
    }.items():
        assert types[field] == kind


@pytest.mark.parametrize("model", CONFIGURATIONS.values())
def test_every_column_has_a_meaning(model):
    assert all(meaning_of(model, column) for column in model.model_fields)


def test_the_values_of_a_column_are_those_of_its_enumeration(two_versions, source_of, card_of, table_under):
    lines = {
        line["field"]: line["meaning"] for line in table_under(card_of(source_of(two_versions)), "Fields")
    }
    listed = ", ".join(f"`{category}`" for category in Category)
    assert lines["`category`"] == f"the kind of question, CG1 to CG4 of ClaimRAG-LAW: {listed}"
    assert values_of(RejectionRow, "kind") == ("judgement", "malfunction")
    assert values_of(ChangeRow, "reason") == tuple(ChangeReason)
    assert values_of(QaRow, "question") == values_of(QaRow, "versions") == ()


def test_a_metric_means_what_its_legend_says():
    for metric in (*CLAIM_METRICS, *RETRIEVAL_METRICS):
        assert meaning_of(AnswerRow, metric.name) == metric.legend


def test_the_example_is_the_first_question_shortened(
    made_up_build, tmp_path, source_of, rows_of, table_under
):
    texts = {"answer": "a" * 121, "rationale": "b" * 120}
    long = [one.model_copy(update=texts) for one in made_up_build.questions]
    folder = make_release(tmp_path, source_of(made_up_build, questions=long)).folder
    row = rows_of(folder, "qa")[0]
    card = (Path(folder) / "README.md").read_text()
    shown = {line["field"].strip("`"): line["value"] for line in table_under(card, "Example")}
    assert list(shown) == list(row)
    assert row["answer"] == "a" * 121
    assert (shown["answer"], shown["rationale"]) == ("a" * 119 + "…", "b" * 120)
    assert (shown["question"], shown["id"]) == (literal(row["question"]), literal(row["id"]))
    assert (shown["in_force"], shown["version_date"], shown["eli"]) == ("true", "2024-01-01", "null")
    assert json.loads(re.sub(r"\\(.)", r"\1", shown["context_unit_ids"])) == row["context_unit_ids"]


def test_the_numbers_of_the_introduction_and_of_the_acts_equal_the_published_rows(
    two_versions, tmp_path, source_of, card_of, rows_of, table_under
):
    card = card_of(source_of(two_versions))
    qa, claims = rows_of(tmp_path / "0.1.0", "qa"), rows_of(tmp_path / "0.1.0", "claims")
    corpus = rows_of(tmp_path / "0.1.0", "corpus")
    acts = {row["act_id"] for row in corpus}
    expressions = {(act.rsplit("/", 2)[0], act.rsplit("/", 1)[1]) for act in acts}
    several, old = sum(len(row["versions"]) > 1 for row in qa), sum(not row["in_force"] for row in qa)
    for sentence in (
        f"A benchmark on {len({law for law, _ in expressions})} laws: ",
        f"Version 0.1.0: {len(qa)} questions with reference",
        f"the law, {len(claims)} claims taken from",
        f"The texts are {len(acts)} dated versions of {len(expressions)} laws,",
        f"{several} of the questions hold in several versions, {old} no longer in the newest.",
    ):
        assert sentence in card
    holding = Counter(act for row in qa for act in row["versions"])
    shown = [int(line["questions"]) for line in table_under(card, "Licence and attribution")]
    assert sorted(shown) == sorted(holding[act] for act in acts)


def test_the_same_source_with_a_later_version_keeps_its_sections(two_versions, tmp_path, source_of, card_of):
    source = source_of(two_versions)
    first, second = card_of(source), card_of(replace(source, runs=()))
    headings = [[line for line in card.splitlines() if line.startswith("## ")] for card in (first, second)]
    assert headings[0] == [
        "## Configurations", "## Example", "## Figures", "## What was rejected", "## Baselines", "## Limits",
        "## Licence and attribution", "## Fields", "## Method", "## Citation",
    ]  # fmt: skip
    assert headings[1] == [
        "## Configurations", "## Example", "## Figures", "## What was rejected", "## Limits", "## Changes since 0.1.0",
        "## Licence and attribution", "## Fields", "## Method", "## Citation",
    ]  # fmt: skip
    assert "Made with claimrag.\n\n## Citation\n" in second
