"""`doctor --ask`: one request per endpoint, in JSON or not, refused or dead; never without being told to ask."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from scripted_model import ScriptedReply, ScriptedServer

from claimrag.schemas.settings import ModelSettings, load_settings
from claimrag.tasks.doctor import State, examine
from claimrag.tasks.doctor.answers import check_answer

KEY = "sk-not-a-real-key-1234"


def model(address: str) -> ModelSettings:
    return ModelSettings(base_url=address, model="scripted", api_key=SecretStr(KEY))


@pytest.mark.parametrize(
    "reply, state, words",
    [
        ('{"article": 7}', State.OK, "right, in"),
        ('<think>7</think>```json\n{"article": 7}\n```', State.OK, "schema sent as json_schema"),
        ('{"article": 8}', State.WARNING, "not the right one"),
        ("Article seven.", State.FAILED, "no usable JSON"),
    ],
)
def test_what_a_model_answers_is_judged(reply: str, state: State, words: str) -> None:
    with ScriptedServer(lambda _: reply) as server:
        check = check_answer("llm", model(server.base_url))
    assert (check.name, check.state) == ("llm answer", state) and words in check.detail
    assert (check.remedy is None) == (state is State.OK)


def test_an_endpoint_that_takes_no_schema_is_named_as_such() -> None:
    def reply(body: dict[str, Any]) -> ScriptedReply | str:
        form = body.get("response_format")
        if form is not None and form["type"] == "json_schema":
            return ScriptedReply(status=400, message="response_format json_schema is not supported")
        return '{"article": 7}'

    with ScriptedServer(reply) as server:
        check = check_answer("judge", model(server.base_url))
    assert check.state is State.OK and "schema sent as json_object" in check.detail


def test_a_refused_key_is_one_sentence_without_the_key() -> None:
    with ScriptedServer(lambda _: ScriptedReply(status=401, message="no such key")) as server:
        check = check_answer("llm", model(server.base_url))
    assert check.state is State.FAILED and "401" in check.detail and KEY not in str(check)


def test_each_endpoint_is_asked_once_and_only_on_demand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(lambda _: '{"article": 7}') as server:
        for role, name in (("LLM", "one"), ("JUDGE", "two")):
            monkeypatch.setenv(f"CLAIMRAG_{role}__BASE_URL", server.base_url)
            monkeypatch.setenv(f"CLAIMRAG_{role}__MODEL", name)
        settings = load_settings(workspace=str(tmp_path / "w"))
        assert not [check for check in examine(settings, cache_dir=tmp_path) if check.name.endswith("answer")]
        assert not server.requests
        asked = [check.name for check in examine(settings, cache_dir=tmp_path, ask=True)]
        assert [name for name in asked if name.endswith("answer")] == ["llm answer", "judge answer"]
        assert [request["model"] for request in server.requests] == ["one", "two"]


def test_a_dead_endpoint_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        monkeypatch.setenv("CLAIMRAG_LLM__BASE_URL", f"http://127.0.0.1:{probe.getsockname()[1]}/v1")
        monkeypatch.setenv("CLAIMRAG_LLM__MODEL", "m")
        checks = examine(load_settings(workspace=str(tmp_path / "w")), cache_dir=tmp_path, ask=True)
    assert "llm answer" not in {check.name for check in checks}
