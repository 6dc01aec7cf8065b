"""The local server's life: it starts, says clearly why it did not, and never outlives its parent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from claimrag.schemas.errors import MissingDependencyError, ModelError, ModelUnavailableError
from claimrag.tasks.local import server as server_module
from claimrag.tasks.local.server import LocalServer, last_lines, usable_cores

SCRIPTED = Path(__file__).with_name("scripted_server_process.py")
GONE_WITHIN_S = 10.0


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Makes servers whose process is the scripted one, in the mode given."""
    monkeypatch.setattr(server_module, "SERVER_SCRIPT", SCRIPTED)
    monkeypatch.setattr(server_module, "find_weights", lambda *_, **__: tmp_path / "weights.gguf")

    def make(mode: str = "healthy", **options: object) -> LocalServer:
        return LocalServer(cache_dir=tmp_path, extra={"mode": mode}, **options)

    return make


def test_a_server_is_in_no_group_that_ctrl_c_reaches_and_ends_at_once_when_told(
    scripted, monkeypatch
) -> None:
    monkeypatch.setattr(server_module, "_running", type(server_module._running)())  # not those of other tests
    with scripted(), scripted():
        children = [process.pid for process in server_module._running]
        assert len(children) == 2 and all(os.getpgid(pid) == pid for pid in children)
        server_module.kill_running()
        assert all(process.wait(5) == -signal.SIGKILL for process in server_module._running)
    assert not server_module._running


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def wait_until_gone(pid: int) -> bool:
    deadline = time.monotonic() + GONE_WITHIN_S
    while time.monotonic() < deadline:
        if not is_running(pid):
            return True
        time.sleep(0.05)
    return False


def test_the_server_runs_in_a_process_of_its_own_for_as_long_as_the_block_lasts(scripted) -> None:
    with scripted(slots=3, slot_tokens=4096) as server:
        pid, endpoint = server.pid, server.endpoint
        assert pid is not None and pid != os.getpid() and is_running(pid)
        assert endpoint.base_url.startswith("http://127.0.0.1:") and endpoint.base_url.endswith("/v1")
        assert (endpoint.max_in_flight, endpoint.context_tokens) == (4, 4096)
    assert server.pid is None
    assert wait_until_gone(pid)


def test_it_waits_while_the_model_is_loading(scripted) -> None:
    with scripted("loading") as server:
        assert server.endpoint.model == "qwen2.5-coder-1.5b-instruct-q4_k_m"


def test_the_process_ends_when_the_block_raises(scripted) -> None:
    with pytest.raises(RuntimeError, match="the pipeline failed"), scripted() as server:
        pid = server.pid
        raise RuntimeError("the pipeline failed")
    assert pid is not None and wait_until_gone(pid)


def test_a_process_that_does_not_end_by_itself_is_killed(scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "STOP_TIMEOUT_S", 0.2)
    with scripted("stubborn") as server:
        pid = server.pid
    assert pid is not None and not is_running(pid)


def test_outside_the_block_there_is_no_endpoint(scripted) -> None:
    server = scripted()
    with pytest.raises(ModelError, match="use LocalServer in a `with` statement"):
        _ = server.endpoint
    server.stop()


def test_starting_twice_is_an_error(scripted) -> None:
    with scripted() as server, pytest.raises(ModelError, match="started already"):
        server.start()


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        ("dies", r"ended while starting \(exit 7\)"),
        ("dies later", "ended while loading the model"),
        ("error:RuntimeError:failed to load model", r"did not start \(RuntimeError: failed to load model\)"),
    ],
)
def test_a_server_that_ends_is_reported_with_its_last_log_lines(scripted, mode: str, sentence: str) -> None:
    server = scripted(mode)
    with pytest.raises(ModelUnavailableError, match=sentence) as failure:
        server.start()
    assert str(failure.value).endswith("\n".join(f"log line {number}" for number in range(13, 21)))
    assert str(server.log_file) in str(failure.value)
    assert server.pid is None


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [("silent", "did not start within 1 s"), ("never ready", r"not ready within 1 s \(last: HTTP 503\)")],
)
def test_a_server_that_is_too_slow_is_ended_and_reported(scripted, mode: str, sentence: str) -> None:
    with pytest.raises(ModelUnavailableError, match=sentence):
        scripted(mode, start_timeout_s=1.0).start()


def test_a_missing_libgomp_names_the_system_package(scripted) -> None:
    detail = "libgomp.so.1: cannot open shared object file: No such file or directory"
    with pytest.raises(MissingDependencyError, match="apt-get install libgomp1"):
        scripted(f"error:ImportError:{detail}").start()


def test_a_missing_xllamacpp_names_the_extra(scripted) -> None:
    with pytest.raises(MissingDependencyError, match=r"claimrag\[local\]"):
        scripted("error:ModuleNotFoundError:No module named 'xllamacpp'").start()


