"""Every layout of a small release: what other tools read, what is left out, and what is refused."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import date
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from claimrag.schemas.claim import Label
from claimrag.schemas.errors import InputError, StoreError
from claimrag.schemas.question import Category, Persona, ReviewStatus
from claimrag.tasks.layouts import folder as folders
from claimrag.tasks.layouts.beir import Places
from claimrag.tasks.layouts.export import export_release
from claimrag.tasks.layouts.folder import ExportFolder, RowsOut
from claimrag.tasks.layouts.layout import Layout
from claimrag.tasks.layouts.naming import plain_name
from claimrag.tasks.layouts.published_words import CATEGORY_WORDS, PERSONA_WORDS
from claimrag.tasks.layouts.registry import all_layouts
from claimrag.tasks.layouts.source import ReleaseRows
from claimrag.tasks.release.rows import AnswerRow, CorpusRow, QaRow

LAYOUTS = ("beir", "claimrag-law", "ragas", "ragchecker")


def json_of(path: Path) -> object:
    return json.loads(path.read_text(encoding="utf-8"))


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_module_with_a_layout_is_known_by_its_name() -> None:
    from claimrag.tasks import layouts

    written = {
        path.stem
        for path in Path(layouts.__path__[0]).glob("*.py")
        if "\nLAYOUT = " in path.read_text(encoding="utf-8")
    }
    assert tuple(all_layouts()) == LAYOUTS
    assert written == {name.replace("-", "_") for name in all_layouts()}


def test_the_published_words_are_those_of_every_category_and_persona() -> None:
    assert list(CATEGORY_WORDS) == list(Category) and list(PERSONA_WORDS) == list(Persona)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_said_of_the_files_is_what_they_hold(layout, release, tmp_path):
    done = export_release(release, layout, str(tmp_path / "out"))
    there = {str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*") if p.is_file()}
    assert there == {"README.md", *(file.path for file in done.files)} and done.files
    readme = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert all(f"`{file.path}`: {file.rows:,} rows" in readme for file in done.files)
    assert "no expert has reviewed" in readme and not done.left_out
    again = export_release(release, layout, str(tmp_path / "again"))
    assert all(
        (tmp_path / "out" / file.path).read_bytes() == (tmp_path / "again" / file.path).read_bytes()
        for file in again.files
    )


def test_the_published_layout_has_its_fields_and_no_experts_words(release, made_up_build, tmp_path):
    export_release(release, "claimrag-law", str(tmp_path / "out"))
    asked = json_of(tmp_path / "out" / "eu-32020r0001-en-rag.json")
    english = [one for one in made_up_build.questions if one.language == "en"]
    assert set(asked) == {"input_data"} and len(asked["input_data"]) == len(english)
    item = next(one for one in asked["input_data"] if one["query_id"] == english[0].id)
    assert list(item)[:7] == [
        "query_id",
        "query",
        "relevant_chunk",
        "gt_answer",
        "answer_correctness",
        "question_category",
        "persona",
    ]
    assert (item["query"], item["gt_answer"]) == (english[0].question, english[0].answer)
    assert item["relevant_chunk"] == made_up_build.context_units[0].text
    assert {one["answer_correctness"] for one in asked["input_data"]} == {None}
    claimed = json_of(tmp_path / "out" / "eu-32020r0001-en-claim.json")
    claims = [claim for one in claimed for claim in one["claims"]]
    assert len(claims) == sum(one.language == "en" for one in made_up_build.claims)
    assert {(one["claim_correctness"], one["claim_entailment"]) for one in claims} == {(None, None)}
    assert {one["claimrag"]["label"] for one in claims} == set(Label)
    assert claims[0]["claim"] == ["subject 0", "is", "stated"]
    assert (tmp_path / "out" / "eu-32021r0001-fr-rag.json").is_file()


def test_what_an_expert_validated_is_said_so(release_of, made_up_build, tmp_path):
    validated = {"review": ReviewStatus.EXPERT_VALIDATED}
    first, *others = made_up_build.questions
    claim, *more = made_up_build.claims
    source = release_of(
        made_up_build,
        all_questions=[first.model_copy(update=validated), *others],
        all_claims=[claim.model_copy(update=validated), *more],
    )
    export_release(source, "claimrag-law", str(tmp_path / "out"))
    asked = json_of(tmp_path / "out" / "eu-32020r0001-en-rag.json")["input_data"]
    assert {one["query_id"] for one in asked if one["answer_correctness"] == "Correct"} == {first.id}
    claims = [c for one in json_of(tmp_path / "out" / "eu-32020r0001-en-claim.json") for c in one["claims"]]
    labelled = {one["claimrag"]["id"]: one for one in claims if one["claim_entailment"] is not None}
    assert set(labelled) == {claim.id}
    assert labelled[claim.id]["claim_entailment"] == claim.label
    assert labelled[claim.id]["claim_correctness"] == "Correct"


@pytest.fixture
def ragchecker(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Modules of RAGChecker without its evaluator, which asks for a stack for training models."""
    spec = find_spec("ragchecker")
    package = ModuleType("ragchecker")
    package.__path__ = list(spec.submodule_search_locations)
    monkeypatch.setitem(sys.modules, "ragchecker", package)
    return lambda name: import_module(f"ragchecker.{name}")


