"""The ladder: what an endpoint refuses is sent in another way, found out once, and remembered."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_model import ScriptedReply

from claimrag.tasks.llm import PermanentRefusalError, ReplyRejectedError, request_key
from claimrag.tasks.llm.modes import Modes, SchemaMode, without_limits

SCHEMA = {
    "type": "object",
    "properties": {"label": {"type": "string", "maxLength": 3}},
    "required": ["label"],
    "additionalProperties": False,
}
GOOD = '{"label": "yes"}'
STEPS = ("json_schema", "json_schema_plain", "json_object", "prompt")


def mode_of(body) -> str:
    form = body.get("response_format")
    if form is None:
        return "prompt" if "JSON Schema" in body["messages"][-1]["content"] else "none"
    if form["type"] == "json_object":
        return "json_object"
    return "json_schema" if "strict" in form["json_schema"] else "json_schema_plain"


def taking(*modes, words="This response_format type is unavailable now", **refusal):
    """An endpoint that takes these modes of a schema only."""

    def reply(body):
        if mode_of(body) in (*modes, "none"):
            return GOOD
        return ScriptedReply.refused(400, words, **refusal)

    return reply


@pytest.mark.parametrize("taken", STEPS)
def test_a_schema_goes_out_in_the_best_way_that_the_endpoint_takes(
    serve, gateway, question, ask, cache, taken
):
    server = serve(taking(taken))
    sender = gateway(server, max_in_flight=1)
    replies = ask(sender, question("a", schema=SCHEMA), question("b", schema=SCHEMA))
    assert [reply.parsed for reply in replies] == [{"label": "yes"}] * 2
    tried = STEPS[: STEPS.index(taken) + 1]
    assert [mode_of(body) for body in server.requests] == [*tried, taken]
    assert {reply.schema_mode for reply in replies} == {taken}
    assert sender.identity["schema"] == taken
    assert (sender.usage.requests_sent, sender.usage.retries) == (len(tried) + 1, 0)

    again = gateway(server)
    assert again.identity == sender.identity
    replies = ask(again, question("b", schema=SCHEMA), question("c", schema=SCHEMA))
    assert [reply.cached for reply in replies] == [True, False]
    assert [mode_of(body) for body in server.requests[len(tried) + 1 :]] == [taken]
    assert cache.warnings == []


@pytest.mark.parametrize("taken", STEPS[1:])
def test_the_schema_is_in_the_prompt_where_it_is_not_beside_it_and_limits_are_left_out(
    serve, gateway, question, ask, taken
):
    server = serve(taking(taken))
    ask(gateway(server), question("a", schema=SCHEMA, schema_name="verdict"))
    body = server.requests[-1]
    if taken == "json_schema_plain":
        form = body["response_format"]["json_schema"]
        assert form["name"] == "verdict" and form["schema"]["properties"] == {"label": {"type": "string"}}
        assert body["messages"][-1]["content"] == "a"
    else:
        assert body["messages"][-1]["content"].startswith("a\n\n")
        assert json.dumps(SCHEMA, sort_keys=True, separators=(",", ":")) in body["messages"][-1]["content"]


@pytest.mark.parametrize("taken", STEPS)
def test_a_reply_is_checked_against_the_full_schema_on_every_step(serve, gateway, question, ask, taken):
    script = taking(taken)
    server = serve(lambda body: '{"label": "maybe"}' if script(body) == GOOD else script(body))
    (error,) = ask(gateway(server), question("a", schema=SCHEMA))
    assert isinstance(error, ReplyRejectedError) and error.reason == "malformed_reply"


# Each is an endpoint's own wording: OpenAI, DeepSeek, Mistral (two shapes), vLLM (two), llama.cpp (two), Groq, Azure.
SCHEMA_REFUSALS = [
    ScriptedReply.refused(
        400,
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
    ),
    ScriptedReply.refused(400, "This response_format type is unavailable now"),
    ScriptedReply(
        status=422,
        raw_body=b'{"detail": [{"type": "extra_forbidden", "loc": ["body", "response_format", "json_schema"], '
        b'"msg": "Extra inputs are not permitted", "input": {}}]}',
    ),
    ScriptedReply(
        status=422,
        raw_body=b'{"object": "error", "message": {"detail": [{"type": "enum", "loc": ["body", "response_format", '
        b'"type"], "msg": "Input should be"}]}, "type": "invalid_request_error"}',
    ),
    ScriptedReply(
        status=400,
        raw_body=b'{"object": "error", "message": "The provided JSON schema contains features not supported by '
        b'xgrammar.", "type": "BadRequestError", "param": null, "code": 400}',
    ),
    ScriptedReply(
        status=400,
        raw_body=b'{"error": {"code": 400, "message": "response_format type must be one of \\"text\\" or '
        b'\\"json_object\\", but got: json_schema", "type": "invalid_request_error"}}',
    ),
    ScriptedReply.refused(400, "JSON schema conversion failed: Unrecognized schema: {}"),
    ScriptedReply.refused(400, "This model does not support response format `json_schema`."),
    ScriptedReply.refused(
        400,
        "response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later",
    ),
    ScriptedReply.refused(
        400,
        "Invalid schema for response_format 'answer': In context=('properties', 'question'), 'maxLength' is not "
        "permitted.",
        param="response_format",
    ),
]


@pytest.mark.parametrize("refusal", SCHEMA_REFUSALS, ids=range(len(SCHEMA_REFUSALS)))
def test_a_refused_schema_is_recognised_in_the_words_of_many_endpoints(
    serve, gateway, question, ask, refusal
):
    server = serve(lambda body: refusal if mode_of(body).startswith("json_schema") else GOOD)
    (reply,) = ask(gateway(server), question(schema=SCHEMA))
    assert reply.schema_mode == "json_object"


SEED_REFUSALS = [
    ScriptedReply(
        status=422,
        raw_body=b'{"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not '
        b'permitted", "input": 1}]}',
    ),
    ScriptedReply(
        status=400,
        raw_body=b"{\"object\": \"error\", \"message\": \"[{'type': 'extra_forbidden', 'loc': ('body', 'seed'), "
        b"'msg': 'Extra inputs are not permitted', 'input': 1}]\", \"code\": 400}",
    ),
    ScriptedReply.refused(400, "Unsupported parameter: 'seed'", param="seed"),
    ScriptedReply.refused(400, 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'),
    ScriptedReply(status=400, raw_body=b'{"error": "seed is not supported"}'),
]


@pytest.mark.parametrize("refusal", SEED_REFUSALS, ids=range(len(SEED_REFUSALS)))
def test_a_seed_that_is_not_taken_is_not_sent_and_the_reply_says_so(serve, gateway, question, ask, refusal):
    server = serve(lambda body: refusal if "seed" in body else GOOD)
    sender = gateway(server, max_in_flight=1)
    first, second = ask(sender, question("a", seed=1), question("b", seed=1))
    assert (first.seed, second.seed, len(server.requests)) == (None, None, 3)
    assert sender.identity["seed"] == "not_sent"
    assert first.key != request_key("scripted", question("a", seed=1), 0.0)
    (again,) = ask(gateway(server), question("c", seed=1))
    assert again.text == GOOD and len(server.requests) == 4


def test_every_step_at_once(serve, gateway, question, ask):
    def reply(body):
        if "max_tokens" in body:
            return ScriptedReply.refused(400, "Use 'max_completion_tokens' instead of 'max_tokens'.")
        if "seed" in body:
            return SEED_REFUSALS[0]
        return taking("prompt")(body)

    server = serve(reply)
    (first,) = ask(gateway(server), question("a", schema=SCHEMA, seed=1))
    assert (first.schema_mode, first.seed, len(server.requests)) == ("prompt", None, 6)
    (second,) = ask(gateway(server), question("b", schema=SCHEMA, seed=1))
    assert second.parsed and len(server.requests) == 7


def test_many_in_flight_find_out_together(serve, gateway, question, ask):
    server = serve(taking("prompt"), latency_s=0.05)
    sender = gateway(server, max_in_flight=16)
    replies = ask(sender, *(question(str(number), schema=SCHEMA) for number in range(64)))
    assert {reply.schema_mode for reply in replies} == {"prompt"}
    refused = len(server.requests) - 64
    assert refused == 16 + 2  # those that were in flight at the first refusal, and two steps of one request


def test_who_comes_while_the_step_is_sought_waits_for_it(serve, gateway, question):
    server = serve(taking("prompt"), latency_s=0.1)

    async def one_then_many() -> None:
        async with gateway(server, max_in_flight=16) as sender:
            first = asyncio.create_task(sender.complete(question("first", schema=SCHEMA)))
            await asyncio.sleep(0.15)  # it was refused once, and is being put in another way
            others = (sender.complete(question(str(number), schema=SCHEMA)) for number in range(10))
            await asyncio.gather(first, *others)

    asyncio.run(one_then_many())
    assert len(server.requests) == 3 + 11


def test_a_refusal_that_outlasts_the_ladder_stops_with_the_endpoints_words(serve, gateway, question, ask):
    words = "response_format: not supported, whatever you send"
    server = serve(lambda body: ScriptedReply.refused(400, words))
    errors = ask(gateway(server, max_in_flight=1), question("a", schema=SCHEMA), question("b", schema=SCHEMA))
    assert all(isinstance(error, PermanentRefusalError) and not error.per_request for error in errors)
    assert words in str(errors[0]) and len(server.requests) == 5


def test_what_was_answered_before_the_endpoint_refused_is_not_asked_again(serve, gateway, question, ask):
    takes = ["json_schema"]
    server = serve(lambda body: taking(*takes)(body))
    ask(gateway(server), question("old", schema=SCHEMA, seed=1))
    takes[:] = ["prompt"]
    ask(gateway(server), question("new", schema=SCHEMA, seed=1))
    sent = len(server.requests)
    replies = ask(
        gateway(server), question("old", schema=SCHEMA, seed=1), question("new", schema=SCHEMA, seed=1)
    )
    assert [(reply.cached, reply.schema_mode) for reply in replies] == [
        (True, "json_schema"),
        (True, "prompt"),
    ]
    assert len(server.requests) == sent


def test_what_lies_under_a_lower_step_is_found_when_the_step_is_taken_again(
    serve, gateway, question, ask, cache
):
    server = serve(taking("prompt"))
    requests = [question(str(number), schema=SCHEMA) for number in range(3)]
    ask(gateway(server), *requests)
    cache.keep_modes(server.base_url.removesuffix("/v1"), "scripted", "{}")  # as if it had been forgotten
    sender = gateway(server, max_in_flight=1)
    replies = ask(sender, *requests)
    assert [reply.parsed for reply in replies] == [{"label": "yes"}] * 3
    assert [mode_of(body) for body in server.requests].count("prompt") == 3
    assert sender.usage.prompt_tokens == 0


def test_the_keys_of_requests_that_go_out_as_asked_do_not_change(serve, gateway, question, ask):
    plain, with_schema = question("a"), question("a", schema=SCHEMA)
    lowered = gateway(serve(taking("prompt")))
    first, second = ask(lowered, with_schema, plain)
    assert first.key != request_key("scripted", with_schema, 0.0)
    assert second.key == request_key("scripted", plain, 0.0)
    (strict,) = ask(gateway(serve(lambda body: GOOD)), with_schema)
    assert strict.key == request_key("scripted", with_schema, 0.0)


def test_the_identity_of_a_gateway_holds_neither_address_nor_key(serve, gateway):
    server = serve()
    identity = gateway(server, api_key="sk-hidden", temperature="unsupported").identity
    assert identity == {
        "model": "scripted",
        "temperature": "unsupported",
        "schema": "json_schema",
        "seed": "sent",
    }


@pytest.mark.parametrize("kept", ["", "{", "[]", '{"schema": "telepathy"}', '{"colour": 1}'])
def test_modes_that_cannot_be_read_are_found_out_anew(serve, gateway, question, ask, cache, kept):
    server = serve(taking("prompt"))
    cache.keep_modes(server.base_url.removesuffix("/v1"), "scripted", kept)
    (reply,) = ask(gateway(server), question(schema=SCHEMA))
    assert reply.schema_mode == "prompt"


def test_limits_go_and_names_that_look_like_limits_stay():
    schema = {
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "pattern": "a+", "minLength": 1},
            "list": {"type": "array", "maxItems": 3, "items": {"type": "integer", "minimum": 0}},
        },
        "$defs": {"format": {"enum": ["maxLength", {"minimum": 1}]}},
        "required": ["pattern"],
    }
    assert without_limits(schema) == {
        "type": "object",
        "properties": {
            "pattern": {"type": "string"},
            "list": {"type": "array", "items": {"type": "integer"}},
        },
        "$defs": {"format": {"enum": ["maxLength", {"minimum": 1}]}},
        "required": ["pattern"],
    }


@given(st.sampled_from(list(SchemaMode)), st.booleans())
def test_every_way_above_is_looked_through_nearest_first_and_the_first_last(schema, seed):
    modes = list(Modes(schema, seed).tried_before())
    assert (modes[0], modes[-1]) == (Modes(schema, seed), Modes())
    assert len(set(modes)) == len(modes)
