"""Errors where no error belongs: HTTP 200 with an error, a page or a stream inside; and refusals of everything."""

from __future__ import annotations

import json

import pytest
from scripted_model import ScriptedReply

from claimrag.tasks.llm import AttemptsExhaustedError, ContextLengthError, PermanentRefusalError, rejected_row
from claimrag.tasks.llm.door import REFUSED_ALIKE

CREDITS = "Insufficient credits. Add more at https://example.org/credits"


def inside(error, **more) -> ScriptedReply:
    return ScriptedReply(raw_body=json.dumps({"error": error, **more}).encode())


@pytest.mark.parametrize(
    ("reply", "status", "words"),
    [
        (inside({"message": CREDITS, "code": 402}), 402, "llm.api_key has nothing left"),
        (inside({"message": CREDITS, "code": "402"}), 402, "llm.api_key has nothing left"),
        (inside({"message": CREDITS, "code": 401}), 401, "Check llm.api_key"),
        (inside({"message": CREDITS, "code": "no_such_thing"}), 0, "setting of llm"),
        (inside(CREDITS), 0, "setting of llm"),
        (inside({"message": CREDITS}, choices=[]), 0, "setting of llm"),
        (
            ScriptedReply(raw_body=json.dumps({"object": "error", "message": CREDITS}).encode()),
            0,
            "setting of",
        ),
        (ScriptedReply(raw_body=json.dumps({"detail": CREDITS}).encode()), 0, "setting of"),
    ],
)
def test_an_error_inside_a_200_is_a_refusal_in_the_endpoints_own_words(
    serve, gateway, question, ask, cache, reply, status, words
):
    server = serve(lambda body: reply)
    (error,) = ask(gateway(server), question())
    assert isinstance(error, PermanentRefusalError)
    assert (error.status, error.per_request, len(server.requests), len(cache)) == (status, False, 1, 0)
    assert CREDITS in str(error) and words in str(error)


@pytest.mark.parametrize(
    "error",
    [
        {"message": "slow down", "code": 429},
        {"message": "slow down", "code": 503},
        {"message": "slow down", "type": "rate_limit_error"},
        {"message": "slow down", "code": "overloaded"},
    ],
)
def test_an_error_inside_a_200_that_may_pass_is_tried_again(serve, gateway, question, ask, error):
    replies = [inside(error), "fine"]
    server = serve(lambda body: replies.pop(0))
    (reply,) = ask(gateway(server), question())
    assert (reply.text, len(server.requests)) == ("fine", 2)
    (failed,) = ask(gateway(serve(lambda body: inside(error)), max_attempts=1), question("other"))
    assert isinstance(failed, AttemptsExhaustedError) and "slow down" in str(failed)


def test_a_reply_that_broke_off_with_an_error_is_tried_again(serve, gateway, question, ask):
    broken = {"choices": [{"message": {"content": "half"}, "finish_reason": "error", "error": {"code": 502}}]}
    replies = [ScriptedReply(raw_body=json.dumps(broken).encode()), "fine"]
    (reply,) = ask(gateway(serve(lambda body: replies.pop(0))), question())
    assert reply.text == "fine"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            b"<!doctype html><html><head><style>a{}</style></head><body>Please <b>log</b> in</body></html>",
            'a web page and no answer; it reads "Please log in"',
        ),
        (b"\n <HTML><p>Wartung</p>", 'it reads "Wartung"'),
        (b'data: {"choices": []}\n\ndata: [DONE]\n\n', "a stream of events"),
        (b"", "an empty body"),
        (b"OK", 'it is not JSON); it begins "OK"'),
        (b'{"choices": []}', "no choices[0].message"),
        (b'{"choices": [{"message": {"content": 3}}]}', "its content is no text"),
        (b'{"choices": [{"message": {"content": "x", "refusal": 3}}]}', "its refusal is no text"),
    ],
)
def test_what_is_no_answer_is_named_after_a_few_attempts(serve, gateway, question, ask, body, words):
    server = serve(lambda _: ScriptedReply(raw_body=body))
    (error,) = ask(gateway(server, max_attempts=20), question())
    assert isinstance(error, AttemptsExhaustedError) and not error.per_request
    assert words in str(error) and server.base_url.removesuffix("/v1") in str(error)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, b"Unauthorized: token Bearer hunter2hunter2", "HTTP 401: Unauthorized: token [key]"),
        (403, b"<html><body>Blocked by policy</body></html>", "HTTP 403: Blocked by policy"),
        (
            404,
            b'{"object": "error", "message": "The model `m` does not exist.", "code": 404}',
            "`m` does not",
        ),
        (400, b'{"error": "plain words"}', "HTTP 400: plain words"),
        (400, b'{"detail": "plain words"}', "HTTP 400: plain words"),
        (
            422,
            b'{"detail": [{"loc": ["body", "messages", 0], "msg": "Field required", "type": "x"}]}',
            "messages.0",
        ),
        (400, b'{"detail": [1]}', "HTTP 400"),
        (402, b'{"error": {"message": "Insufficient Balance"}}', "nothing left to spend"),
    ],
)
def test_a_refusal_shows_the_endpoints_own_words_in_whatever_shape(
    serve, gateway, question, ask, status, body, words
):
    server = serve(lambda _: ScriptedReply(status=status, raw_body=body))
    (error,) = ask(gateway(server), question())
    assert isinstance(error, PermanentRefusalError) and words in str(error)
    assert "hunter2" not in str(error)