def test_ragchecker_reads_each_run_and_computes_the_same_metrics(
    release, made_up_build, ragchecker, tmp_path
):
    read_results = ragchecker("container").RAGResults.from_json
    metrics = ragchecker("computation").METRIC_FUNC_MAP
    export_release(release, "ragchecker", str(tmp_path / "out"))
    paths = sorted((tmp_path / "out").glob("*.json"))
    assert len(paths) == len(made_up_build.runs)
    scored = {(one.run_id, one.question_id): one for one in made_up_build.scored_answers}
    for path in paths:
        run = next(run for run in made_up_build.runs if run.id in path.name)
        read = read_results(path.read_text(encoding="utf-8"))
        assert len(read.results) == run.questions
        for result in read.results:
            answer = scored[run.id, result.query_id]
            assert len(result.retrieved_context) == 2 and result.retrieved_context[0].text
            for compute in metrics.values():
                compute(result)
            ours = {name: getattr(answer, name) or 0.0 for name in result.metrics}
            assert result.metrics == pytest.approx(ours) and len(ours) == 11


def test_answers_without_words_are_left_out_and_verdicts_only_of_what_was_checked(
    release_of, made_up_build, tmp_path
):
    first, second, third, *others = made_up_build.scored_answers
    silent = first.model_copy(update={"response": None, "status": "failed"})
    none = {"response_claims": (), "answer2response": (), "response2answer": (), "status": "no_answer_claims"}
    unclaimed = third.model_copy(update=none)
    changed = (second.question_id, third.question_id)
    claims = [one for one in made_up_build.claims if one.question_id not in changed]
    claims += [one for one in made_up_build.claims if one.question_id == second.question_id][:1]
    source = release_of(made_up_build, all_answers=[silent, second, unclaimed, *others], all_claims=claims)
    done = export_release(source, "ragchecker", str(tmp_path / "out"))
    assert done.left_out == {"answers that a system was not asked for, or did not give": 1}
    results = {
        one["query_id"]: one for path in (tmp_path / "out").glob("*.json") for one in json_of(path)["results"]
    }
    assert first.question_id not in results
    assert "response2answer" not in results[second.question_id]
    assert "response2answer" not in results[third.question_id]
    assert "response2answer" in results[others[0].question_id]


