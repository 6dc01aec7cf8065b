"""Two versions of a law in one workspace: built, validated, evaluated and released, together or in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
import scripted_law
from scripted_model import ScriptedServer

from claimrag.flows import stages
from claimrag.flows.build import build_benchmark
from claimrag.legal_sources.samples import find_sample, read_sample
from claimrag.schemas.build import BuildRequest, BuildSummary
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.occurrences.step import OCCURRENCES
from claimrag.tasks.store import Workspace

OLD, NEW = (version.version for version in find_sample("sample-en").versions[:2])


@pytest.fixture(autouse=True)
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ScriptedServer]:
    """Generator, judge and embedder are the scripted model; the two versions lie here as files."""
    for version in (OLD, NEW):
        (tmp_path / f"{version}.xhtml").write_bytes(read_sample("sample-en", version))
    monkeypatch.setenv("CLAIMRAG_EVALUATE__QUESTIONS_PER_LANGUAGE", "2")
    with ScriptedServer(scripted_law.reply) as server:
        for section in ("LLM", "EMBEDDINGS"):
            monkeypatch.setenv(f"CLAIMRAG_{section}__BASE_URL", server.base_url)
            monkeypatch.setenv(f"CLAIMRAG_{section}__MODEL", "scripted")
        yield server


def build(*laws: str, **options: object) -> BuildSummary:
    return asyncio.run(
        build_benchmark(BuildRequest(laws=laws, workspace="w", units=16, windows=1, **options))
    )


def table(summary: BuildSummary, name: str, cache: Path) -> list[dict[str, object]]:
    from datasets import load_dataset

    return list(load_dataset(str(summary.release_path), name, split="test", cache_dir=str(cache)))


def test_two_versions_together_are_one_release_in_which_a_question_that_holds_in_both_is_one_row(
    tmp_path: Path,
) -> None:
    summary = build(f"{OLD}.xhtml", f"{NEW}.xhtml")
    assert summary.exit_code == 0, summary.verdict
    old_act, new_act = summary.acts
    rows = table(summary, "qa", tmp_path / "cache")
    assert len({row["id"] for row in rows}) == len(rows)
    held = {tuple(row["versions"]) for row in rows}
    assert held == {(old_act, new_act), (old_act,), (new_act,)}
    for row in rows:
        assert row["act_id"] == row["versions"][-1]
        assert row["in_force"] == (new_act in row["versions"])
    corpus = {
        (unit["act_id"], unit["unit_id"]): unit for unit in table(summary, "corpus", tmp_path / "cache")
    }
    assert {act_id for act_id, _ in corpus} == {old_act, new_act}
    claims = table(summary, "claims", tmp_path / "cache")
    assert len({claim["id"] for claim in claims}) == len(claims)
    assert {claim["question_id"] for claim in claims} <= {row["id"] for row in rows}
    for run in summary.runs:
        assert run.acts == (new_act,)
        assert run.questions == sum(bool(row["in_force"]) for row in rows)


def test_the_second_version_asks_the_model_about_changed_articles_alone(model: ScriptedServer) -> None:
    build(f"{OLD}.xhtml", evaluate=False)
    first = len(model.requests)
    build(f"{NEW}.xhtml", evaluate=False)
    assert len(model.requests) - first < first / 2


def test_one_version_after_the_other_can_be_evaluated_validated_and_released(tmp_path: Path) -> None:
    build(f"{OLD}.xhtml")
    build(f"{NEW}.xhtml")
    request = BuildRequest(workspace="w")
    for stage in (stages.evaluate, stages.validate, stages.release):
        report = asyncio.run(stage(request))
        assert report.exit_code == 0, report.sentences
    workspace = Workspace.open("w")
    both = [ref.scope for ref in workspace.tables(OCCURRENCES.stage)]
    assert len(both) == 2
    written = {row.id for scope in both for row in workspace.read_table(QUESTIONS.of(scope), QUESTIONS.noun)}
    bound = {
        row.question_id
        for scope in both
        for row in workspace.read_table(OCCURRENCES.of(scope), OCCURRENCES.noun)
    }
    assert bound == written
