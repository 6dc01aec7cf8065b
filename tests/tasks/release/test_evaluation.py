"""What a release says of its baselines: every score can be computed again from the rows that are published."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from reader_workspace import copy_of_workspace

from claimrag.schemas.claim import Label
from claimrag.schemas.errors import StoreError
from claimrag.schemas.run import ScoredAnswer
from claimrag.tasks.evaluate.metrics import Verdicts, claim_metrics
from claimrag.tasks.release import ReleaseContent, make_release
from claimrag.tasks.release.changes import Comparison
from claimrag.tasks.release.folder import latest_release


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release of a workspace with two versions of a law, evaluated over the newer one."""
    workspace = copy_of_workspace(tmp_path_factory.mktemp("evaluated") / "w")
    releases = Path(workspace.path("releases"))
    release = latest_release(releases)
    assert release is not None
    return releases / release.version


@pytest.fixture(scope="module")
def rows(folder: Path) -> dict[str, list[dict[str, Any]]]:
    files = {file.parent.name: file for file in folder.glob("data/*/test.parquet")}
    return {name: pq.read_table(file).to_pylist() for name, file in files.items()}


def test_every_system_answers_every_question_that_holds_in_the_newest_version(rows: dict[str, Any]) -> None:
    in_force = {row["id"] for row in rows["qa"] if row["in_force"]}
    assert len(rows["runs"]) == 2 and in_force
    for run in rows["runs"]:
        answers = [row for row in rows["answers"] if row["run_id"] == run["id"]]
        assert {row["question_id"] for row in answers} == in_force and len(answers) == len(in_force)
        assert {row["system"] for row in answers} == {run["name"]}
        assert {row["act_id"] for row in answers} == set(run["acts"])
    assert {"ok", "not_sampled"} <= {row["status"] for row in rows["answers"]}


def test_the_metrics_are_those_of_the_published_verdicts_and_the_means_those_of_the_metrics(
    rows: dict[str, Any],
) -> None:
    scored: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows["answers"]:
        if row["status"] != "ok":
            assert row["precision"] is None
            continue
        matrices = {
            name: [[Label(label) for label in line] for line in row[name]]
            for name in ("retrieved2response", "retrieved2answer")
        }
        lists = {
            name: [Label(label) for label in row[name]] for name in ("answer2response", "response2answer")
        }
        again = claim_metrics(Verdicts(chunks=len(row["retrieved"]), **matrices, **lists))
        assert {name: row[name] for name in again} == again
        assert len(row["response_claims"]) == len(row["answer2response"])
        for name, value in again.items():
            if value is not None:
                scored[row["run_id"], name].append(value)
    for run in rows["runs"]:
        for score in run["scores"]:
            values = scored.get((run["id"], score["metric"]))
            if values is not None:
                assert score["mean"] == pytest.approx(100 * sum(values) / len(values))


def test_what_was_retrieved_is_there_by_rank_and_in_the_law_s_own_words(rows: dict[str, Any]) -> None:
    chunks = {row["id"]: row for row in rows["chunks"]}
    newest = {row["act_id"] for row in rows["corpus"] if row["newest_version"]}
    assert {row["act_id"] for row in rows["chunks"]} == newest and len(chunks) == len(rows["chunks"])
    texts = "\n".join(row["text"] for row in rows["corpus"] if row["newest_version"])
    for row in rows["answers"]:
        assert [one["rank"] for one in row["retrieved"]] == list(range(1, len(row["retrieved"]) + 1))
        assert {one["chunk_id"] for one in row["retrieved"]} <= chunks.keys()
    assert any(chunk["body"].strip()[:60] in texts for chunk in rows["chunks"])
    evidence = [one["holds_evidence"] for row in rows["answers"] for one in row["retrieved"]]
    assert True in evidence and False in evidence


def test_datasets_reads_each_of_them_and_the_card_describes_them(folder: Path, tmp_path: Path) -> None:
    from datasets import load_dataset

    card = (folder / "README.md").read_text(encoding="utf-8")
    for name in ("runs", "answers", "chunks"):
        loaded = load_dataset(str(folder), name, split="test", cache_dir=str(tmp_path / "cache"))
        assert len(loaded) > 0 and f"| `{name}` |" in card and f"\n**{name}**\n" in card
    assert "| `retrieved2response` | list of lists of strings |" in card and "| `f1` | number |" in card
    assert "| `system` | struct |" in card and "| `scores` | list of structs |" in card


def test_without_an_evaluation_a_release_has_none_of_them(
    made_up_build: Any, tmp_path: Path, source_of: Any
) -> None:
    result = make_release(tmp_path, source_of(made_up_build, runs=()))
    assert set(result.release.rows) == {"qa", "claims", "corpus", "context_units", "rejected"}
    assert not [file.path for file in result.release.files if "runs" in file.path]
    assert "`answers`" not in (Path(result.folder) / "README.md").read_text(encoding="utf-8")


def test_an_answer_of_a_run_that_is_not_there_is_refused(
    made_up_build: Any, tmp_path: Path, source_of: Any
) -> None:
    source: ReleaseContent = source_of(made_up_build)
    question = made_up_build.questions[0]
    act = made_up_build.occurrences[0].act_id
    stray = ScoredAnswer(
        run_id="run_nowhere",
        question_id=question.id,
        act_id=act,
        language="en",
        status="failed",
        response=None,
    )
    with pytest.raises(StoreError, match="run_nowhere, which is no run of the release"):
        make_release(tmp_path, ReleaseContent(**(vars(source) | {"all_answers": [stray]})))


def test_a_configuration_that_is_gone_breaks_readers(folder: Path) -> None:
    comparison = Comparison(lambda path: (folder / path).open("rb") if (folder / path).is_file() else None)
    assert {f"configuration {name} is gone" for name in ("runs", "answers", "chunks")} <= set(
        comparison.result().breaking
    )
