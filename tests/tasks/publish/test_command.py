"""`claimrag publish`: what a person sees, where the token comes from, and that it stands nowhere."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from claimrag.flows.cli.app import app
from claimrag.tasks.release import ReleaseContent, make_release

pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
DATASET = "alice/village-law"


@pytest.fixture
def command(hub, made_up_build, tmp_path, monkeypatch):
    """The command in a workspace with one release, on the made-up Hub."""
    from huggingface_hub import constants

    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no-token"))
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "w").mkdir()
    items = ("units", "context_units", "questions", "occurrences", "claims")
    tables = {f"all_{name}": getattr(made_up_build, name) for name in items}
    content = ReleaseContent(acts=made_up_build.acts, runs=made_up_build.runs, **tables)
    make_release(tmp_path / "w" / "releases", content)

    def run(*arguments):
        return CliRunner().invoke(app, ["publish", *arguments, "--workspace", "w"])

    return run


def test_a_dry_run_shows_every_file_and_writes_nothing(hub, command):
    shown = command(DATASET, "--dry-run")
    assert shown.exit_code == 0, shown.output
    for words in ("data/qa/test.parquet", "new", "would do: create the dataset, one commit, the tag on it"):
        assert words in shown.stdout
    assert "nothing was written" in shown.stdout and "no expert has reviewed" in shown.stdout
    assert hub.repositories == {} and max(map(len, shown.stdout.splitlines())) <= 80


def test_a_release_is_published_with_the_token_of_the_environment_and_again_is_no_commit(
    hub, hub_token, command, monkeypatch
):
    monkeypatch.setenv("HF_TOKEN", hub_token)
    shown = command(DATASET)
    assert shown.exit_code == 0, shown.output
    assert "release 0.1.0 published, and read back" in shown.stdout and "revision='v0.1.0'" in shown.stdout
    again = command(DATASET, "--release-version", "0.1.0", "--json")
    assert json.loads(again.stdout)["steps"] == []
    assert len(hub.repositories[DATASET].commits) == 2
    assert hub_token not in shown.output + again.output


def test_a_private_dataset_is_made_private(hub, hub_token, command, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", hub_token)
    assert command(DATASET, "--private").exit_code == 0
    assert hub.repositories[DATASET].private


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((DATASET,), "set HF_TOKEN"),
        (("village-law", "--dry-run"), "organisation/name"),
        ((DATASET, "--release-version", "9.9.9", "--dry-run"), "9.9.9"),
    ],
)
def test_what_cannot_be_published_is_one_sentence(hub, command, arguments, words):
    failed = command(*arguments)
    assert failed.exit_code != 0 and words in str(failed.exception)
    assert hub.repositories == {}
