"""The gateway end to end: the real client against a scripted server."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace

import pytest
from scripted_model import ScriptedReply, in_turn

from claimrag.schemas.errors import SettingsError
from claimrag.schemas.settings import ModelSettings
from claimrag.tasks.llm import (
    AttemptsExhaustedError,
    Gateway,
    PermanentRefusalError,
    ReplyRejectedError,
    RequestCache,
    rejected_row,
)

SCHEMA = {
    "type": "object",
    "properties": {"label": {"enum": ["yes", "no"]}},
    "required": ["label"],
    "additionalProperties": False,
}


def test_a_reply_says_what_was_sent_and_what_it_took(serve, gateway, question, ask):
    server = serve(lambda body: ScriptedReply(text="Any information.", prompt_tokens=12, completion_tokens=3))
    (reply,) = ask(gateway(server), question(seed=7, temperature=0.4))
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("Any information.", 12, 3)
    assert (reply.temperature, reply.temperature_note, reply.cached) == (0.4, "sent", False)
    assert server.requests == [
        {
            "model": "scripted",
            "messages": [{"role": "user", "content": "What is personal data?"}],
            "max_tokens": 100,
            "temperature": 0.4,
            "seed": 7,
        }
    ]


def test_a_schema_is_sent_as_a_strict_response_format_and_the_answer_parsed(serve, gateway, question, ask):
    server = serve(lambda body: '{"label": "yes"}')
    (reply,) = ask(gateway(server), question(schema=SCHEMA, schema_name="verdict"))
    assert reply.parsed == {"label": "yes"}
    assert server.requests[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "verdict", "schema": SCHEMA, "strict": True},
    }


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (ScriptedReply(text="half an ans", finish_reason="length"), "length"),
        (ScriptedReply(text="", finish_reason="content_filter"), "content_filter"),
        (ScriptedReply(text=None), "empty_reply"),
        (ScriptedReply(text=" \n"), "empty_reply"),
        (ScriptedReply(text=None, refusal="I cannot help with that."), "refusal"),
        (ScriptedReply(text='{"label": "maybe"}'), "malformed_reply"),
        (ScriptedReply(text='{"label": "yes"'), "malformed_reply"),
        (ScriptedReply(text="yes"), "malformed_reply"),
    ],
)
def test_an_unusable_reply_is_rejected_with_its_reason_and_kept(serve, gateway, question, ask, reply, reason):
    server = serve(lambda body: reply)
    request = question(schema=SCHEMA)
    sender = gateway(server)
    (first,) = ask(sender, request)
    (again,) = ask(sender, request)
    assert isinstance(first, ReplyRejectedError) and isinstance(again, ReplyRejectedError)
    assert (first.reason, again.reason) == (reason, reason)
    assert first.raw == (reply.text or reply.refusal or "")
    assert len(server.requests) == 1  # it was paid for: this run does not ask again


def test_a_rejected_reply_becomes_a_rejected_row_with_the_raw_text(serve, gateway, question, ask):
    server = serve(lambda body: "not JSON at all")
    (error,) = ask(gateway(server), question(schema=SCHEMA))
    row = rejected_row("claims", "answer-1", error)
    assert row is not None
    assert (row.stage, row.item, row.reason, row.raw) == (
        "claims",
        "answer-1",
        "malformed_reply",
        "not JSON at all",
    )


def test_always_malformed_replies_cost_their_rows_only(serve, gateway, question, ask):
    server = serve(lambda body: "no" if body["messages"][0]["content"].endswith("7") else '{"label": "no"}')
    requests = [question(f"Question {number}", schema=SCHEMA) for number in range(40)]
    outcomes = ask(gateway(server), *requests)
    rejected = [outcome for outcome in outcomes if isinstance(outcome, ReplyRejectedError)]
    assert (len(rejected), len(outcomes) - len(rejected), len(server.requests)) == (4, 36, 40)


def test_an_answered_request_is_never_sent_again(serve, gateway, question, ask):
    server = serve()
    first = gateway(server)
    ask(first, question("a"), question("b"))
    second = gateway(server, max_in_flight=3, timeout_s=7, max_attempts=2)
    replies = ask(second, question("a"), question("b"))
    assert len(server.requests) == 2
    assert all(reply.cached and reply.text in "ab" for reply in replies)
    assert (second.usage.requests_sent, second.usage.answered_from_cache) == (0, 2)
    assert (second.usage.prompt_tokens, second.usage.completion_tokens) == (0, 0)


def test_identical_requests_in_flight_are_sent_once(serve, gateway, question, ask):
    server = serve(latency_s=0.1)
    replies = ask(gateway(server), *(question("the same") for _ in range(10)))
    assert len(server.requests) == 1
    assert sorted(reply.cached for reply in replies) == [False] + [True] * 9


def test_no_more_requests_are_in_flight_than_allowed(serve, gateway, question, ask):
    server = serve(latency_s=0.03)
    ask(gateway(server, max_in_flight=5), *(question(str(number)) for number in range(40)))
    assert server.stats["peak_in_flight"] == 5


def test_log_probabilities_come_back_per_token(serve, gateway, question, ask):
    server = serve(lambda body: ScriptedReply(text="yes", logprobs=[{"yes": -0.1, "no": -2.5}]))
    (reply,) = ask(gateway(server), question(top_logprobs=2))
    assert reply.logprobs == ({"yes": -0.1, "no": -2.5},)
    assert (server.requests[0]["logprobs"], server.requests[0]["top_logprobs"]) == (True, 2)
    (again,) = ask(gateway(server), question(top_logprobs=2))
    assert again.cached and again.logprobs == reply.logprobs


def test_a_model_without_temperature_gets_none_and_the_reply_says_so(serve, gateway, question, ask):
    server = serve()
    (reply,) = ask(gateway(server, temperature="unsupported"), question(temperature=0.7))
    assert "temperature" not in server.requests[0]
    assert (reply.temperature, reply.temperature_note) == (None, "unsupported")


def test_a_request_that_asks_for_no_temperature_sends_none(serve, gateway, question, ask):
    server = serve()
    (reply,) = ask(gateway(server), question(temperature=None))
    assert "temperature" not in server.requests[0]
    assert (reply.temperature, reply.temperature_note) == (None, "not_asked")


@pytest.mark.parametrize(
    "failure",
    [
        ScriptedReply.throttled("0.01"),
        ScriptedReply.failed(500),
        ScriptedReply.failed(503),
        ScriptedReply.failed(408),
        ScriptedReply.failed(409),
        ScriptedReply(dropped=True),
        ScriptedReply(text="cut", truncated=True),
        ScriptedReply(raw_body=b'{"choices": ['),
        ScriptedReply(raw_body=b"<html>busy</html>"),
    ],
)
def test_a_failure_that_may_pass_is_tried_again(serve, gateway, question, ask, failure):
    server = serve(in_turn(failure, "at last"))
    sender = gateway(server, max_attempts=2)
    (reply,) = ask(sender, question())
    assert (reply.text, len(server.requests)) == ("at last", 2)
    assert (sender.usage.retries, sender.usage.requests_sent) == (1, 2)
    assert sender.usage.seconds_waited > 0


def test_a_late_reply_is_tried_again(serve, gateway, question, ask):
    server = serve(in_turn(ScriptedReply(text="late", latency_s=5), "in time"))
    (reply,) = ask(gateway(server, timeout_s=0.3), question())
    assert (reply.text, len(server.requests)) == ("in time", 2)


def test_attempts_are_bounded_and_errors_are_never_cached(serve, gateway, question, ask, cache):
    server = serve(lambda body: ScriptedReply.throttled("0"))
    (error,) = ask(gateway(server, max_attempts=4), question())
    assert isinstance(error, AttemptsExhaustedError)
    assert (len(server.requests), len(cache)) == (4, 0)
    assert "llm.max_attempts = 4" in str(error)
    assert not error.per_request  # nothing else was answered: the endpoint is the trouble
    assert rejected_row("generate", "unit", error) is None


def test_one_request_that_always_fails_beside_others_is_its_own_trouble(serve, gateway, question, ask):
    def reply(body):
        return ScriptedReply.throttled("0.05") if body["messages"][0]["content"] == "bad" else "fine"

    server = serve(reply)
    outcomes = ask(gateway(server, max_attempts=3), question("bad"), *(question(str(n)) for n in range(20)))
    assert isinstance(outcomes[0], AttemptsExhaustedError) and outcomes[0].per_request
    row = rejected_row("generate", "unit", outcomes[0])
    assert row is not None and row.reason == "model_unavailable"
    assert all(outcome.text == "fine" for outcome in outcomes[1:])


def test_an_unreachable_endpoint_fails_with_its_address(cache, question, ask):
    settings = ModelSettings(base_url="http://127.0.0.1:9/v1", model="m", max_attempts=1)
    (error,) = ask(Gateway(settings, cache), question())
    assert isinstance(error, AttemptsExhaustedError) and "127.0.0.1:9" in str(error)


@pytest.mark.parametrize("asked", ["0.4", "date"])
def test_retry_after_is_honoured_with_the_slot_freed(serve, gateway, question, ask, asked):
    times: dict[str, list[float]] = {}

    def reply(body):
        text = body["messages"][0]["content"]
        times.setdefault(text, []).append(time.monotonic())
        if text == "throttled" and len(times[text]) == 1:
            if asked == "date":
                headers = {
                    "Date": "Mon, 30 Nov 2026 10:00:00 GMT",
                    "Retry-After": "Mon, 30 Nov 2026 10:00:01 GMT",
                }
                return ScriptedReply(status=429, message="slow down", headers=headers)
            return ScriptedReply.throttled(asked)
        return "done"

    server = serve(reply)
    others = [question(str(number)) for number in range(5)]
    replies = ask(gateway(server, max_in_flight=1), question("throttled"), *others)
    assert all(reply.text == "done" for reply in replies)
    waited = times["throttled"][1] - times["throttled"][0]
    assert waited >= (1.0 if asked == "date" else 0.4)
    assert all(times[str(number)][0] < times["throttled"][1] for number in range(5))


def test_an_endpoint_that_asks_to_wait_a_day_is_not_waited_for(serve, gateway, question, ask):
    server = serve(lambda body: ScriptedReply.throttled("86400"))
    (error,) = ask(gateway(server), question())
    assert isinstance(error, AttemptsExhaustedError) and "asks to wait 86400 s" in str(error)
    assert len(server.requests) == 1


def test_a_provider_with_a_real_limit_is_met_without_losing_a_request(serve, gateway, question, ask):
    lock, accepted = threading.Lock(), []

    def reply(body):
        now = time.monotonic()
        with lock:
            recent = [at for at in accepted if at > now - 0.25]
            if len(recent) >= 5:
                return ScriptedReply.throttled("0.25")
            accepted.append(now)
        return "ok"

    server = serve(reply)
    sender = gateway(server, max_in_flight=32, max_attempts=6)
    replies = ask(sender, *(question(str(number)) for number in range(80)))
    assert [reply for reply in replies if isinstance(reply, BaseException)] == []
    assert len(server.requests) < 240


def test_a_caller_that_gives_up_does_not_lose_the_reply(serve, gateway, question, cache):
    server = serve(latency_s=0.2)

    async def give_up() -> None:
        async with gateway(server) as sender:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await sender.complete(question())

    asyncio.run(give_up())
    assert len(cache) == 1


def test_requests_that_were_not_sent_yet_stop_with_the_gateway(serve, gateway, question):
    server = serve(latency_s=0.2)

    async def leave() -> None:
        async with gateway(server, max_in_flight=1) as sender:
            calls = [asyncio.create_task(sender.complete(question(str(number)))) for number in range(5)]
            await asyncio.sleep(0.05)
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)

    asyncio.run(leave())
    assert len(server.requests) == 1


def test_a_closed_gateway_says_so(serve, gateway, question):
    with pytest.raises(RuntimeError, match="async with"):
        asyncio.run(gateway(serve()).complete(question()))


def test_a_gateway_can_be_entered_again_but_not_twice_at_once(serve, gateway, question, ask):
    sender = gateway(serve())
    ask(sender, question("a"))
    ask(sender, question("b"))
    assert sender.usage.requests_sent == 2

    async def twice() -> None:
        async with sender:
            await sender.__aenter__()

    with pytest.raises(RuntimeError, match="already open"):
        asyncio.run(twice())


@pytest.mark.parametrize("missing", [{"base_url": None, "model": "m"}, {}])
def test_a_gateway_needs_an_address_and_a_model(cache: RequestCache, missing):
    with pytest.raises(SettingsError, match=r"judge\.base_url and judge\.model"):
        Gateway(ModelSettings(**missing), cache, role="judge")


def test_an_address_that_is_none_is_a_settings_error(cache: RequestCache, question, ask):
    settings = ModelSettings(base_url="http://127.0.0.1:9/v1", model="m")
    settings = settings.model_copy(update={"base_url": "ftp://user:hunter2@example.org"})
    with pytest.raises(SettingsError, match=r"llm\.base_url must be an http") as caught:
        Gateway(settings, cache)
    assert "hunter2" not in str(caught.value)


def test_a_schema_that_is_none_is_refused_before_anything_is_sent(serve, gateway, question, ask):
    server = serve()
    (error,) = ask(gateway(server), question(schema={"type": "nonsense"}))
    assert isinstance(error, ValueError) and server.requests == []


def test_usage_is_reported_after_every_answer(serve, gateway, question, ask):
    seen = []
    sender = gateway(
        serve(), on_usage=lambda usage: seen.append((usage.requests_sent, usage.answered_from_cache))
    )
    ask(sender, question("a"))
    ask(sender, question("a"), question("b"))
    assert seen == [(1, 0), (1, 1), (2, 1)]


def test_one_permanent_400_is_tried_once_and_loses_nothing_else(serve, gateway, question, ask):
    def reply(body):
        bad = body["messages"][0]["content"] == "13"
        return ScriptedReply.refused(400, "Invalid prompt", code="invalid_prompt") if bad else "fine"

    server = serve(reply)
    outcomes = ask(gateway(server, max_in_flight=16), *(question(str(number)) for number in range(50)))
    failed = [outcome for outcome in outcomes if isinstance(outcome, PermanentRefusalError)]
    assert len(failed) == 1 and failed[0].per_request
    assert (len(outcomes) - len(failed), len(server.requests)) == (49, 50)
    row = rejected_row("generate", "13", failed[0])
    assert row is not None and (row.reason, row.raw) == ("model_refused", "Invalid prompt")


@pytest.mark.parametrize(
    "wrong", [{"messages": ()}, {"max_tokens": 0}, {"schema_name": "a name with spaces"}, {"schema_name": ""}]
)
def test_a_request_that_no_endpoint_would_take_cannot_be_made(question, wrong):
    with pytest.raises(ValueError):
        replace(question(), **wrong)
