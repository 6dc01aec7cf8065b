"""A whole build through the real flow and the real client, with a scripted model behind a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

import scripted_law
from flows.build import build_benchmark
from schemas.build import BuildRequest, BuildSummary
from tasks.llm.scripted import ScriptedServer


@pytest.fixture
def model() -> Iterator[ScriptedServer]:
    with ScriptedServer(scripted_law.reply) as server:
        yield server


@pytest.fixture
def endpoint(model: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> ScriptedServer:
    """Settings that send generator, judge and embedder to the scripted model."""
    for section in ("LLM", "EMBEDDINGS"):
        monkeypatch.setenv(f"CLAIMRAG_{section}__BASE_URL", model.base_url)
        monkeypatch.setenv(f"CLAIMRAG_{section}__MODEL", "scripted")
    return model


def run(workspace: Path, **options: object) -> BuildSummary:
    return asyncio.run(build_benchmark(BuildRequest(workspace=str(workspace), **options)))


def test_the_sample_laws_become_a_release_that_datasets_reads(endpoint: ScriptedServer, tmp_path: Path) -> None:
    from datasets import load_dataset

    summary = run(tmp_path / "w", units=4, windows=2)
    assert summary.exit_code == 0, summary.verdict
    assert {act.rpartition("/")[2] for act in summary.acts} == {"en", "fr"}
    for stage in summary.stages:
        assert stage.counts.considered == stage.counts.kept + sum(stage.counts.rejected.values())
    assert summary.release_path is not None
    qa = load_dataset(summary.release_path, "qa", split="test", cache_dir=str(tmp_path / "cache"))
    assert {"en", "fr"} == set(qa["language"]) and {"single", "multi"} <= set(qa["hop"])
    assert len(set(qa["category"])) >= 2
    assert endpoint.requests
