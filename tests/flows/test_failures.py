"""Errors of Prefect's client, of the machine and of nobody's foresight, each in one sentence."""

from __future__ import annotations

import errno
import sqlite3

import httpx
import pytest

from claimrag.flows.cli.failures import explain
from claimrag.schemas.errors import EmptyStageError, SettingsError

REQUEST = httpx.Request("GET", "http://127.0.0.1:4200/api/health")


def raised(error: BaseException, cause: BaseException | None = None) -> BaseException:
    try:
        raise error from cause
    except BaseException as caught:
        return caught


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (SettingsError("wrong"), 2, "wrong"),
        (ExceptionGroup("several", [EmptyStageError("nothing kept")]), 1, "nothing kept"),
        (RuntimeError("Failed to reach API at http://127.0.0.1:9/api/"), 1, "Prefect server at"),
        (httpx.ConnectError("no", request=REQUEST), 1, "does not answer"),
        (httpx.ReadTimeout("no", request=REQUEST), 1, "does not answer"),
        (httpx.InvalidURL("no"), 2, "PREFECT_API_URL"),
        (httpx.HTTPStatusError("no", request=REQUEST, response=httpx.Response(401)), 1, "HTTP 401"),
        (ImportError("Using SOCKS proxy, but the 'socksio' package is not installed."), 2, "SOCKS"),
        (ModuleNotFoundError("No module named 'x'", name="x"), 1, "install claimrag again"),
        (
            OSError(errno.ENOSPC, "No space left on device", "w/t"),
            1,
            "w/t: No space left on device; free some",
        ),
        (OSError(errno.ENAMETOOLONG, "File name too long", "x" * 999), 1, "give a shorter name"),
        (PermissionError(errno.EACCES, "Permission denied", "w"), 1, "correct its rights"),
        (sqlite3.OperationalError("database is locked"), 1, "database is locked"),
        (MemoryError(), 1, "not enough memory"),
    ],
)
def test_what_a_person_can_do_something_about_is_no_bug(
    error: BaseException, code: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_API_URL", "http://user:hunter2@127.0.0.1:4200/api")
    failure = explain(raised(error))
    assert (failure.exit_code, failure.is_bug) == (code, False)
    assert words in failure.sentence and "hunter2" not in failure.sentence
    assert len(failure.sentence) < 400 and "\n" not in failure.sentence


def test_a_cause_counts_and_a_context_does_not() -> None:
    caused = raised(RuntimeError("flow run failed"), SettingsError("the setting"))
    assert explain(caused).sentence == "the setting"
    try:
        try:
            raise SettingsError("handled before")
        except SettingsError:
            raise KeyError("a bug while handling")  # noqa: B904
    except KeyError as beside:
        assert explain(beside).is_bug


@pytest.mark.parametrize(
    "error", [KeyError("x"), AssertionError(), OSError("no number"), ImportError("no", name="claimrag.x")]
)
def test_anything_else_is_a_bug_of_ours(error: Exception) -> None:
    failure = explain(raised(error))
    assert failure.is_bug and failure.exit_code == 1
    assert failure.sentence.startswith(f"this is a bug in claimrag: {type(error).__name__}")


def test_a_bug_names_the_place_of_ours_that_it_passed_last() -> None:
    from claimrag.flows.cli.output import table

    try:
        table("t", ["a", "b"], [["one cell"]])
    except IndexError as error:
        assert "in flows/cli/output.py, line " in explain(error).sentence
