"""A release folder is read by `datasets`, says only what its tables say, and never half exists."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from claimrag.schemas.errors import EmptyStageError, InputError, StoreError
from claimrag.schemas.question import ReviewStatus
from claimrag.schemas.rejected import StageCounts
from claimrag.tasks.release import (
    ReleaseContent,
    damaged_files,
    latest_release,
    make_release,
    read_release,
)


def content_of(made_up, **changes):
    counts = StageCounts(
        considered=len(made_up.questions) + 5,
        kept=len(made_up.questions),
        rejected={"malformed_reply": 2, "no_quotation": 3},
    )
    tables = {
        name: getattr(made_up, name)
        for name in ("acts", "units", "context_units", "questions", "claims", "chunks", "runs")
    }
    return ReleaseContent(**(tables | {"counts": {"questions": counts}} | changes))


def files_of(folder):
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(Path(folder).rglob("*")) if p.is_file()
    }


def table_under(card, heading, number=0):
    """The rows of a Markdown table of a section, as dictionaries by column."""
    section = card.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    tables = [[]]
    for line in section.splitlines():
        if line.startswith("|"):
            tables[-1].append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif tables[-1]:
            tables.append([])
    headings, _, *lines = tables[number]
    return [dict(zip(headings, line, strict=True)) for line in lines]


@pytest.fixture
def load(monkeypatch, tmp_path):
    """`datasets.load_dataset` with a cache of its own and no network."""
    import datasets

    cache = str(tmp_path / "hf-cache")
    return lambda folder, name: datasets.load_dataset(str(folder), name, split="test", cache_dir=cache)


def test_datasets_reads_typed_rows_of_every_configuration(made_up_build, tmp_path, load):
    import datasets

    made = make_release(tmp_path / "releases", content_of(made_up_build))
    qa = load(made.folder, "qa")
    assert qa.num_rows == len(made_up_build.questions) == made.release.rows["qa"]
    assert qa.features["version_date"] == datasets.Value("date32")
    assert qa.features["temperature"] == datasets.Value("float64")
    assert qa.features["evidence"].feature["start"] == datasets.Value("int64")
    by_id = {row["id"]: row for row in qa}
    for question in made_up_build.questions:
        row = by_id[question.id]
        assert row["answer"] == question.answer
        assert row["version_date"] == date(2024, 1, 1)
        assert row["celex"] == question.act_id.split("/")[1]
        for evidence in row["evidence"]:
            text = made_up_build.texts[question.act_id]
            assert text[evidence["start"] : evidence["end"]] == evidence["quotation"]
            assert evidence["quotation"] in row["context"]
    claims = load(made.folder, "claims")
    assert sorted(claims["id"]) == sorted(claim.id for claim in made_up_build.claims)
    assert set(claims["labelled_by"]) == {"made-up-judge"}
    corpus = load(made.folder, "corpus")
    assert set(corpus["kind"]) == {"article"}
    assert corpus[0]["path"] == ["Title I"]
    context = load(made.folder, "context_units")
    assert {row["id"]: row["text"] for row in context} == {u.id: u.text for u in made_up_build.context_units}


def test_two_folders_of_one_version_do_not_share_a_cache(made_up_build, tmp_path, load):
    whole = content_of(made_up_build)
    fewer = replace(
        whole,
        questions=whole.questions[:-1],
        claims=[claim for claim in whole.claims if claim.question_id != whole.questions[-1].id],
    )
    one = make_release(tmp_path / "one", whole)
    other = make_release(tmp_path / "other", fewer)
    assert one.release.version == other.release.version
    assert len(load(one.folder, "qa")) == len(load(other.folder, "qa")) + 1


def test_a_quotation_is_found_in_its_released_context_unit(made_up_build, tmp_path):
    made = make_release(tmp_path, content_of(made_up_build))
    read = {
        name: pq.read_table(Path(made.folder) / f"data/{name}/test.parquet").to_pylist()
        for name in ("qa", "context_units")
    }
    units = {row["id"]: row for row in read["context_units"]}
    for row in read["qa"]:
        for evidence in row["evidence"]:
            unit = units[evidence["context_unit_id"]]
            start, end = evidence["start"] - unit["start"], evidence["end"] - unit["start"]
            assert unit["text"][start:end] == evidence["quotation"]


def test_the_same_tables_in_another_order_give_the_same_bytes(make_build, tmp_path):
    first = make_release(tmp_path / "a", content_of(make_build()), lineage={"b": "2", "a": "1"})
    shuffled = make_build()
    for rows in shuffled.table_lists().values():
        rows.reverse()
    second = make_release(tmp_path / "b", content_of(shuffled), lineage={"a": "1", "b": "2"})
    assert files_of(first.folder) == files_of(second.folder)
    assert first.release == second.release


def test_when_an_act_was_fetched_is_no_part_of_the_release(make_build, tmp_path):
    first = make_release(tmp_path / "a", content_of(make_build()))
    later = make_build()
    later.acts[0] = later.acts[0].model_copy(update={"retrieved_at": datetime(2025, 1, 1, tzinfo=UTC)})
    second = make_release(tmp_path / "b", content_of(later))
    assert files_of(first.folder) == files_of(second.folder)


def test_every_file_has_its_recorded_hash_and_size(made_up_build, tmp_path):
    made = make_release(tmp_path, content_of(made_up_build))
    files = files_of(made.folder)
    assert {f.path: f.bytes for f in made.release.files} == {
        path: len(data) for path, data in files.items() if path != "release.json"
    }
    assert damaged_files(tmp_path, made.release) == []
    (Path(made.folder) / "README.md").write_text("other")
    (Path(made.folder) / "data/qa/test.parquet").unlink()
    assert damaged_files(tmp_path, made.release) == ["README.md", "data/qa/test.parquet"]


def test_the_card_figures_equal_the_published_rows(made_up_build, tmp_path):
    made = make_release(tmp_path, content_of(made_up_build))
    card = (Path(made.folder) / "README.md").read_text()
    qa = pq.read_table(Path(made.folder) / "data/qa/test.parquet").to_pylist()
    claims = pq.read_table(Path(made.folder) / "data/claims/test.parquet").to_pylist()
    for line in table_under(card, "Figures"):
        rows = [row for row in qa if line["language"] in (row["language"], "total")]
        assert int(line["questions"]) == len(rows)
        for field in ("persona", "category", "hop"):
            for value in {row[field] for row in rows}:
                shown = f"{value}-hop" if field == "hop" else value.replace("_", " ")
                assert int(line[shown]) == sum(row[field] == value for row in rows)
    for line in table_under(card, "Figures", 1):
        rows = [row for row in claims if line["language"] in (row["language"], "total")]
        assert int(line["claims"]) == len(rows)
        assert int(line["answers with claims"]) == len({row["question_id"] for row in rows})
        for label in ("Entailment", "Neutral", "Contradiction"):
            assert int(line[label.lower()]) == sum(row["label"] == label for row in rows)
    rows_by_configuration = {
        line["configuration"].strip("`"): int(line["rows"]) for line in table_under(card, "Configurations")
    }
    assert rows_by_configuration == made.release.rows


def test_the_card_states_what_was_rejected_and_the_scores_with_over_how_many(made_up_build, tmp_path):
    made = make_release(tmp_path, content_of(made_up_build))
    card = (Path(made.folder) / "README.md").read_text()
    [line] = table_under(card, "What was rejected")
    assert (line["considered"], line["kept"], line["rejected"]) == ("23", "18", "5")
    assert line["rejected by reason"] == "no\\_quotation 3, malformed\\_reply 2"
    english = next(line for line in table_under(card, "Baselines") if line["Lang"] == "EN")
    assert (english["P"], english["FT"]) == ("50.0", "n/a")
    intervals = table_under(card, "Baselines", 2)
    assert [line["Scored"] for line in intervals if line["Lang"] == "EN"] == ["12/13", "0/13"]


def test_a_card_without_scores_or_counts_has_no_such_sections(made_up_build, tmp_path):
    made = make_release(tmp_path, content_of(made_up_build, runs=(), counts={}))
    card = (Path(made.folder) / "README.md").read_text()
    assert "## Baselines" not in card
    assert "## What was rejected" not in card
    assert "baselines answered" not in card


def test_unreviewed_rows_are_never_called_validated(made_up_build, tmp_path):
    made = make_release(tmp_path, content_of(made_up_build))
    card = (Path(made.folder) / "README.md").read_text()
    assert "Not expert-validated: 0 of 18 questions and 0 of 36 claims were reviewed by an expert." in card
    assert yaml.safe_load(card.split("---\n")[1])["annotations_creators"] == ["machine-generated"]


def test_reviewed_rows_are_counted_and_rejected_ones_left_out_with_their_claims(made_up_build, tmp_path):
    questions = made_up_build.questions
    questions[0] = questions[0].model_copy(update={"review": ReviewStatus.EXPERT_VALIDATED})
    questions[1] = questions[1].model_copy(update={"review": ReviewStatus.EXPERT_REJECTED})
    made = make_release(tmp_path, content_of(made_up_build))
    card = (Path(made.folder) / "README.md").read_text()
    assert "Partly expert-validated: 1 of 17 questions and 0 of 34 claims" in card
    assert "1 questions that experts rejected are left out" in card
    data = Path(made.folder) / "data/claims/test.parquet"
    assert questions[1].id not in pq.read_table(data)["question_id"].to_pylist()


def test_a_release_wholly_validated_says_so(made_up_build, tmp_path):
    for rows in (made_up_build.questions, made_up_build.claims):
        rows[:] = [row.model_copy(update={"review": ReviewStatus.EXPERT_VALIDATED}) for row in rows]
    made = make_release(tmp_path, content_of(made_up_build))
    card = (Path(made.folder) / "README.md").read_text()
    assert "Expert-validated: 18 of 18 questions and 36 of 36 claims were reviewed by an expert.\n" in card


def test_a_model_in_two_roles_is_disclosed(made_up_build, tmp_path):
    card = (Path(make_release(tmp_path, content_of(made_up_build)).folder) / "README.md").read_text()
    assert "made-up-model generated questions, extracted claims and was tested" in card
    assert "made-up-judge labelled claims and judged" in card


def test_a_hostile_title_changes_neither_yaml_nor_markdown(made_up_build, tmp_path):
    title = "x\n---\nlicense: mit\n# [win](https://evil.example) | <b> {{ 1 }}"
    acts = [
        act.model_copy(
            update={"title": title, "licence": "mine\nlicense: mit", "source_address": "javascript:1"}
        )
        for act in made_up_build.acts
    ]
    made = make_release(tmp_path, content_of(made_up_build, acts=acts))
    card = (Path(made.folder) / "README.md").read_text()
    metadata = yaml.safe_load(card.split("---\n")[1])
    assert metadata["license"] == "other"
    assert [config["config_name"] for config in metadata["configs"]] == [
        "qa",
        "claims",
        "corpus",
        "context_units",
    ]
    lines = table_under(card, "Licence and attribution")
    assert len(lines) == len(acts)
    assert "[win](" not in card
    assert "<b>" not in card
    assert "\n# [" not in card
    assert lines[0]["source"] == "javascript\\:1"


def test_licences_that_the_hub_knows_are_named_in_the_metadata(made_up_build, tmp_path):
    card = (Path(make_release(tmp_path, content_of(made_up_build)).folder) / "README.md").read_text()
    assert yaml.safe_load(card.split("---\n")[1])["license"] == ["cc-by-4.0"]


def test_an_act_without_an_address_is_named_by_its_hash(made_up_build, tmp_path):
    acts = [act.model_copy(update={"source_address": None}) for act in made_up_build.acts]
    card = (
        Path(make_release(tmp_path, content_of(made_up_build, acts=acts)).folder) / "README.md"
    ).read_text()
    source = table_under(card, "Licence and attribution")[0]["source"]
    assert source == f"SHA-256 {acts[0].raw_sha256[:12]}"


def test_unchanged_content_makes_no_new_release(make_build, tmp_path):
    first = make_release(tmp_path, content_of(make_build()))
    before = files_of(tmp_path)
    again = make_release(
        tmp_path, content_of(make_build()), previous=first.release, lineage={"run": "another"}
    )
    assert (first.created, again.created) == (True, False)
    assert again.release == first.release
    assert files_of(tmp_path) == before


def test_without_knowing_the_previous_one_the_same_version_is_found_again(make_build, tmp_path):
    first = make_release(tmp_path, content_of(make_build()))
    again = make_release(tmp_path, content_of(make_build()))
    assert (again.created, again.release) == (False, first.release)


def test_an_unchanged_release_whose_folder_is_gone_is_written_again(make_build, tmp_path):
    first = make_release(tmp_path / "a", content_of(make_build()))
    again = make_release(tmp_path / "b", content_of(make_build()), previous=first.release)
    assert again.created
    assert files_of(again.folder) == files_of(first.folder)


def test_changed_rows_raise_the_minor_version_and_the_card_counts_them(make_build, tmp_path):
    first = make_release(tmp_path, content_of(make_build()))
    made_up = make_build()
    gone = made_up.questions.pop()
    made_up.claims[:] = [claim for claim in made_up.claims if claim.question_id != gone.id]
    made_up.questions[0] = made_up.questions[0].model_copy(update={"answer": "Another answer."})
    second = make_release(tmp_path, content_of(made_up), previous=latest_release(tmp_path))
    assert (first.release.version, second.release.version) == ("0.1.0", "0.2.0")
    assert second.release.previous == "0.1.0"
    card = (Path(second.folder) / "README.md").read_text()
    changes = {line["configuration"]: line for line in table_under(card, "Changes since 0.1.0")}
    qa, claims = changes["`qa`"], changes["`claims`"]
    assert (qa["rows added"], qa["rows removed"], qa["rows changed"]) == ("0", "1", "1")
    assert claims["rows removed"] == "2"
    assert changes["`corpus`"]["rows changed"] == "0"
    assert latest_release(tmp_path) == second.release
    assert read_release(tmp_path, "0.1.0") == first.release


def test_new_scores_alone_raise_the_patch_version(make_build, tmp_path):
    first = make_release(tmp_path, content_of(make_build()))
    second = make_release(tmp_path, content_of(make_build(), runs=()), previous=first.release)
    assert second.release.version == "0.1.1"


def test_a_column_that_is_gone_is_a_breaking_change(make_build, tmp_path):
    first = make_release(tmp_path, content_of(make_build()), version="1.0.0")
    path = Path(first.folder) / "data/qa/test.parquet"
    table = pq.read_table(path)
    buffer = io.BytesIO()
    retyped = table.set_column(table.column_names.index("hop"), "hop", [[1] * table.num_rows])
    pq.write_table(retyped.append_column("old", [["x"] * table.num_rows]).drop_columns(["seed"]), buffer)
    path.write_bytes(buffer.getvalue())
    made_up = make_build()
    made_up.questions[0] = made_up.questions[0].model_copy(update={"answer": "Another answer."})
    second = make_release(tmp_path, content_of(made_up), previous=first.release)
    card = (Path(second.folder) / "README.md").read_text()
    assert second.release.version == "2.0.0"
    assert "column qa.old is gone" in card
    assert "column qa.hop was int64, is string" in card
    assert "new column qa.seed" in card


def test_a_configuration_that_the_previous_release_lacks_is_all_new(make_build, tmp_path):
    first = make_release(tmp_path, content_of(make_build()))
    (Path(first.folder) / "data/claims/test.parquet").unlink()
    second = make_release(tmp_path, content_of(make_build(), runs=()), previous=first.release)
    lines = table_under((Path(second.folder) / "README.md").read_text(), "Changes since 0.1.0")
    assert [line["rows added"] for line in lines] == ["36", "0", "0", "0"]


def test_damaged_data_of_the_previous_release_is_named(make_build, tmp_path):
    first = make_release(tmp_path, content_of(make_build()))
    (Path(first.folder) / "data/qa/test.parquet").write_bytes(b"not parquet")
    with pytest.raises(StoreError, match="previous release's qa is not readable"):
        make_release(tmp_path, content_of(make_build(), runs=()), previous=first.release)


def test_a_path_that_leaves_the_release_folder_is_refused(made_up_build, tmp_path):
    made = make_release(tmp_path, content_of(made_up_build))
    outside = made.release.files[0].model_copy(update={"path": "../../secret"})
    with pytest.raises(StoreError, match="leaves the release folder"):
        damaged_files(tmp_path, made.release.model_copy(update={"files": (outside,)}))


def test_a_previous_release_that_is_not_at_hand_is_not_compared(make_build, tmp_path):
    first = make_release(tmp_path / "a", content_of(make_build()))
    second = make_release(tmp_path / "b", content_of(make_build(), runs=()), previous=first.release)
    assert second.release.version == "0.2.0"
    assert "was not at hand, so its rows were not compared" in (Path(second.folder) / "README.md").read_text()


def test_a_version_is_never_overwritten(make_build, tmp_path):
    first = make_release(tmp_path, content_of(make_build()), version="1.0.0")
    before = files_of(first.folder)
    with pytest.raises(StoreError, match="never overwritten"):
        make_release(tmp_path, content_of(make_build(), runs=()), version="1.0.0")
    assert files_of(first.folder) == before


@pytest.mark.parametrize("version", ["0.0.9", "1.0.0", "v2", "1.0", "../1.0.0", "01.0.0"])
def test_a_version_that_does_not_follow_is_refused(make_build, tmp_path, version):
    first = make_release(tmp_path, content_of(make_build()), version="1.0.0")
    with pytest.raises(InputError):
        make_release(tmp_path, content_of(make_build(), runs=()), version=version, previous=first.release)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.0.0"]


@pytest.mark.parametrize("failing_write", range(6))
def test_a_failed_write_leaves_no_release_and_the_next_try_succeeds(
    make_build, tmp_path, monkeypatch, failing_write
):
    from claimrag.tasks.store import files

    calls = []

    def failing(change, path, action):
        calls.append(path) if change in ("fsync", "rename") else None
        if len(calls) == failing_write + 1 and change != "remove":
            raise OSError("no space left on device")
        return action()

    with monkeypatch.context() as patch:
        patch.setattr(files, "perform", failing)
        with pytest.raises(StoreError, match="no space left"):
            make_release(tmp_path, content_of(make_build()))
    assert list(tmp_path.iterdir()) == []
    assert latest_release(tmp_path) is None
    assert make_release(tmp_path, content_of(make_build())).created


def test_a_folder_without_its_record_is_not_taken_for_a_release(make_build, tmp_path):
    (tmp_path / "0.1.0").mkdir()
    assert latest_release(tmp_path) is None
    with pytest.raises(StoreError, match="no complete release"):
        make_release(tmp_path, content_of(make_build()))


def test_a_damaged_record_is_named(make_build, tmp_path):
    made = make_release(tmp_path, content_of(make_build()))
    (Path(made.folder) / "release.json").write_text('{"version": 1}')
    with pytest.raises(StoreError, match=r"release\.json is damaged"):
        latest_release(tmp_path)
    with pytest.raises(StoreError, match="was not made here"):
        read_release(tmp_path, "9.0.0")


def test_an_object_store_holds_the_same_bytes(make_build, tmp_path):
    import fsspec

    local = make_release(tmp_path, content_of(make_build()))
    made = make_release("memory://bucket/releases", content_of(make_build()))
    memory = fsspec.filesystem("memory")
    try:
        assert made.folder == "memory:///bucket/releases/0.1.0"
        for path, data in files_of(local.folder).items():
            assert memory.cat_file(f"/bucket/releases/0.1.0/{path}") == data
        assert latest_release("memory://bucket/releases") == made.release
    finally:
        memory.rm("/bucket", recursive=True)


def test_a_release_without_claims_is_refused(made_up_build, tmp_path):
    with pytest.raises(EmptyStageError, match="'claims'"):
        make_release(tmp_path, content_of(made_up_build, claims=[]))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("table", ["acts", "context_units", "questions"])
def test_a_row_that_points_to_nothing_is_refused(made_up_build, tmp_path, table):
    rows = getattr(made_up_build, table)
    with pytest.raises(StoreError, match=r"not (in the release|there)"):
        make_release(tmp_path, content_of(made_up_build, **{table: rows[1:]}))


def test_the_chart_is_valid_svg_without_scripts(made_up_build, tmp_path):
    made = make_release(tmp_path, content_of(made_up_build))
    root = ET.fromstring((Path(made.folder) / "categories.svg").read_text())
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags == {"svg", "title", "rect", "text"}
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert [t for t in texts if t.isdigit()] == ["4", "3", "3", "2", "3", "0", "3", "0"]


def test_the_record_is_readable_json_without_a_time(made_up_build, tmp_path):
    made = make_release(tmp_path, content_of(made_up_build), lineage={"questions": "abc"})
    record = json.loads((Path(made.folder) / "release.json").read_text())
    assert record["lineage"] == {"questions": "abc"}
    assert not [key for key in record if "time" in key or "date" in key or key.endswith("_at")]


def test_two_versions_of_an_act_may_share_the_id_of_an_unchanged_context_unit(made_up_build, tmp_path):
    units = made_up_build.context_units
    shared = units[0].id
    french = next(unit for unit in units if unit.language == "fr")
    asked = [q for q in made_up_build.questions if q.context_unit_ids == (french.id,)]
    renamed = french.model_copy(update={"id": shared})
    questions = [q for q in made_up_build.questions if french.id not in q.context_unit_ids]
    for question in asked:
        evidence = tuple(e.model_copy(update={"context_unit_id": shared}) for e in question.evidence)
        questions.append(question.model_copy(update={"context_unit_ids": (shared,), "evidence": evidence}))
    kept = {question.id for question in questions}
    content = content_of(
        made_up_build,
        questions=questions,
        claims=[claim for claim in made_up_build.claims if claim.question_id in kept],
        context_units=[renamed if unit is french else unit for unit in units],
    )
    made = make_release(tmp_path, content)
    rows = pq.read_table(Path(made.folder) / "data/qa/test.parquet").to_pylist()
    contexts = {row["language"]: row["context"] for row in rows if row["context_unit_ids"] == [shared]}
    assert contexts == {"en": units[0].text, "fr": french.text}
