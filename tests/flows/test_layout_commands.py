"""`export` and `import` as people and machines see them: what they wrote, on 80 columns, or one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from reader_workspace import copy_of_workspace
from typer.testing import CliRunner

from claimrag.flows.cli.app import app, run
from claimrag.tasks.layouts.registry import all_layouts
from claimrag.tasks.store import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return copy_of_workspace(tmp_path / "workspace")


def ask(*arguments: str) -> Result:
    """In the folder of the workspace, where it is found by itself."""
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "80", "NO_COLOR": "1"})


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and the one sentence on standard error."""
    with pytest.raises(SystemExit) as stopped:
        run(arguments, to_the_end=False)
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, line


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize("layout", list(all_layouts()))
def test_an_export_says_which_files_and_rows_it_wrote(layout: str) -> None:
    shown = ask("export", "--layout", layout, "--to", "out")
    assert shown.exit_code == 0, shown.exception
    files = [path for path in Path("out").rglob("*") if path.is_file() and path.name != "README.md"]
    assert files and all(str(path.relative_to("out")) in shown.stdout for path in files)
    before, _, _ = shown.stdout.partition("left out" if "left out" in shown.stdout else "Rows are")
    assert max(map(len, before.splitlines())) <= 80 and "written to out" in shown.stdout
    assert "no expert has reviewed" in shown.stdout
    told = json.loads(ask("export", "--layout", layout, "--to", "again", "--json").stdout)
    assert {one["path"] for one in told["files"]} == {str(path.relative_to("out")) for path in files}
    assert told["version"] == "0.1.0" and all(one["rows"] > 0 for one in told["files"])


@pytest.mark.usefixtures("workspace")
def test_a_release_folder_is_exported_wherever_it_lies() -> None:
    Path("workspace/releases/0.1.0").rename("elsewhere")
    assert ask("export", "elsewhere", "--layout", "beir", "--to", "out").exit_code == 0
    assert Path("out/README.md").is_file()


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--layout", "beirs", "--to", "out"], "unknown layout 'beirs': known are beir, claimrag-law"),
        (["--layout", "beir", "--to", "workspace"], "is not empty"),
        (["nowhere", "--layout", "beir", "--to", "out"], "holds no release.json"),
        (["workspace/releases/0.1.0", "--workspace", "w", "--layout", "beir", "--to", "out"], "leave out"),
        (["--layout", "beir"], "--to"),
    ],
)
def test_what_cannot_be_exported_is_one_sentence(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, line = refused(["export", *arguments], capsys)
    assert code == 2 and words in line
    assert not Path("out").exists()


def test_the_help_names_every_layout() -> None:
    shown = " ".join(ask("export", "--help").stdout.replace("│", " ").split())
    assert all(name in shown for name in all_layouts())
