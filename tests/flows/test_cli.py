"""The command line: what it prints for people and machines, and the exit codes of its refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from claimrag.flows.cli.app import app
from claimrag.legal_sources.samples import read_sample

runner = CliRunner()


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    path = tmp_path / "law.xhtml"
    path.write_bytes(read_sample("sample-en"))
    return path


def test_parse_prints_one_json_value_with_exact_offsets(sample: Path) -> None:
    result = runner.invoke(app, ["parse", str(sample), "--json"])
    assert result.exit_code == 0
    value = json.loads(result.stdout)
    assert set(value) == {"act", "counts", "health", "text", "units"}
    assert value["health"]["ok"] and value["counts"]["article"] >= 14
    assert all(value["text"][u["start"] : u["end"]] == u["text"] for u in value["units"])


def test_counts_name_every_kind_even_when_there_is_none(sample: Path) -> None:
    counts = json.loads(runner.invoke(app, ["parse", str(sample), "--json"]).stdout)["counts"]
    kinds = "chapter section article recital citation paragraph point subpoint annex footnote"
    assert set(kinds.split()) <= set(counts)


def test_parse_shows_the_tree_and_its_health(sample: Path) -> None:
    result = runner.invoke(app, ["parse", str(sample)])
    assert "health: ok" in result.stdout and "article" in result.stdout


def test_laws_lists_the_catalogue_as_json() -> None:
    result = runner.invoke(app, ["laws", "--json"])
    assert {"gdpr", "code-civil", "sample-en"} <= {law["id"] for law in json.loads(result.stdout)}


def test_acquire_keeps_a_sample_and_says_no_change_the_second_time(tmp_path: Path) -> None:
    arguments = ["acquire", "sample-fr", "--workspace", str(tmp_path / "w")]
    first = runner.invoke(app, arguments)
    again = runner.invoke(app, [*arguments, "--check"])
    assert first.exit_code == again.exit_code == 0
    assert "no change" in again.stdout


def test_acquire_says_what_an_amendment_changed(tmp_path: Path) -> None:
    workspace = ["--workspace", str(tmp_path / "w")]
    runner.invoke(app, ["acquire", "sample-en", "--law-version", "2099-03-12", *workspace])
    result = runner.invoke(
        app, ["acquire", "sample-en", "--law-version", "2101-02-01", "--check", "--json", *workspace]
    )
    assert result.exit_code == 0, result.output
    changes = json.loads(result.stdout)[0]["changes"]
    assert changes["changed"] and changes["added"]


def test_help_is_quick_because_heavy_packages_are_not_imported() -> None:
    code = (
        "import sys; from claimrag.flows.cli import app; "
        "heavy = {'prefect', 'great_expectations', 'datasets', 'pandas', 'openai', 'tantivy', 'pyarrow'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
