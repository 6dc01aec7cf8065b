"""`settings`, `clean` and the legend of reasons, as people and machines see them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from claimrag.flows.cli.app import app
from claimrag.flows.cli.reasons import legend
from claimrag.schemas.build import StageSummary
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import StageCounts
from claimrag.schemas.settings_reference import settings_markdown
from claimrag.tasks.store import Workspace

runner = CliRunner()


def stage(**rejected: int) -> StageSummary:
    counts = StageCounts(considered=sum(rejected.values()), kept=0, rejected=rejected)
    return StageSummary(stage="questions", counts=counts, seconds=1.0)


def test_settings_fit_a_terminal_and_no_name_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAIMRAG_LLM__MODEL", "a/very-long-name-of-a-model-" * 4)
    result = runner.invoke(app, ["settings"], env={"COLUMNS": "80", "NO_COLOR": "1"})
    assert result.exit_code == 0 and "…" not in result.stdout and "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "evaluate.questions_per_language" in result.stdout and "CLAIMRAG_LLM__MODEL" in result.stdout


def test_settings_are_one_json_value_with_origins() -> None:
    result = runner.invoke(app, ["settings", "--json", "--preset", "claimrag-law", "--full"])
    rows = {row["key"]: row for row in json.loads(result.stdout)}
    assert rows["claims.joint"] == {"key": "claims.joint", "value": "5", "origin": "preset claimrag-law"}


def test_the_reference_is_printed_as_it_stands_in_the_docs() -> None:
    assert runner.invoke(app, ["settings", "--markdown"]).stdout == settings_markdown()


def test_clean_says_what_it_removed_and_removes_it(tmp_path: Path) -> None:
    Workspace.open("w")
    (tmp_path / "w" / "tables" / "questions").mkdir(parents=True)
    lost = tmp_path / "w" / "tables" / "questions" / "lost.parquet"
    lost.write_bytes(b"x" * 10)
    tried = runner.invoke(app, ["clean", "--workspace", "w", "--dry-run", "--json"])
    assert json.loads(tried.stdout)["bytes"] == 10 and lost.exists()
    done = runner.invoke(app, ["clean", "--workspace", "w"])
    assert done.exit_code == 0 and not lost.exists()
    assert "tables/questions/lost.parquet: 10 bytes, nothing points to it" in done.stdout
    assert "1 files removed, 10 bytes freed" in done.stdout
    again = runner.invoke(app, ["clean", "--workspace", "w"])
    assert "0 files removed, 0 bytes freed" in again.stdout


def test_the_legend_names_each_reason_once_and_marks_malfunctions() -> None:
    lines = legend([stage(duplicate=2, length=1), stage(duplicate=1)])
    assert lines[0] == "rejected because:" and len(lines) == 3
    assert lines[1] == f"  duplicate: {Reason.DUPLICATE.meaning}"
    assert lines[2] == f"  length: {Reason.LENGTH.meaning} (malfunction)"
    assert legend([stage()]) == []


@pytest.mark.parametrize("reason", list(Reason))
def test_a_line_of_the_legend_fits_a_terminal(reason: Reason) -> None:
    assert len(legend([stage(**{reason.value: 1})])[1]) <= 100
