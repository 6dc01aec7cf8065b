"""`status`, `rejected` and `show` as people and machines see them: in 80 columns, harmless, one JSON value."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st
from reader_workspace import NEW, copy_of_workspace, damage
from typer.testing import CliRunner

from claimrag.flows.cli.app import app, run
from claimrag.flows.cli.untrusted import paragraph, shortened, visible
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected
from claimrag.schemas.rejection import Rejections
from claimrag.schemas.status import WorkspaceStatus
from claimrag.schemas.story import QuestionStory
from claimrag.tasks.claims.step import CLAIMS
from claimrag.tasks.evaluate.metrics import CLAIM_METRICS
from claimrag.tasks.evaluate.retrieval_metrics import RETRIEVAL_METRICS
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.store import Workspace

NEW_ACT = f"eu/32099R1001/{NEW}/en"
HOSTILE = "\x1b[2J\x1b]0;title\x07 one\r\ntwo \x9b31m\u202ethree [bold]:smile: \u2028\x00"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return copy_of_workspace(tmp_path / "workspace")


def ask(*arguments: str) -> Result:
    """In the folder of the workspace, where it is found by itself."""
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "80", "NO_COLOR": "1"})


def fits(text: str) -> bool:
    return max(map(len, text.splitlines())) <= 80 and not any(ord(c) < 32 and c != "\n" for c in text)


def with_hostile_rows(workspace: Workspace) -> str:
    """A model's reply and a question full of terminal escapes; returns the question's id."""
    bad = Rejected(stage="generate", item=HOSTILE, reason=Reason.REFUSAL, detail=HOSTILE, raw=HOSTILE * 90)
    question = workspace.read_table(QUESTIONS.of(NEW_ACT), QUESTIONS.noun)[0]
    for ref in workspace.tables(QUESTIONS.stage):
        rows = {row.id: row for row in workspace.read_table(ref, QUESTIONS.noun)}
        rows[question.id] = question.model_copy(update={"question": HOSTILE, "answer": HOSTILE})
        workspace.write_table(ref, QUESTIONS.noun, list(rows.values()), [bad])
    return question.id


@pytest.mark.usefixtures("workspace")
def test_the_state_of_a_workspace_fits_one_screen() -> None:
    shown = ask("status")
    assert shown.exit_code == 0 and fits(shown.stdout) and len(shown.stdout.splitlines()) <= 23
    for word in ("nobody works in it", NEW_ACT, "questions", "malformed_reply", "release 0.1.0: "):
        assert word in shown.stdout


def test_a_busy_workspace_with_much_to_say_fits_one_screen_too(workspace: Workspace) -> None:
    for number in range(9):
        manifest = {"status": "failed", "phase": "claims", "sentence": f"{number} {HOSTILE * 30}"}
        workspace.write_json(manifest, "runs", f"2026010{number}T000000Z-a", "manifest.json")
    with workspace.lock(f"claimrag build {HOSTILE}"):
        shown = ask("status")
    assert fits(shown.stdout) and len(shown.stdout.splitlines()) <= 23 and "works there since" in shown.stdout


def test_rejected_rows_are_counted_with_what_each_reason_means(workspace: Workspace) -> None:
    shown = ask("rejected")
    assert shown.exit_code == 0 and fits(shown.stdout)
    assert f"malformed_reply: {Reason.MALFORMED_REPLY.meaning}" in shown.stdout
    counts = [workspace.read_counts(ref) for ref in workspace.tables("questions")]
    total, kept = sum(one.considered for one in counts), sum(one.kept for one in counts)
    assert f"questions: {total - kept} of {total} rows rejected, {kept} kept" in shown.stdout


def test_rows_of_a_stage_say_what_was_rejected_and_how_many_are_not_shown() -> None:
    copy_of_workspace(Path("workspace"))
    shown = ask("rejected", "questions", "--limit", "2")
    assert fits(shown.stdout) and "\n2. " in shown.stdout and "\n3. " not in shown.stdout
    assert "2 of " in shown.stdout and "--limit " in shown.stdout


@pytest.mark.parametrize("command", [["rejected", "questions", "--reason", "refusal"], ["show"]])
def test_what_a_model_wrote_cannot_command_the_terminal(workspace: Workspace, command: list[str]) -> None:
    question = with_hostile_rows(workspace)
    shown = ask(*command, *([question] if command == ["show"] else []))
    assert shown.exit_code == 0 and fits(shown.stdout)
    assert "\\x1b[2J\\x1b]0;title\\x07 one two \\x9b31m\\u202ethree" in " ".join(shown.stdout.split())
    assert "[bold]:smile:" in shown.stdout
    for character in "\x1b\x9b\u202e\u2028\x00\r":
        assert character not in shown.stdout


def test_json_is_one_value_of_the_documented_shape_with_everything_in_it(workspace: Workspace) -> None:
    question = with_hostile_rows(workspace)
    WorkspaceStatus.model_validate_json(ask("status", "--json").stdout)
    rows = Rejections.model_validate_json(ask("rejected", "questions", "--json").stdout).rows
    assert HOSTILE * 90 in [row.raw for row in rows]
    story = QuestionStory.model_validate_json(ask("show", question, "--json").stdout)
    assert story.question.question == HOSTILE
    for command in (["rejected", "questions"], ["show", question]):
        shown = ask(*command, "--json").stdout
        assert not any(character in shown for character in "\x1b\x9b\x7f\u202e\u2028\x00\r")


def test_a_claim_shows_the_words_of_the_law_marked_without_colour(workspace: Workspace) -> None:
    claim = workspace.read_table(CLAIMS.of(NEW_ACT), CLAIMS.noun)[0]
    shown = ask("show", claim.id[:10]).stdout
    assert fits(shown) and f"claim {claim.id}" in shown and f"question {claim.question_id}" in shown
    assert " >>> " in " ".join(shown.split()) and " <<< " in " ".join(shown.split())
    assert "released in 0.1.0" in shown and "Drinking-Water Sensor Regulation" in shown


def test_a_run_shows_its_scores_with_what_each_of_them_means(workspace: Workspace) -> None:
    run_id = workspace.tables("runs")[0].scope
    shown = ask("show", run_id[:8]).stdout
    assert fits(shown) and f"run {run_id}" in shown and "k 10" in shown
    for metric in (*CLAIM_METRICS, *RETRIEVAL_METRICS):
        assert f" {metric.column}: {metric.legend}" in " ".join(shown.split())


@pytest.mark.parametrize("command", [["status"], ["rejected"], ["show", "q_1"]])
def test_a_workspace_that_is_not_there_is_one_sentence(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        run([*command, "--workspace", "nowhere"], to_the_end=False)
    said = capsys.readouterr()
    assert stopped.value.code == 1 and not said.out and not Path("nowhere").exists()
    assert said.err == "claimrag: workspace nowhere is not there; run `claimrag build` first\n"


def test_a_damaged_table_is_a_sentence_beside_what_can_be_shown(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    slug = workspace.tables("questions")[0].slug
    damage(workspace, f"tables/questions/{slug}.json")
    for command in (["status"], ["rejected"], ["show", f"{NEW_ACT}#art_1"]):
        with pytest.raises(SystemExit) as stopped:
            run(command, to_the_end=False)
        said = capsys.readouterr()
        assert stopped.value.code == 1 and said.out.count("\n") > 3
        assert said.err.count("\n") == 1 and f"{slug}.json is damaged" in said.err


@pytest.mark.usefixtures("workspace")
def test_readers_load_neither_prefect_nor_a_model() -> None:
    code = (
        "import sys; from claimrag.flows.cli.app import run\n"
        "try: run(['status', '--json'])\n"
        "except SystemExit as end: assert not end.code\n"
        "heavy = {'prefect', 'torch', 'datasets', 'llama_cpp', 'great_expectations', 'tantivy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["laws"]


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    claimrag = f"'{sys.executable}' -c 'from claimrag.flows.cli.app import run; run()'"
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command.replace("claimrag", claimrag, 1)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )


def test_who_stops_reading_gets_no_complaint() -> None:
    assert shell("claimrag laws --json | true").stderr == ""


def test_output_that_cannot_hold_every_letter_gets_escapes_and_json_stays_json() -> None:
    shown = shell("claimrag laws", PYTHONIOENCODING="ascii")
    assert "\\xe9" in shown.stdout and not shown.stderr
    entries = json.loads(shell("claimrag laws --json", PYTHONIOENCODING="ascii").stdout)
    assert any("é" in entry["title"] for entry in entries)


@given(st.text(st.characters(), max_size=80), st.integers(1, 60))
def test_no_text_whatever_it_holds_leaves_its_line_or_its_width(text: str, longest: int) -> None:
    shown = visible(text)
    assert all(c.isprintable() or c in "\u00ad\u200c\u200d" or c.isspace() for c in shown)
    assert "\n" not in shown and visible(shown) == shown
    assert shortened(text, longest).startswith(shown[:longest].rstrip())
    assert all(len(line) <= 60 for line in paragraph("  label: ", shown, 60))
