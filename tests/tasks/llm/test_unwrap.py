"""Replies in a fence or after a think block are read; where it is not clear what is meant, they are not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_model import ScriptedReply

from claimrag.tasks.llm import ReplyRejectedError
from claimrag.tasks.llm.unwrap import json_value, plain_text

VALUE = {"label": "yes", "quote": "a ``` b </think> {c}"}
TEXT = json.dumps(VALUE)
THOUGHT = "<think>Let me look at {the text} first.\n```json\n</think>\n\n"


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        f" \n{TEXT}\n",
        f"\ufeff{TEXT}",
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}\n```\n",
        f"```JSON\r\n{TEXT}\r\n```",
        f"````json\n{TEXT}\n````",
        f"```json {TEXT}```",
        f"  ```json\n  {TEXT}\n  ```",
        f"```json\n{json.dumps(VALUE, indent=2)}\n```",
        THOUGHT + TEXT,
        f"I think.</think>{TEXT}",
        f"<thinking>\n</thinking>```json\n{TEXT}\n```",
        f"Here is the JSON:\n```json\n{TEXT}\n```",
        f"Here it is:\n\n```json\n{TEXT}\n```\nIs there anything else?",
        f"First some Python:\n```python\nprint({{}})\n```\nthen\n```json\n{TEXT}\n```",
        f"{THOUGHT}Here:\n```json\n{TEXT}\n```",
    ],
)
def test_one_json_value_is_read_whatever_is_around_it(reply):
    assert json_value(reply) == VALUE


@pytest.mark.parametrize(
    "reply",
    [
        f"Here is the JSON: {TEXT}",
        f"{TEXT}\n{TEXT}",
        f"```json\n{TEXT}\n```\nor\n```json\n{TEXT}\n```",
        f"```json\n{TEXT}",
        f"<think>{TEXT}",
        f"<think>{TEXT}</think>",
        "```json\n{'label': 'yes'}\n```",
        "```json\nNaN\n```",
    ],
)
def test_where_it_is_not_clear_nothing_is_chosen(reply):
    with pytest.raises(ValueError):
        json_value(reply)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda part: st.lists(part, max_size=3)
    )
)
def test_wrapping_never_changes_a_value(value):
    text = json.dumps(value)
    for reply in (text, f"```json\n{text}\n```", f"<think>x</think>\n{text}", f"So:\n```\n{text}\n```"):
        assert json_value(reply) == value


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("plain", "plain"),
        (" kept as it is \n", " kept as it is \n"),
        ("<think>hm</think>\n\nThe answer.", "The answer."),
        ("hm</think>The answer.", "The answer."),
        ("```\nThe answer.\n```", "The answer."),
        ("```text\nline 1\nline 2\n```\n", "line 1\nline 2"),
        ("<think>x</think>```\nyes\n```", "yes"),
        ("See `a` and\n```\nb\n```", "See `a` and\n```\nb\n```"),
        ("```\na\n```\nand\n```\nb\n```", "```\na\n```\nand\n```\nb\n```"),
        ("a < b", "a < b"),
    ],
)
def test_a_text_loses_its_think_block_and_its_fence(reply, text):
    assert plain_text(reply) == text


@pytest.mark.parametrize("reply", ["<think>only that", "<think>only that</think>\n"])
def test_a_thought_without_an_answer_is_an_empty_reply(serve, gateway, question, ask, reply):
    (error,) = ask(gateway(serve(lambda body: reply)), question())
    assert isinstance(error, ReplyRejectedError)
    assert (error.reason, error.raw) == ("empty_reply", reply)


def test_a_wrapped_reply_is_usable_and_stays_as_it_came_in_the_cache(serve, gateway, question, ask, cache):
    server = serve(
        lambda body: f"```json\n{TEXT}\n```" if "response_format" in body else "<think>x</think>yes"
    )
    replies = ask(gateway(server), question(schema={"type": "object"}), question())
    assert (replies[0].parsed, replies[1].text) == (VALUE, "yes")
    assert cache.get(replies[1].key).text == "<think>x</think>yes"


def test_the_sentence_quotes_the_beginning_of_a_reply_that_is_no_json(serve, gateway, question, ask):
    server = serve(lambda body: "Certainly! The label is yes, because")
    (error,) = ask(gateway(server), question(schema={"type": "object"}))
    assert 'begins: "Certainly! The label is yes' in str(error)


def test_when_no_first_reply_is_json_the_endpoint_is_named_as_the_cause(serve, gateway, question, ask):
    def errors(script):
        server = serve(script)
        return ask(
            gateway(server, max_in_flight=1),
            *(question(str(n), schema={"type": "object"}) for n in range(10)),
        )

    ignored = ["ignores response_format" in str(error) for error in errors(lambda body: "Certainly!")]
    assert ignored == [False] * 7 + [True] * 3
    some = errors(lambda body: "{}" if body["messages"][0]["content"] == "2" else "Certainly!")
    assert not any("ignores" in str(error) for error in some)
    wrong = errors(lambda body: "[]")
    assert not any("ignores" in str(error) for error in wrong)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([{"type": "text", "text": "yes"}], "yes"),
        ([{"type": "text", "text": "y"}, {"type": "text", "text": "es"}], "yes"),
        (
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                {"type": "text", "text": "yes"},
            ],
            "yes",
        ),
    ],
)
def test_content_in_parts_is_read_as_text(serve, gateway, question, ask, parts, text):
    body = {"choices": [{"message": {"role": "assistant", "content": parts}, "finish_reason": "stop"}]}
    server = serve(lambda _: ScriptedReply(raw_body=json.dumps(body).encode()))
    (reply,) = ask(gateway(server), question())
    assert reply.text == text


def test_parts_without_text_are_an_empty_reply(serve, gateway, question, ask):
    body = {"choices": [{"message": {"content": [{"type": "image"}]}, "finish_reason": "stop"}]}
    (error,) = ask(gateway(serve(lambda _: ScriptedReply(raw_body=json.dumps(body).encode()))), question())
    assert error.reason == "empty_reply"
