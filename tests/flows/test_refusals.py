"""Every refusal is one sentence on standard error with its exit code, before anything is started or paid."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from claimrag.flows.cli import app as command_line
from claimrag.flows.cli.app import run
from claimrag.schemas.errors import ModelRefusedError

LONG = "x" * 300


@pytest.fixture(autouse=True)
def _logs_in_the_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def refuse(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and sentence; the sentence is all that there is on standard error."""
    with pytest.raises(SystemExit) as stopped:
        run(arguments, to_the_end=False)
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("claimrag: "), lines
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, lines[0]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["parse", "no-such-law"], 1, "no law is called"),
        (["parse", LONG], 2, "too long"),
        (["parse", f"{LONG}.xml"], 2, "too long"),
        (["build", LONG], 2, "too long"),
        (["acquire", LONG], 2, "too long"),
        (["bench", "nothing"], 2, "choose one of"),
        (["build", "absent.xml"], 2, "not a file here"),
        (["build", "--release-version", "v1"], 2, "--release-version: 'v1' is not a version"),
        (["release", "--release-version", "1.0"], 2, "--release-version: '1.0' is not a version"),
        (["build", "--units", "0"], 2, "--units"),
        (["build", "--bogus"], 2, "claimrag build --help"),
        (["bogus"], 2, "claimrag --help"),
        (["build", "--workspace", ""], 2, "workspace: it is blank"),
        (["validate", "--workspace", "  "], 2, "workspace: it is blank"),
        (["acquire", "sample-en", "--workspace", ""], 2, "workspace: it is blank"),
        (["settings", "--workspace", ""], 2, "workspace: it is blank"),
        (["build", "--preset", "nothing"], 2, "choose one of: claimrag-law"),
        (["generate", "--preset", "../secrets"], 2, "choose one of: claimrag-law"),
        (["clean", "--workspace", "absent"], 1, "is not there"),
        (["chunk", "sample-en", "--chunker", "nothing", "--workspace", "w"], 2, "unknown chunker"),
    ],
)
def test_a_refusal_is_one_sentence_and_its_exit_code(
    arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found, sentence = refuse(arguments, capsys)
    assert found == code and words in sentence
    assert "(log:" not in sentence and not Path("state").exists()


@pytest.mark.parametrize(
    ("variables", "code", "words"),
    [
        ({"CLAIMRAG_LLM__MODLE": "x"}, 2, "modle"),
        (
            {"CLAIMRAG_LLM__BASE_URL": "http://127.0.0.1:99999/v1", "CLAIMRAG_LLM__MODEL": "m"},
            2,
            "llm.base_url",
        ),
        (
            {"CLAIMRAG_LLM__BASE_URL": "http://127.0.0.1:abc/v1", "CLAIMRAG_LLM__MODEL": "m"},
            2,
            "llm.base_url",
        ),
        ({"CLAIMRAG_EMBEDDINGS__BASE_URL": "http://[::1/v1"}, 2, "embeddings.base_url"),
        ({"CLAIMRAG_ACQUIRE__BASE_ADDRESSES": '{"eu": "http://h:0"}'}, 2, "the address of eu"),
        ({"CLAIMRAG_LLM__API_KEY": "clé", "CLAIMRAG_LLM__MODEL": "m"}, 2, "llm.api_key"),
        (
            {"CLAIMRAG_EVALUATE__CHUNK_TOKENS": "100", "CLAIMRAG_EVALUATE__CHUNK_OVERLAP": "100"},
            2,
            "chunk_tokens",
        ),
        ({"CLAIMRAG_GENERATE__WINDOW_TOKENS": "4096"}, 2, "generate.reserved_tokens"),
        ({"PREFECT_API_URL": "http://127.0.0.1:abc/api"}, 2, "PREFECT_API_URL"),
        ({"PREFECT_API_URL": "http://u:hunter2@127.0.0.1:9/api"}, 1, "http://127.0.0.1:9 does not answer"),
        ({"ALL_PROXY": "socks5://127.0.0.1:1080"}, 2, "ALL_PROXY names a SOCKS proxy"),
        ({"https_proxy": "socks5h://127.0.0.1:1080"}, 2, "https_proxy names a SOCKS proxy"),
    ],
)
def test_what_the_environment_says_is_looked_at_before_anything_starts(
    variables: dict[str, str],
    code: int,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found, sentence = refuse(["build", "--workspace", "w"], capsys)
    assert found == code and words in sentence and "hunter2" not in sentence
    assert not Path("w").exists()


def test_wrong_usage_of_a_stage_command_is_found_as_that_of_a_build(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLAIMRAG_EVALUATE__RESERVED_TOKENS", "8192")
    for command in ("generate", "claims", "validate", "evaluate", "release", "settings", "doctor"):
        code, sentence = refuse([command], capsys)
        assert code == 2 and "evaluate.context_tokens" in sentence


def test_a_bug_is_called_one_and_its_log_holds_the_traceback_without_keys(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")

    def broken(arguments: list[str]) -> None:
        print("a warning of some package, Bearer abc.def", file=sys.stderr)
        raise KeyError("sk-very-secret")

    monkeypatch.setattr(command_line, "_invoke", broken)
    code, sentence = refuse(["build"], capsys)
    (log,) = (tmp_path / "state").rglob("*-build-*.log")
    assert code == 1 and "this is a bug in claimrag: KeyError" in sentence and str(log) in sentence
    text = log.read_text()
    assert "Traceback" in text and "a warning of some package" in text
    assert "sk-very-secret" not in text and "abc.def" not in text


def test_debug_shows_the_traceback_and_ends_with_the_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(arguments: list[str]) -> None:
        assert "--debug" not in arguments
        raise ModelRefusedError("the key is wrong")

    monkeypatch.setattr(command_line, "_invoke", broken)
    for arguments in (["--debug", "build"], ["build", "--debug"]):
        with pytest.raises(SystemExit) as stopped:
            run(arguments, to_the_end=False)
        lines = capsys.readouterr().err.splitlines()
        assert stopped.value.code == 1
        assert any("Traceback" in line for line in lines)
        assert lines[-1].startswith("claimrag: the key is wrong (log: ")


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        run([], to_the_end=False)
    shown = capsys.readouterr()
    assert stopped.value.code == 2 and "Commands" in shown.out and shown.err == ""


def test_a_server_that_answers_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from claimrag.flows.temporary_server import check_reachable

    with socket.create_server(("127.0.0.1", 0)) as listening:
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
        check_reachable(f"http://127.0.0.1:{listening.getsockname()[1]}/api")
