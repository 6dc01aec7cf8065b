"""A whole build through the real flow and the real client, with a scripted model behind a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import scripted_law
from scripted_model import ScriptedReply, ScriptedServer

from claimrag.flows.build import build_benchmark
from claimrag.schemas.build import BuildRequest, BuildSummary
from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.schemas.errors import EmptyStageError
from claimrag.schemas.rejected import Rejected
from claimrag.tasks.store import Workspace


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


def test_the_sample_laws_become_a_release_that_datasets_reads(
    endpoint: ScriptedServer, tmp_path: Path
) -> None:
    from datasets import load_dataset

    summary = run(tmp_path / "w", units=4, windows=2)
    assert summary.exit_code == 0, summary.verdict
    assert {act.rpartition("/")[2] for act in summary.acts} == {"en", "fr"}
    for stage in summary.stages:
        assert stage.counts.considered == stage.counts.kept + sum(stage.counts.rejected.values())
    assert summary.release_path is not None
    qa = load_dataset(summary.release_path, "qa", split="test", cache_dir=str(tmp_path / "cache"))
    assert {"en", "fr"} == set(qa["language"]) and {"single", "multi"} <= set(qa["hop"])
    assert "false_premise" in set(qa["category"]) and len(set(qa["category"])) >= 2
    assert endpoint.requests


class Malforming:
    """The scripted model, with some of its structured replies broken.

    `broken` gets the number of the draft of a question (0 for any other reply) and a number from 0 to 99 that
    depends on the request alone, so that a test does not hang on which request comes first.
    """

    def __init__(self, broken: Callable[[int, int], bool]) -> None:
        self.broken = broken
        self.drafts = 0

    def __call__(self, body: dict[str, Any]) -> ScriptedReply | str:
        schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
        if schema is None:
            return scripted_law.reply(body)
        is_draft = "question" in schema["properties"]
        self.drafts += is_draft
        drawn = int(sha256_text(canonical_json(body["messages"]))[:8], 16) % 100
        broken = self.broken(self.drafts if is_draft else 0, drawn)
        return '{"broken": ' if broken else scripted_law.reply(body)


def rejected_rows(workspace: Path, stage: str) -> list[Rejected]:
    opened = Workspace.open(str(workspace))
    return [row for ref in opened.tables(stage) for row in opened.read_rejected(ref)]


def test_one_malformed_reply_is_one_rejected_row_and_the_rest_is_kept(
    model: ScriptedServer, endpoint: ScriptedServer, tmp_path: Path
) -> None:
    model.state.reply = Malforming(lambda draft, _: draft == 10)
    summary = run(tmp_path / "w", units=8, windows=2)
    assert summary.exit_code == 0, summary.verdict
    malformed = [row for row in rejected_rows(tmp_path / "w", "questions") if row.reason == "malformed_reply"]
    assert [row.raw for row in malformed] == ['{"broken": ']
    assert sum(stage.counts.kept for stage in summary.stages if stage.stage == "questions") >= 6
    assert len(model.requests) >= 100


def test_half_malformed_is_partial_and_the_verdict_says_so(
    model: ScriptedServer, endpoint: ScriptedServer, tmp_path: Path
) -> None:
    model.state.reply = Malforming(lambda _, drawn: drawn < 50)
    summary = run(tmp_path / "w", units=12, windows=2)
    assert summary.exit_code == 3
    assert "malformed_reply" in summary.verdict and "partial" in summary.verdict


def test_a_stage_without_a_kept_row_fails_with_the_counts(
    model: ScriptedServer, endpoint: ScriptedServer, tmp_path: Path
) -> None:
    model.state.reply = Malforming(lambda *_: True)
    with pytest.raises(EmptyStageError, match=r"kept no row.*malformed_reply") as failure:
        run(tmp_path / "w", units=2, windows=1)
    assert failure.value.exit_code == 1


def test_a_second_run_asks_the_model_nothing_and_makes_no_new_release(
    endpoint: ScriptedServer, tmp_path: Path
) -> None:
    first = run(tmp_path / "w", units=3, windows=1)
    asked = len(endpoint.requests), len(endpoint.embedding_requests)
    again = run(tmp_path / "w", units=3, windows=1)
    assert (len(endpoint.requests), len(endpoint.embedding_requests)) == asked
    assert again.release_version == first.release_version and again.exit_code == 0


def test_no_key_reaches_the_workspace(
    endpoint: ScriptedServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CLAIMRAG_LLM__API_KEY", "sk-do-not-write-me")
    run(tmp_path / "w", units=2, windows=1)
    files = [path for path in (tmp_path / "w").rglob("*") if path.is_file()]
    assert files and not [path for path in files if b"sk-do-not-write-me" in path.read_bytes()]
