"""What the server's process is told, and what it tells back."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from claimrag.tasks.local import server_process
from claimrag.tasks.local.server_process import main, parameters, report

SPEC = {
    "weights": "weights.gguf",
    "model": "tiny",
    "slots": 3,
    "slot_tokens": 1024,
    "threads": 2,
    "prefix_cache_mib": 64,
    "parent": 1,
}


def test_llama_cpp_is_told_everything_that_its_defaults_would_leave_open() -> None:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    params = parameters(SPEC)
    assert params.model.path == "weights.gguf"
    assert (params.cpuparams.n_threads, params.cpuparams_batch.n_threads) == (2, 2)
    assert (params.n_parallel, params.n_ctx) == (3, 3 * 1024)
    assert (params.hostnames, params.port) == (["127.0.0.1"], 0)
    assert not params.ctx_shift, "a prompt that does not fit must not be shortened"
    assert not params.ui and not params.cors_origins


def test_more_parameters_can_be_given_by_name_and_an_unknown_one_fails() -> None:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    assert parameters({**SPEC, "extra": {"n_ubatch": 128}}).n_ubatch == 128
    with pytest.raises(AttributeError):
        parameters({**SPEC, "extra": {"no_such_parameter": 1}})


def test_a_report_is_one_json_line() -> None:
    stream = io.StringIO()
    report(stream, error="RuntimeError", detail="two\nlines")
    assert stream.getvalue().count("\n") == 1
    assert json.loads(stream.getvalue()) == {"error": "RuntimeError", "detail": "two\nlines"}


def test_a_server_that_cannot_start_says_why_and_ends_with_3(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(spec: dict[str, object]) -> None:
        raise ValueError("no such file")

    monkeypatch.setattr(server_process, "parameters", refuse)
    monkeypatch.setattr(server_process, "exit_with_parent", lambda parent: None)
    monkeypatch.setattr(server_process.os, "dup2", lambda source, target: target)
    monkeypatch.setattr(server_process.signal, "signal", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["server_process", json.dumps(SPEC)])
    assert main() == 3
    assert json.loads(capfd.readouterr().out) == {"error": "ValueError", "detail": "no such file"}


@pytest.mark.parametrize("parent", ["ours", "another"])
def test_the_process_ends_when_its_input_closes_or_its_parent_is_another(parent: str) -> None:
    code = (
        "import sys, time; from claimrag.tasks.local.server_process import exit_with_parent;"
        "exit_with_parent(int(sys.argv[1])); time.sleep(60)"
    )
    number = os.getpid() if parent == "ours" else 1
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(number)], stdin=subprocess.PIPE, cwd=Path(__file__).parent
    )
    assert child.stdin is not None
    if parent == "ours":
        child.stdin.close()
        assert child.wait(20) == 0
    else:  # its input stays open, as when a forked process still holds the other end
        assert child.wait(20) == 0
        child.stdin.close()
