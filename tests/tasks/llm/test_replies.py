"""Model output is data: parsed, validated, never trusted."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_model import ScriptedReply

from claimrag.tasks.llm import ReplyRejectedError
from claimrag.tasks.llm.replies import NoCompletionError, parse_answer, prepare_schema, read_completion

ANY: dict[str, object] = {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yes",
        "{",
        "[1,]",
        "NaN",
        '{"a": Infinity}',
        '"\\ud800"',
        "[" * 100_000,
        "1" * 5000,
        "__import__('os')",
    ],
)
def test_what_is_not_json_is_refused_with_a_reason(text):
    with pytest.raises(ValueError, match="the reply"):
        parse_answer(text, ANY)


@settings(deadline=None)
@given(st.text())
def test_any_text_is_a_value_or_a_reason(text):
    try:
        value = parse_answer(text, ANY)
    except ValueError as error:
        assert str(error)
    else:
        assert value in (json.loads(text) if "`" not in text else value,)


def test_a_violation_names_its_place():
    schema = {"type": "object", "properties": {"claims": {"type": "array", "items": {"type": "string"}}}}
    with pytest.raises(ValueError, match="claims/1"):
        parse_answer('{"claims": ["a", 2]}', schema)


def test_a_schema_that_refers_elsewhere_is_never_fetched():
    schema = {"$ref": "https://example.org/schema.json"}
    with pytest.raises(ValueError, match=r"refers to https://example\.org"):
        prepare_schema({"properties": {"a": {"anyOf": [schema]}}})
    local = {"$defs": {"n": {"type": "integer"}}, "items": {"$ref": "#/$defs/n"}}
    prepare_schema(local)
    with pytest.raises(ValueError, match="at 0"):
        parse_answer('["a"]', local)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"{}",
        b'{"choices": []}',
        b'{"choices": [{"message": {"content": 3}}]}',
        b"\xff",
        b"[" * 50_000,
    ],
)
def test_a_body_that_is_no_completion_is_named(body):
    with pytest.raises(NoCompletionError, match=r"^its? "):
        read_completion(body, model="m", temperature=None, note="sent", estimated=(1, 1))


def test_a_reply_that_is_not_unicode_is_rejected_and_its_raw_text_can_be_written(
    serve, gateway, question, ask
):
    body = b'{"choices": [{"message": {"content": "bad \\ud800"}, "finish_reason": "stop"}]}'
    server = serve(lambda _: ScriptedReply(raw_body=body))
    for schema in (None, {"type": "object"}):
        (error,) = ask(gateway(server), question(schema=schema))
        assert isinstance(error, ReplyRejectedError) and error.reason == "malformed_reply"
        assert error.raw == "bad \\ud800"


def test_a_reply_without_a_finish_reason_counts_as_stopped(serve, gateway, question, ask):
    body = b'{"choices": [{"message": {"content": "x"}, "finish_reason": null}]}'
    (reply,) = ask(gateway(serve(lambda _: ScriptedReply(raw_body=body))), question())
    assert (reply.finish_reason, reply.model) == ("stop", "scripted")
