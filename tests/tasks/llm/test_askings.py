"""A reply that cannot be used is asked again by the next run, a bounded number of times, and stays as evidence."""

from __future__ import annotations

import asyncio

import pytest
from scripted_model import ScriptedReply, in_turn

from claimrag.schemas.reason import Reason
from claimrag.tasks.llm import MAX_ASKINGS, AttemptsExhaustedError, ReplyRejectedError

SCHEMA = {"type": "object", "required": ["label"]}
GOOD = '{"label": "yes"}'
UNUSABLE = {
    "length": ScriptedReply(text='{"lab', finish_reason="length"),
    "content_filter": ScriptedReply(text="", finish_reason="content_filter"),
    "refusal": ScriptedReply(text=None, refusal="I cannot."),
    "empty_reply": ScriptedReply(text=None),
    "malformed_reply": ScriptedReply(text="{}"),
}


@pytest.mark.parametrize("reason", UNUSABLE)
def test_the_next_run_asks_again_and_the_first_reply_is_kept(serve, gateway, question, ask, cache, reason):
    server = serve(in_turn(UNUSABLE[reason], GOOD))
    request = question(schema=SCHEMA)
    (error,) = ask(gateway(server), request)
    assert (error.reason, error.askings, error.asked_again) == (reason, 1, True)
    (reply,) = ask(gateway(server), request)
    assert (reply.parsed, reply.cached, len(server.requests)) == ({"label": "yes"}, False, 2)
    assert [kept.text for kept in cache.earlier(reply.key)] == [UNUSABLE[reason].text]
    (reply,) = ask(gateway(server), request)
    assert (reply.cached, len(server.requests)) == (True, 2)


def test_asking_ends_after_a_bounded_number_of_runs(serve, gateway, question, ask, cache):
    server = serve(lambda body: "no JSON")
    request = question(schema=SCHEMA)
    runs = []
    for _ in range(MAX_ASKINGS + 2):
        sender = gateway(server)
        (error,) = ask(sender, request)
        runs.append((error.askings, error.asked_again, sender.usage.asked_again_next_run))
    assert runs == [(1, True, 1), (2, True, 1), (3, False, 0), (3, False, 0), (3, False, 0)]
    assert (len(server.requests), cache.askings(error.key)) == (3, 3)


def test_one_run_asks_once_whoever_asks(serve, gateway, question, ask):
    server = serve(lambda body: "no JSON", latency_s=0.02)
    sender = gateway(server)
    request = question(schema=SCHEMA)
    errors = ask(sender, request, request, request) + ask(sender, request)
    assert {type(error) for error in errors} == {ReplyRejectedError}
    assert (len(server.requests), sender.usage.asked_again_next_run) == (1, 1)
    assert sender.usage.answered_from_cache == 3


def test_a_failed_asking_leaves_the_first_reply_where_it_is(serve, gateway, question, ask, cache):
    request = question(schema=SCHEMA)
    server = serve(in_turn("no JSON", ScriptedReply.failed(), GOOD))
    (rejected,) = ask(gateway(server), request)
    (error,) = ask(gateway(server, max_attempts=1), request)
    assert isinstance(error, AttemptsExhaustedError)
    assert (cache.get(rejected.key).text, cache.askings(rejected.key)) == ("no JSON", 1)
    (reply,) = ask(gateway(server), request)
    assert reply.parsed == {"label": "yes"}


def two_labels(reply):
    if len(reply.text.split()) != 2:
        raise ReplyRejectedError(Reason.LABEL_COUNT_MISMATCH, "two labels are wanted", "")


def complete(sender, request, **options):
    async def run():
        async with sender:
            return await sender.complete(request, **options)

    return asyncio.run(run())


def test_a_caller_can_say_that_a_reply_is_of_no_use(serve, gateway, question, cache):
    server = serve(in_turn("Neutral", "Neutral Neutral"))
    with pytest.raises(ReplyRejectedError) as caught:
        complete(gateway(server), question(), usable=two_labels)
    assert (caught.value.reason, caught.value.raw) == (Reason.LABEL_COUNT_MISMATCH, "Neutral")
    assert caught.value.asked_again and cache.get(caught.value.key).text == "Neutral"
    assert complete(gateway(server), question(), usable=two_labels).text == "Neutral Neutral"
    assert len(server.requests) == 2


def test_what_one_caller_cannot_use_another_may(serve, gateway, question):
    server = serve(lambda body: "Neutral")
    sender = gateway(server)
    assert complete(sender, question()).text == "Neutral"
    with pytest.raises(ReplyRejectedError):
        complete(sender, question(), usable=two_labels)
    assert len(server.requests) == 1  # asked in this run already


def test_a_reply_that_was_judged_and_did_not_fail_is_not_asked_again(serve, gateway, question):
    def judge(reply):
        raise ReplyRejectedError(Reason.UNSUITABLE, "not a malfunction", "")

    server = serve()
    for _ in range(2):
        with pytest.raises(ReplyRejectedError) as caught:
            complete(gateway(server), question(), usable=judge)
        assert not caught.value.asked_again
    assert len(server.requests) == 1


def test_a_second_asking_is_paid_and_counted(serve, gateway, question, ask, cache):
    price = {"scripted": {"prompt_usd_per_million": 1000, "completion_usd_per_million": 0}}
    server = serve(
        in_turn(ScriptedReply(text="no", prompt_tokens=10), ScriptedReply(text=GOOD, prompt_tokens=10))
    )
    request = question(schema=SCHEMA)
    ask(gateway(server, prices=price), request)
    (reply,) = ask(gateway(server, prices=price), request)
    assert reply.cost_usd == pytest.approx(0.01)
    assert cache.spent_usd("llm") == pytest.approx(0.02)
