"""The trace of a reply says what was sent, not what was asked for."""

from __future__ import annotations

from claimrag.schemas.question import ModelTrace
from claimrag.tasks.llm import ModelReply
from claimrag.tasks.llm.traces import trace_of


def test_a_trace_holds_what_was_sent_and_where_the_reply_lies() -> None:
    reply = ModelReply(
        text="Yes.",
        parsed=None,
        model="m-1",
        finish_reason="stop",
        prompt_tokens=1,
        completion_tokens=1,
        cost_usd=None,
        cached=False,
        temperature=None,
        temperature_note="unsupported",
        key="abc",
        logprobs=None,
        seed=7,
    )
    assert trace_of(reply, prompt_id="p/q", prompt_hash="ff") == ModelTrace(
        model="m-1",
        temperature=None,
        temperature_note="unsupported",
        seed=7,
        prompt_id="p/q",
        prompt_hash="ff",
        request_key="abc",
    )