def test_beir_finds_a_document_for_every_query(release, made_up_build, tmp_path):
    export_release(release, "beir", str(tmp_path / "out"))
    corpus = {row["_id"]: row for row in lines_of(tmp_path / "out" / "corpus.jsonl")}
    queries = {row["_id"]: row["text"] for row in lines_of(tmp_path / "out" / "queries.jsonl")}
    head, *rows = (tmp_path / "out" / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()
    assert head == "query-id\tcorpus-id\tscore"
    assert queries == {one.id: one.question for one in made_up_build.questions}
    judged = {tuple(row.split("\t")[:2]) for row in rows}
    assert {query for query, _ in judged} == set(queries)
    evidence = {one.question_id: one.evidence for one in made_up_build.occurrences}
    for query, document in judged:
        assert any(one.quotation in corpus[document]["text"] for one in evidence[query])
    two = next(one for one in made_up_build.questions if len(one.context_unit_ids) == 2)
    assert sum(query == two.id for query, _ in judged) == 2


def test_beir_has_the_newest_version_alone(release_of, made_up_build, tmp_path):
    act = made_up_build.acts[0]
    later = act.id.replace("2024-01-01", "2025-06-01")
    newest = act.model_copy(update={"id": later, "version_date": date(2025, 6, 1)})
    units = [
        one.model_copy(update={"id": one.id.replace(act.id, later), "act_id": later})
        for one in made_up_build.units
        if one.act_id == act.id
    ]
    source = release_of(
        made_up_build, acts=[*made_up_build.acts, newest], all_units=[*made_up_build.units, *units]
    )
    done = export_release(source, "beir", str(tmp_path / "out"))
    english = [one for one in made_up_build.questions if one.language == "en"]
    assert done.left_out == {"questions of older versions": len(english)}
    documents = [row["_id"] for row in lines_of(tmp_path / "out" / "corpus.jsonl")]
    assert len(documents) == 5 and not [one for one in documents if one.startswith(act.id)]


def test_a_document_around_another_is_relevant_without_it(release, made_up_build):
    annex, article = list(release.rows(CorpusRow))[:2]
    question = next(release.rows(QaRow))
    places = Places()
    places.add(annex.model_copy(update={"start": 0, "end": 100}))
    places.add(article.model_copy(update={"start": 10, "end": 20}))

    def holding(start: int, end: int) -> list[str]:
        evidence = question.evidence[0].model_copy(update={"start": start, "end": end})
        return places.holding(question.model_copy(update={"evidence": (evidence, evidence)}))

    assert holding(20, 30) == holding(99, 120) == [annex.unit_id]
    assert set(holding(19, 30)) == set(holding(5, 11)) == {annex.unit_id, article.unit_id}
    assert holding(100, 120) == []


def test_a_question_outside_every_document_is_left_out_of_beir(release_of, made_up_build, tmp_path):
    article = next(one for one in made_up_build.units if one.kind == "article")
    units = [one for one in made_up_build.units if one.id != article.id]
    done = export_release(release_of(made_up_build, all_units=units), "beir", str(tmp_path / "out"))
    assert done.left_out == {"questions whose quotations lie in no document": 4}


def test_ragas_samples_have_its_fields(release, made_up_build, tmp_path):
    export_release(release, "ragas", str(tmp_path / "out"))
    samples = {row["question_id"]: row for row in lines_of(tmp_path / "out" / "questions.jsonl")}
    contexts = {one.id: one.text for one in made_up_build.context_units}
    for question in made_up_build.questions:
        sample = samples[question.id]
        assert (sample["user_input"], sample["reference"]) == (question.question, question.answer)
        assert sample["reference_contexts"] == [contexts[one] for one in question.context_unit_ids]
    (english,) = (tmp_path / "out").glob("*-en-*.jsonl")
    answered = lines_of(english)
    assert {len(row["retrieved_contexts"]) for row in answered} == {2}
    assert {row["response"] for row in answered} == {"At nine."}


def test_a_release_without_scores_has_no_runs(release_of, made_up_build, tmp_path):
    source = release_of(made_up_build, runs=(), all_chunks=(), all_answers=(), all_retrievals=())
    done = export_release(source, "ragas", str(tmp_path / "ragas"))
    assert [file.path for file in done.files] == ["questions.jsonl"]
    with pytest.raises(InputError, match=r"holds no runs.*claimrag evaluate"):
        export_release(source, "ragchecker", str(tmp_path / "ragchecker"))
    assert not (tmp_path / "ragchecker").exists()


def test_a_folder_with_a_file_is_refused_and_left_alone(release, tmp_path):
    (tmp_path / "out" / "deep").mkdir(parents=True)
    export_release(release, "beir", str(tmp_path / "empty"))
    mine = tmp_path / "out" / "deep" / "mine.txt"
    mine.write_text("mine")
    with pytest.raises(InputError, match=r"out is not empty: it holds deep/mine\.txt"):
        export_release(release, "beir", str(tmp_path / "out"))
    with pytest.raises(InputError, match="is a file"):
        export_release(release, "beir", str(mine))
    with pytest.raises(InputError, match="--to"):
        export_release(release, "beir", " ")
    assert [p.name for p in (tmp_path / "out").rglob("*") if p.is_file()] == ["mine.txt"]


def test_a_release_that_is_not_as_made_is_refused(release, tmp_path):
    path = Path(release.folder) / "data" / "corpus" / "test.parquet"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(StoreError, match=r"corpus/test\.parquet is not as released"):
        export_release(release, "beir", str(tmp_path / "out"))
    path.unlink()
    with pytest.raises(StoreError, match="cannot be read"):
        export_release(release, "beir", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_no_release_is_refused(release, tmp_path):
    with pytest.raises(InputError, match=r"holds no release\.json"):
        ReleaseRows.at(str(tmp_path))
    record = Path(release.folder) / "release.json"
    record.write_text(record.read_text().replace("eu/", "fr/"))
    with pytest.raises(StoreError, match="damaged"):
        ReleaseRows.at(release.folder)
    with pytest.raises(InputError, match="has no name"):
        ReleaseRows.at("")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_failure_at_any_change_leaves_no_file(layout, release, tmp_path, monkeypatch):
    """A disk that is full at the n-th change, for every n."""
    from claimrag.tasks.store import files

    changes = 0
    for last in range(200):
        changes = 0

        def failing(change, path, action, last=last):
            nonlocal changes
            changes += 1
            if change not in ("remove", "makedirs") and changes > last:
                raise OSError(28, "No space left on device")
            return action()

        out = tmp_path / f"out{last}"
        with monkeypatch.context() as patch:
            patch.setattr(files, "perform", failing)
            try:
                export_release(release, layout, str(out))
            except StoreError as error:
                assert "No space left" in str(error)
            else:
                assert (out / "README.md").is_file()
                break
        assert [path for path in out.rglob("*") if path.is_file()] == []
    assert changes > 3


def test_text_that_ends_a_line_stays_one_row(tmp_path):
    folder = ExportFolder(str(tmp_path / "out"))
    with folder.file("rows.jsonl") as file:
        file.add({"text": "a\nb\u2028c\u2029d\x85e\r"})
        file.add({"text": "=1+1"})
    text = (tmp_path / "out" / "rows.jsonl").read_text(encoding="utf-8")
    assert [json.loads(line)["text"] for line in text.splitlines()] == ["a\nb\u2028c\u2029d\x85e\r", "=1+1"]


@pytest.mark.parametrize("cell", ["a\tb", "a\nb", '"a', "=1+1", "+1", "-1", "@a", ""])
def test_a_table_holds_ids_alone(cell, tmp_path):
    folder = ExportFolder(str(tmp_path / "out"))
    with pytest.raises(StoreError, match="cannot stand in a table"), folder.file("ids.tsv") as file:
        file.add_ids("q_1", cell)
    assert list((tmp_path / "out").iterdir()) == []


def test_two_files_of_one_name_are_refused(tmp_path):
    folder = ExportFolder(str(tmp_path / "out"))
    for number in range(2):
        with pytest.raises(StoreError, match="there already") if number else folder.file("a") as file:
            if number:
                with folder.file("a"):
                    pass
            else:
                assert isinstance(file, RowsOut)
                file.add({})


def test_names_of_files_are_plain_and_differ():
    assert plain_name("eu/32016R0679", "en") == "eu-32016r0679-en"
    assert plain_name("../../etc") != plain_name("..etc") and "." not in plain_name("../../etc")
    assert plain_name("法律") != plain_name("法令") and len(plain_name("x" * 999)) < 100


def test_rows_out_of_the_releases_order_are_refused(release):
    rows = list(release.rows(QaRow))
    with pytest.raises(StoreError, match="release's order"):
        [list(taken.of(act)) for taken in [release.by_act(iter(rows[::-1]))] for act in release.acts]
    corpus = release.by_act(release.rows(CorpusRow))
    assert [row.act_id for row in corpus.of(release.acts[1])] == [release.acts[1]] * 2
    assert list(corpus.of(release.acts[0])) == []


def test_an_answer_to_no_question_of_the_release_is_an_error(release, tmp_path, monkeypatch):
    real = ReleaseRows.rows

    def rows(self, model):
        for row in real(self, model):
            yield row.model_copy(update={"question_id": "q_0"}) if model is AnswerRow else row

    monkeypatch.setattr(ReleaseRows, "rows", rows)
    with pytest.raises(StoreError, match="an answer to q_0 names q_0"):
        export_release(release, "ragchecker", str(tmp_path / "out"))
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == []


def test_a_layout_says_what_it_needs():
    assert all(isinstance(layout, Layout) and layout.needs for layout in all_layouts().values())
    assert folders.README == "README.md"
