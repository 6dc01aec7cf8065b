"""The cache key: everything the model sees changes it, nothing else does."""

from __future__ import annotations

import copy
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from claimrag.schemas.settings import ModelSettings
from claimrag.tasks.llm import Gateway, Message, ModelRequest, RequestCache, request_key
from claimrag.tasks.llm.request import temperature_to_send

texts = st.text(max_size=30)
messages = st.lists(st.builds(Message, st.sampled_from(["system", "user"]), texts), min_size=1, max_size=4)
schemas = st.none() | st.dictionaries(st.sampled_from(["title", "description"]), texts, max_size=2)
requests = st.builds(
    ModelRequest,
    messages=messages.map(tuple),
    max_tokens=st.integers(1, 5000),
    temperature=st.none() | st.floats(0, 2),
    seed=st.none() | st.integers(0, 2**31),
    schema=schemas,
    schema_name=st.sampled_from(["answer", "verdict"]),
    top_logprobs=st.none() | st.integers(0, 20),
)


@settings(deadline=None)
@given(requests, requests)
def test_requests_that_differ_in_what_the_model_sees_have_different_keys(one, other):
    def seen(request):
        name = None if request.schema is None else request.schema_name
        return replace(request, schema_name=name or "answer")

    same = seen(one) == seen(other)
    assert (request_key("m", one, one.temperature) == request_key("m", other, other.temperature)) is same


@settings(deadline=None)
@given(requests, st.data())
def test_changing_any_one_field_changes_the_key(request, data):
    key = request_key("m", request, request.temperature)
    changes = [
        {"messages": (*request.messages, Message("user", ""))},
        {"messages": (Message("assistant", request.messages[0].content), *request.messages[1:])},
        {
            "messages": (
                Message(request.messages[0].role, request.messages[0].content + " "),
                *request.messages[1:],
            )
        },
        {"max_tokens": request.max_tokens + 1},
        {"temperature": 2.5},
        {"seed": -1},
        {"schema": {"const": 1}},
        {"top_logprobs": 21},
    ]
    changed = replace(request, **data.draw(st.sampled_from(changes)))
    assert request_key("m", changed, changed.temperature) != key
    assert request_key("n", request, request.temperature) != key


@settings(deadline=None)
@given(requests)
def test_the_order_of_a_schemas_keys_and_the_spelling_of_a_number_do_not_matter(request):
    key = request_key("m", request, request.temperature)
    schema = request.schema
    twin = replace(
        request, schema=None if schema is None else dict(reversed(list(copy.deepcopy(schema).items())))
    )
    assert request_key("m", twin, twin.temperature) == key
    assert request_key("m", request, 1) == request_key("m", request, 1.0)


@settings(deadline=None)
@given(requests)
def test_an_unsupported_temperature_leaves_the_key_of_a_request_without_one(request):
    temperature, _ = temperature_to_send(request, supported=False)
    assert request_key("m", request, temperature) == request_key(
        "m", replace(request, temperature=None), None
    )


def test_how_and_when_a_request_is_sent_does_not_change_its_key(serve, ask, question, cache: RequestCache):
    server, elsewhere = serve(), serve()
    plain = ModelSettings(base_url=server.base_url, model="m")
    other = ModelSettings(
        base_url=elsewhere.base_url,
        model="m",
        api_key=SecretStr("k"),
        max_in_flight=3,
        requests_per_minute=600,
        tokens_per_minute=100_000,
        budget_usd=1,
        prices={"m": {"prompt_usd_per_million": 1, "completion_usd_per_million": 1}},
        timeout_s=9,
        max_attempts=2,
    )
    (first,) = ask(Gateway(plain, cache), question())
    (second,) = ask(Gateway(other, cache, role="judge"), question())
    assert second.cached and second.key == first.key
    assert elsewhere.requests == []