def test_waiting_threads_sleep_unless_the_caller_says_otherwise(
    scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    with scripted() as server:
        assert "OMP_WAIT_POLICY=passive" in environment_of(server.pid)
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    with scripted() as server:
        assert "OMP_WAIT_POLICY=active" in environment_of(server.pid)


def environment_of(pid: int | None) -> list[str]:
    source = Path(f"/proc/{pid}/environ")
    if not source.exists():
        pytest.skip("this system has no /proc")
    return source.read_bytes().decode().split("\0")


def test_old_logs_are_dropped_and_the_newest_kept(scripted, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in range(15):
        old = logs / f"local-server-{number}-1.log"
        old.write_text("old")
        os.utime(old, ns=(number, number))
    with scripted() as server:
        kept = {path.name for path in logs.iterdir()}
    assert kept == {f"local-server-{number}-1.log" for number in range(5, 15)} | {server.log_file.name}


def test_there_is_at_least_one_core_and_no_lines_in_a_missing_log(tmp_path: Path) -> None:
    assert usable_cores() >= 1
    assert last_lines(tmp_path / "missing.log", 3) == ""


PARENT = """
import sys, time
from pathlib import Path
from claimrag.tasks.local import server as server_module
from claimrag.tasks.local.server import LocalServer
script, cache = sys.argv[1:]
if script != "real":
    server_module.SERVER_SCRIPT = Path(script)
    server_module.find_weights = lambda *_, **__: Path("weights.gguf")
server = LocalServer(cache_dir=Path(cache) if script != "real" else None, slot_tokens=512, slots=1)
server.start()
print(server.pid, flush=True)
time.sleep(120)
"""


def kill_the_parent_of_a_server(script: str, tmp_path: Path) -> int:
    """Start a process that starts a server, kill -9 the process, and return the server's pid."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, script, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert is_running(pid)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    return pid


def test_kill_minus_nine_of_the_parent_ends_the_server_process(tmp_path: Path) -> None:
    assert wait_until_gone(kill_the_parent_of_a_server(str(SCRIPTED), tmp_path))


@pytest.mark.model
def test_kill_minus_nine_of_the_parent_ends_the_real_server(
    local_server: LocalServer, tmp_path: Path
) -> None:
    assert wait_until_gone(kill_the_parent_of_a_server("real", tmp_path))


def test_weights_that_are_no_model_are_reported_with_llama_cpps_own_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"not a model")
    monkeypatch.setattr(server_module, "find_weights", lambda *_, **__: broken)
    with pytest.raises(
        ModelUnavailableError, match=r"the local model's server did not start(.|\n)*broken\.gguf"
    ):
        LocalServer(cache_dir=tmp_path).start()


def ask(server: LocalServer, content: str, **options: object) -> httpx.Response:
    body = {"messages": [{"role": "user", "content": content}], "temperature": 0, "max_tokens": 16, **options}
    with httpx.Client(timeout=240, trust_env=False) as client:
        return client.post(f"{server.endpoint.base_url}/chat/completions", json=body)


@pytest.mark.model
def test_the_real_model_keeps_to_a_json_schema_and_repeats_itself(local_server: LocalServer) -> None:
    schema = {
        "type": "object",
        "properties": {"label": {"enum": ["Entailment", "Neutral", "Contradiction"]}},
        "required": ["label"],
        "additionalProperties": False,
    }
    form = {"type": "json_schema", "json_schema": {"name": "label", "strict": True, "schema": schema}}
    question = "The library opens at nine. Does it follow that the library opens at nine?"
    first = ask(local_server, question, response_format=form).json()
    again = ask(local_server, question, response_format=form).json()
    said = first["choices"][0]["message"]["content"]
    assert json.loads(said)["label"] in {"Entailment", "Neutral", "Contradiction"}
    assert again["choices"][0]["message"]["content"] == said
    assert first["model"] == local_server.endpoint.model


@pytest.mark.model
def test_a_prefix_is_read_once_even_when_another_prompt_came_between(local_server: LocalServer) -> None:
    provision = "Sentence: the library of the village opens at nine and closes at noon. " * 4
    other = "Something else: the fishing season starts in spring and ends in autumn. " * 4
    for prompt in (provision + "When does it open?", other + "When does it end?"):
        ask(local_server, prompt, max_tokens=1)
    usage = ask(local_server, provision + "When does it close?", max_tokens=1).json()["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] > usage["prompt_tokens"] / 2


@pytest.mark.model
def test_a_prompt_that_does_not_fit_is_refused_with_http_400(local_server: LocalServer) -> None:
    answer = ask(local_server, "word " * (local_server.endpoint.context_tokens + 1))
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "exceed_context_size_error"
