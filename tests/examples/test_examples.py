"""Each example runs as it is printed, on a release folder; and a release is opened from the Hub by its version."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from made_up_hub import TOKEN, made_up_hub
from pydantic import SecretStr
from reader_workspace import copy_of_workspace

import claimrag
from claimrag.schemas.errors import InputError, StoreError
from claimrag.tasks.publish.publication import publish_release

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SAID = {
    "load_by_version": "questions were reviewed by no expert",
    "follow_a_question": "The answer claims, and the law says to it:",
    "score_your_retriever": "all evidence among the first 5",
}


@pytest.fixture
def release(tmp_path: Path) -> Path:
    copy_of_workspace(tmp_path / "w")
    return tmp_path / "w" / "releases" / "0.1.0"


@pytest.mark.parametrize("name", [path.stem for path in sorted(EXAMPLES.glob("*.py"))])
def test_an_example_runs_on_a_release_folder(release: Path, name: str) -> None:
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), str(release)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    assert SAID[name] in done.stdout


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
def test_a_release_is_opened_from_the_hub_by_its_version(
    release: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with made_up_hub(monkeypatch) as hub:
        publish_release(release.parent, "0.1.0", "alice/law", token=SecretStr(TOKEN), endpoint=hub.url)
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
        opened = claimrag.open_release("alice/law", "0.1.0")
        assert opened.release == claimrag.open_release(release).release
        assert opened.table("qa").num_rows == opened.release.rows["qa"]
        with pytest.raises(InputError, match="say which version"):
            claimrag.open_release("alice/law")
        with pytest.raises(StoreError, match=r"no release 9\.9\.9 of alice/law"):
            claimrag.open_release("alice/law", "9.9.9")


def test_a_folder_of_releases_is_opened_with_a_version_and_damage_is_named(release: Path) -> None:
    assert claimrag.open_release(release.parent, "0.1.0").release.version == "0.1.0"
    with pytest.raises(StoreError, match=r"holds no release\.json"):
        claimrag.open_release(release.parent, "9.9.9")
    (release / "README.md").write_text("another")
    with pytest.raises(StoreError, match=r"README\.md is not as released"):
        claimrag.open_release(release)