def refused(words="The request was flagged by our policy"):
    return ScriptedReply.refused(400, words, code="content_policy_violation")


def test_first_requests_that_are_all_refused_alike_stop_the_run(serve, gateway, question, ask):
    numbers = iter(range(1000))
    server = serve(lambda body: refused(f"Request {next(numbers)} was flagged by our policy"))
    errors = ask(gateway(server, max_in_flight=1), *(question(str(n)) for n in range(REFUSED_ALIKE + 2)))
    assert [error.per_request for error in errors] == [True] * (REFUSED_ALIKE - 1) + [False] * 3
    assert "all refused alike" in str(errors[-1]) and "flagged by our policy" in str(errors[-1])
    assert rejected_row("generate", "x", errors[-1]) is None


@pytest.mark.parametrize("answered", ["before", "in an earlier run"])
def test_requests_refused_alike_beside_an_answered_one_cost_their_rows(
    serve, gateway, question, ask, answered
):
    server = serve(lambda body: "fine" if body["messages"][0]["content"] == "good" else refused())
    sender = gateway(server, max_in_flight=1)
    if answered == "in an earlier run":
        ask(gateway(server), question("good"))
    outcomes = ask(sender, question("good"), *(question(str(n)) for n in range(3 * REFUSED_ALIKE)))
    assert [error.per_request for error in outcomes[1:]] == [True] * 3 * REFUSED_ALIKE


def test_first_requests_that_are_refused_for_different_reasons_cost_their_rows(serve, gateway, question, ask):
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    server = serve(lambda body: refused(f"reason {next(letters)}"))
    errors = ask(gateway(server), *(question(str(n)) for n in range(2 * REFUSED_ALIKE)))
    assert all(error.per_request for error in errors)


def test_a_prompt_that_surely_does_not_fit_is_not_sent(serve, gateway, question, ask):
    server = serve()
    long, short = question("word " * 500, max_tokens=100), question("word", max_tokens=100)
    sender = gateway(server, context_tokens=600, role="judge")
    error, reply = ask(sender, long, short)
    assert isinstance(error, ContextLengthError) and error.per_request
    assert "judge.context_tokens = 600" in str(error) and "not sent" in str(error)
    assert (reply.text, len(server.requests), sender.usage.requests_sent) == ("word", 1, 1)
    row = rejected_row("generate", "unit", error)
    assert row is not None and row.reason == "context_length"


def test_what_was_answered_is_used_whatever_the_bound_is_now(serve, gateway, question, ask):
    server = serve()
    request = question("word " * 500)
    ask(gateway(server), request)
    (reply,) = ask(gateway(server, context_tokens=512), request)
    assert reply.cached


def test_a_bound_that_nobody_set_bounds_nothing(serve, gateway, question, ask):
    sender = gateway(serve())
    assert sender.context_tokens is None
    (reply,) = ask(sender, question("word " * 20_000))
    assert reply.text.startswith("word")
    assert gateway(serve(), context_tokens=512).context_tokens == 512
