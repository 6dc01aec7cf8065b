"""The log of a command: where it lies, what it leaves out, and that nothing is written where nothing was said."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest

from claimrag.flows.cli import journal as journals
from claimrag.flows.cli.journal import Journal, journal_of
from claimrag.flows.cli.output import complain
from claimrag.schemas.settings import load_settings


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_what_others_write_goes_to_the_workspace_and_ours_to_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "w").mkdir()
    real = sys.stderr
    with journal_of("build") as journal:
        journal.follow(load_settings(workspace="w"))
        print("a line of some package", file=sys.stderr)
        logging.lastResort.handle(logging.makeLogRecord({"msg": "a log line", "levelno": logging.ERROR}))
        complain("a sentence of ours")
    assert sys.stderr is real
    assert capsys.readouterr().err == "claimrag: a sentence of ours\n"
    assert journal.path is not None and journal.path.parent == tmp_path / "w" / "logs"
    text = journal.path.read_text()
    assert "a line of some package" in text and "a log line" in text


def test_lines_wait_for_a_workspace_that_comes_later(tmp_path: Path) -> None:
    with journal_of("build") as journal:
        journal.follow(load_settings(workspace="w"))
        print("early", file=sys.stderr)
        assert journal.path is None
        (tmp_path / "w").mkdir()
        print("late", file=sys.stderr)
    assert journal.path is not None and journal.path.read_text() == "early\nlate\n"
    assert not (tmp_path / "state").exists()


def test_without_a_workspace_the_log_lies_in_the_folder_of_the_platform(tmp_path: Path) -> None:
    with journal_of("parse") as journal:
        print("something", file=sys.stderr)
        path = journal.settle()
    assert path is not None and path.is_relative_to(tmp_path / "state") and "parse" in path.name


def test_no_line_no_file(tmp_path: Path) -> None:
    with journal_of("parse") as journal:
        assert journal.is_empty and journal.settle() is None
    assert not (tmp_path / "state").exists()


def test_a_folder_that_cannot_hold_a_log_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with journal_of("build") as journal:
        journal.workspace = tmp_path / ("x" * 300)
        print("something", file=sys.stderr)
        assert journal.settle() is None


def test_keys_and_passwords_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "token-of-the-environment")
    model = {"base_url": "http://user:pass%20word@h/v1", "model": "m", "api_key": "key-of-the-settings"}
    with journal_of("build") as journal:
        journal.follow(load_settings(llm=model))
        for secret in (
            "key-of-the-settings",
            "token-of-the-environment",
            "http://a:hunter2@b/v1",
            "Bearer ey.x",
        ):
            print(f"seen: {secret}", file=sys.stderr)
        print("decoded: pass word", file=sys.stderr)
        path = journal.settle()
    assert path is not None
    text = path.read_text()
    assert text.count("***") == 5
    assert not any(s in text for s in ("key-of", "token-of", "hunter2", "ey.x", "pass word"))


def test_only_the_last_logs_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "LOGS_KEPT", 3)
    (tmp_path / "logs").mkdir()
    for day in range(1, 6):
        (tmp_path / "logs" / f"202601{day:02}T000000Z-build-1.log").touch()
    (tmp_path / "logs" / "notes.txt").touch()
    journal = Journal("build", sys.stderr)
    journal.workspace = tmp_path
    journal.write("new\n")
    names = sorted(path.name for path in (tmp_path / "logs").iterdir())
    assert names[:2] == ["20260104T000000Z-build-1.log", "20260105T000000Z-build-1.log"] and len(names) == 4
