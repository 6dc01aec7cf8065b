"""Permanent refusals: tried once, told apart, the key never repeated."""

from __future__ import annotations

import logging
import traceback

import pytest
from pydantic import SecretStr
from scripted_model import ScriptedReply, in_turn

from claimrag.tasks.llm import (
    ContextLengthError,
    PermanentRefusalError,
    UnsupportedTemperatureError,
    rejected_row,
)

KEY = "sk-test-0123456789abcdef"


@pytest.mark.parametrize(
    ("reply", "per_request"),
    [
        (ScriptedReply.refused(401, "Incorrect API key"), False),
        (ScriptedReply.refused(403, "Not allowed in your country"), False),
        (ScriptedReply.refused(404, "The model does not exist", code="model_not_found"), False),
        (ScriptedReply.refused(400, "no such model", code="model_not_found"), False),
        (ScriptedReply.refused(400, "bad seed", param="seed"), False),
        (ScriptedReply.refused(400, "response_format is not supported by this model"), False),
        (ScriptedReply.refused(429, "You exceeded your quota", code="insufficient_quota"), False),
        (ScriptedReply.refused(301, "moved"), False),
        (ScriptedReply.refused(400, "Invalid content in messages[0]"), True),
        (ScriptedReply.refused(422, "Cannot process"), True),
        (ScriptedReply.refused(400, "flagged", code="content_policy_violation"), True),
    ],
)
def test_a_permanent_refusal_is_tried_once_and_says_whom_it_concerns(
    serve, gateway, question, ask, cache, reply, per_request
):
    server = serve(lambda body: reply)
    (error,) = ask(gateway(server), question())
    assert isinstance(error, PermanentRefusalError)
    assert (error.per_request, error.status) == (per_request, reply.status)
    assert reply.message in str(error)
    assert (len(server.requests), len(cache)) == (1, 0)
    assert (rejected_row("generate", "unit", error) is not None) is per_request


@pytest.mark.parametrize(
    "reply",
    [
        ScriptedReply.refused(400, "too long", code="context_length_exceeded"),
        ScriptedReply.refused(400, "This model's maximum context length is 8192 tokens."),
        ScriptedReply.refused(400, "the request exceeds the available context size, try increasing it"),
        ScriptedReply.refused(413, "Payload too large"),
    ],
)
def test_a_prompt_that_is_too_long_is_recognised_and_concerns_one_row(serve, gateway, question, ask, reply):
    (error,) = ask(gateway(serve(lambda body: reply), role="judge"), question())
    assert isinstance(error, ContextLengthError) and error.per_request
    assert "judge.context_tokens" in str(error)
    row = rejected_row("evaluate", "question-1", error)
    assert row is not None and row.reason == "context_length"


@pytest.mark.parametrize(
    "reply",
    [
        ScriptedReply.refused(
            400,
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is "
            "supported.",
            param="temperature",
            code="unsupported_value",
        ),
        ScriptedReply.refused(400, "`temperature` is deprecated for this model."),
    ],
)
def test_a_refused_temperature_names_the_setting_that_helps(serve, gateway, question, ask, reply):
    server = serve(lambda body: reply if "temperature" in body else "fine")
    (error,) = ask(gateway(server), question())
    assert isinstance(error, UnsupportedTemperatureError) and not error.per_request
    assert 'llm.temperature = "unsupported"' in str(error)
    assert len(server.requests) == 1
    (reply_without,) = ask(gateway(server, temperature="unsupported"), question())
    assert reply_without.text == "fine"


def test_a_model_that_wants_the_newer_name_of_the_token_limit_gets_it(serve, gateway, question, ask):
    def reply(body):
        if "max_tokens" in body:
            message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return ScriptedReply.refused(400, message, param="max_tokens", code="unsupported_parameter")
        return "fine"

    server = serve(reply)
    sender = gateway(server, max_in_flight=1)
    replies = ask(sender, question("a"), question("b"))
    assert [given.text for given in replies] == ["fine", "fine"]
    assert [body.get("max_completion_tokens") for body in server.requests] == [None, 100, 100]
    assert (sender.usage.requests_sent, sender.usage.retries) == (3, 0)


def test_a_model_that_takes_neither_name_is_refused(serve, gateway, question, ask):
    server = serve(lambda body: ScriptedReply.refused(400, "max_tokens, max_completion_tokens: no"))
    (error,) = ask(gateway(server), question())
    assert isinstance(error, PermanentRefusalError) and len(server.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_the_key_appears_in_no_error_traceback_log_or_cache(
    serve, gateway, question, ask, cache, status, caplog
):
    caplog.set_level(logging.DEBUG)
    reply = ScriptedReply(status=status, message=f"bad key {KEY}, seen as sk-test-0123****cdef, Bearer {KEY}")
    server = serve(in_turn(reply, f"echo of {KEY}"))
    sender = gateway(server, api_key=SecretStr(KEY), max_attempts=1)
    (error,) = ask(sender, question())
    ask(sender, question())
    assert server.state.headers[0]["authorization"] == f"Bearer {KEY}"
    shown = "".join(traceback.format_exception(error)) + str(error) + repr(error) + error.raw + repr(sender)
    assert KEY not in shown and "0123****" not in shown and "[key]" in str(error)
    assert KEY not in caplog.text
    cache.close()
    for file in cache.path.parent.iterdir():
        assert f"Bearer {KEY}".encode() not in file.read_bytes()


def test_without_a_key_no_environment_key_is_sent(serve, gateway, question, ask, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server = serve()
    ask(gateway(server), question())
    assert KEY not in str(server.state.headers)
