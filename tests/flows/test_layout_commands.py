"""`export` and `import` as people and machines see them: what they wrote, on 80 columns, or one sentence."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
import scripted_law
from click.testing import Result
from reader_workspace import NEW, copy_of_workspace
from scripted_model import ScriptedServer
from typer.testing import CliRunner

from claimrag.flows.cli.app import app, run
from claimrag.legal_sources.samples import read_sample
from claimrag.schemas.build import BuildRequest
from claimrag.schemas.release import Release
from claimrag.tasks.claims.step import extract_act_claims
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.layouts.registry import all_layouts
from claimrag.tasks.occurrences.step import OCCURRENCES
from claimrag.tasks.release.step import release_acts
from claimrag.tasks.run.runtime import open_runtime
from claimrag.tasks.run.tables import workspace_acts
from claimrag.tasks.store import Workspace
from claimrag.tasks.validate.step import validate_acts

ACT = f"eu/32099R1001/{NEW}/en"


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


@pytest.fixture
def exported(workspace: Workspace) -> Path:
    """The questions of the workspace's release as a set, and the law that they are about, in law.xhtml."""
    assert workspace.has_table(QUESTIONS.of(ACT))
    assert ask("export", "--layout", "claimrag-law", "--to", "set").exit_code == 0
    Path("law.xhtml").write_bytes(read_sample("sample-en", NEW))
    return Path("set/eu-32099r1001-en-rag.json")


def test_an_exported_set_comes_into_another_workspace_as_it_was(workspace: Workspace, exported: Path) -> None:
    shown = ask("import", str(exported), "--act", "law.xhtml", "--workspace", "other")
    assert shown.exit_code == 0, shown.exception
    other = Workspace.open("other", create=False)
    before = {row.question_id: row for row in workspace.read_table(OCCURRENCES.of(ACT), OCCURRENCES.noun)}
    after = {row.question_id: row for row in other.read_table(OCCURRENCES.of(ACT), OCCURRENCES.noun)}
    assert after == before and len(after) > 10
    asked = {
        row.id: row
        for ref in workspace.tables(QUESTIONS.stage)
        for row in workspace.read_table(ref, QUESTIONS.noun)
    }
    for row in other.read_table(QUESTIONS.of(ACT), QUESTIONS.noun):
        one = asked[row.id]
        assert (row.question, row.answer, row.quotations) == (one.question, one.answer, one.quotations)
        assert row.generated_by.model == "imported"
    # Those of the older version alone have no words in this one.
    items = json.loads(exported.read_text(encoding="utf-8"))["input_data"]
    gone = [one for one in items if one["query_id"] not in after]
    assert len(items) == len(after) + len(gone) and gone
    assert f"{len(after)} of {len(items)} questions imported, unreviewed" in shown.stdout
    assert f"quotation_not_found {len(gone)}" in shown.stdout and "next: " in shown.stdout
    listed = ask("rejected", "questions", "--workspace", "other", "--json")
    assert {row["item"] for row in json.loads(listed.stdout)["rows"]} == {one["query_id"] for one in gone}


def test_the_same_files_again_change_nothing_and_others_are_refused(
    exported: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["--act", "law.xhtml", "--workspace", "other"]
    assert ask("import", str(exported), *command).exit_code == 0
    record = Workspace.open("other", create=False).record(QUESTIONS.of(ACT))
    again = ask("import", str(exported), "--act", ACT, "--workspace", "other", "--json")
    told = json.loads(again.stdout)
    assert told["act_id"] == ACT and told["counts"]["kept"] == told["occurrences"]
    assert Workspace.open("other", create=False).record(QUESTIONS.of(ACT)) == record
    Path("changed.json").write_text(exported.read_text(encoding="utf-8") + " ")
    code, line = refused(["import", "changed.json", *command], capsys)
    assert code == 2 and "holds questions imported from other files" in line and "--workspace" in line


def test_generated_questions_are_never_replaced(
    workspace: Workspace, exported: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = workspace.record(QUESTIONS.of(ACT))
    code, line = refused(["import", str(exported), "--act", ACT], capsys)
    assert code == 2 and "holds questions that were generated" in line and "another --workspace" in line
    assert workspace.record(QUESTIONS.of(ACT)) == before


@pytest.mark.usefixtures("exported")
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nowhere.json", "--act", "law.xhtml"], 2, "nowhere.json cannot be read"),
        (["set/eu-32099r1001-en-claim.json", "--act", "law.xhtml"], 2, "holds claims"),
        (["set/eu-32099r1001-en-rag.json", "--act", "no-such-law"], 1, "no law is called"),
        (["set/eu-32099r1001-en-rag.json", "--act", " "], 2, "blank"),
        (["set/eu-32099r1001-en-rag.json"], 2, "--act"),
        (["set/eu-32099r1001-en-rag.json", "--act", "law.xhtml", "--layout", "beir"], 2, "claimrag-law can"),
        (["set/eu-32099r1001-en-rag.json", "--act", "gdpr"], 2, "say with --language"),
    ],
)
def test_what_cannot_be_imported_is_one_sentence(
    arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found, line = refused(["import", *arguments, "--workspace", "other"], capsys)
    assert found == code and words in line
    assert not Path("other/tables").exists()


def test_questions_of_another_law_are_all_rejected_and_leave_the_way_open(
    exported: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = json.loads(exported.read_text(encoding="utf-8"))["input_data"]
    foreign = [one | {"relevant_chunk": f"nothing of the kind {n}"} for n, one in enumerate(items)]
    Path("foreign.json").write_text(json.dumps(foreign))
    command = ["--act", "law.xhtml", "--workspace", "other"]
    code, line = refused(["import", "foreign.json", *command], capsys)
    assert code == 1 and "kept no row" in line and f"quotation_not_found: {len(items)}" in line
    assert ask("import", str(exported), *command).exit_code == 0


def test_an_imported_set_becomes_a_release_and_no_generated_question_replaces_it(
    exported: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # As a published set has it: of a false premise nobody says what was altered.
    items = json.loads(exported.read_text(encoding="utf-8"))["input_data"]
    exported.write_text(json.dumps([{**one, "claimrag": None} for one in items]), encoding="utf-8")
    assert ask("import", str(exported), "--act", "law.xhtml", "--workspace", "other").exit_code == 0

    async def the_rest() -> Release:
        async with open_runtime(BuildRequest(workspace="other")) as runtime:
            acts = workspace_acts(runtime, QUESTIONS)
            for act_id in acts:
                await extract_act_claims(runtime, act_id)
            await validate_acts(runtime, acts)
            return (await release_acts(runtime, acts))[0]

    with ScriptedServer(scripted_law.reply) as server:
        monkeypatch.setenv("CLAIMRAG_LLM__BASE_URL", server.base_url)
        monkeypatch.setenv("CLAIMRAG_LLM__MODEL", "scripted")
        assert asyncio.run(the_rest()).rows["qa"] > 10
        code, line = refused(["plan", "law.xhtml", "--workspace", "other"], capsys)
    assert code == 2 and "holds imported questions" in line and "another --workspace" in line
