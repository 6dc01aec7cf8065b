"""The endpoint embedder against a scripted server: the gateway's limits, money and errors hold for it too."""

from __future__ import annotations

import json
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripted_model import ScriptedReply, ScriptedServer
from scripted_replies import embeddings_body, unit_vector

from claimrag.schemas.errors import (
    BudgetExceededError,
    ModelError,
    ModelRefusedError,
    ModelUnavailableError,
    SettingsError,
)
from claimrag.schemas.settings import EmbeddingSettings
from claimrag.tasks.llm import RequestCache
from claimrag.tasks.retrieve.embedders import EndpointEmbedder, prefixes_for
from claimrag.tasks.retrieve.embedding_cache import CachedEmbedder

PRICE = {"plain": {"prompt_usd_per_million": 1_000_000, "completion_usd_per_million": 0}}  # 1 USD a token


@pytest.fixture
def serve() -> Iterator[Callable[..., ScriptedServer]]:
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(ScriptedServer(**options))


@pytest.fixture
def embedder() -> Iterator[Callable[..., EndpointEmbedder]]:
    with ExitStack() as stack:

        def build(address: str | ScriptedServer, **given: Any) -> EndpointEmbedder:
            base_url = address if isinstance(address, str) else address.base_url
            cache = given.pop("cache", None)
            settings = EmbeddingSettings(base_url=base_url, **{"model": "plain"} | given)
            return stack.enter_context(closing(EndpointEmbedder(settings, cache=cache)))

        yield build


def test_an_endpoint_is_asked_in_batches_with_the_models_prefixes(serve: Any, embedder: Any) -> None:
    server = serve()
    asking = embedder(server, model="intfloat/multilingual-e5-large", batch_size=2, max_in_flight=1)
    vectors = asking.embed_passages(["a", "b", "c"])
    asking.embed_queries(["a"])
    inputs = [request["input"] for request in server.embedding_requests]
    assert inputs == [["passage: a", "passage: b"], ["passage: c"], ["query: a"]]
    assert vectors == pytest.approx(np.array([unit_vector(f"passage: {text}") for text in "abc"]), abs=1e-6)
    assert asking.embed_queries([]).shape == (0, 0)


def test_vectors_come_in_the_order_of_the_texts_whichever_batch_is_first(serve: Any, embedder: Any) -> None:
    def slow_first(request: dict[str, Any]) -> ScriptedReply | None:
        body = embeddings_body(request)
        backwards = json.loads(body)
        backwards["data"].reverse()
        latency = 0.2 if "0" in request["input"] else 0.0
        return ScriptedReply(raw_body=json.dumps(backwards).encode(), latency_s=latency)

    texts = [str(number) for number in range(10)]
    vectors = embedder(serve(embed=slow_first), batch_size=3).embed_passages(texts)
    assert vectors == pytest.approx(np.array([unit_vector(text) for text in texts]), abs=1e-6)


def test_no_more_requests_are_in_flight_than_allowed_whatever_the_threads(serve: Any, embedder: Any) -> None:
    server = serve(latency_s=0.05)
    asking = embedder(server, batch_size=1, max_in_flight=3)
    threads = [
        threading.Thread(target=asking.embed_passages, args=([f"{name} {n}" for n in range(6)],))
        for name in "abc"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(server.embedding_requests), server.state.peak_embeddings_in_flight) == (18, 3)


def test_requests_and_tokens_per_minute_hold(serve: Any, embedder: Any) -> None:
    server = serve()
    asking = embedder(server, batch_size=1, requests_per_minute=120)
    asking.embed_passages(["a", "b", "c", "d"])
    assert asking.usage.seconds_waited > 0.8
    asking = embedder(server, batch_size=1, tokens_per_minute=1200)
    asking.embed_passages(["word " * 60, "other " * 60])
    assert asking.usage.seconds_waited > 0.3


def test_requests_tokens_and_money_are_counted(serve: Any, embedder: Any, tmp_path: Path) -> None:
    with RequestCache(tmp_path / "requests.sqlite") as cache:
        asking = embedder(serve(), batch_size=2, prices=PRICE, cache=cache)
        asking.embed_passages(["word" * 4, "b", "c"])
        assert (asking.usage.requests_sent, asking.usage.prompt_tokens) == (2, 6)
        assert asking.usage.cost_usd == pytest.approx(6.0) == cache.spent_usd("embeddings")
    assert embedder(serve()).usage.cost_usd is None


def test_the_budget_stops_before_it_is_exceeded_and_holds_over_runs(
    serve: Any, embedder: Any, tmp_path: Path
) -> None:
    server = serve()
    with RequestCache(tmp_path / "requests.sqlite") as cache:
        limits = {"batch_size": 1, "max_in_flight": 1, "prices": PRICE, "budget_usd": 30.0, "cache": cache}
        asking = embedder(server, **limits)
        with pytest.raises(BudgetExceededError, match=r"embeddings\.budget_usd = 30"):
            asking.embed_passages([f"text number {n}" for n in range(40)])
        sent = len(server.embedding_requests)
        assert 0 < sent < 40 and 15 < asking.usage.cost_usd <= 30.0
        with pytest.raises(BudgetExceededError, match="by earlier runs"):
            embedder(server, **limits).embed_passages(["word " * 40])
        assert len(server.embedding_requests) == sent


def test_a_failure_that_may_pass_is_tried_again(serve: Any, embedder: Any) -> None:
    failures = [
        ScriptedReply.throttled("0.01"),
        ScriptedReply.failed(503),
        ScriptedReply(dropped=True),
        ScriptedReply(raw_body=b'{"error": {"message": "busy", "code": 503}}'),
        ScriptedReply(raw_body=b"<html>busy</html>"),
    ]
    server = serve(embed=lambda request: failures.pop() if failures else None)
    asking = embedder(server)
    assert asking.embed_passages(["a"]).shape == (1, 64)
    assert (asking.usage.retries, len(server.embedding_requests)) == (5, 6)


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (ScriptedReply.refused(401, "bad key sk-hidden-key"), ModelRefusedError, "Check embeddings.api_key"),
        (ScriptedReply.refused(404, "no such model"), ModelRefusedError, "embeddings.model = 'plain'"),
        (ScriptedReply.refused(400, "maximum context length is 512"), ModelRefusedError, "batch_size lower"),
        (ScriptedReply.failed(500), ModelUnavailableError, "embeddings.max_attempts = 1"),
        (
            ScriptedReply(raw_body=b'{"error": {"message": "no credit", "code": 402}}'),
            ModelRefusedError,
            "no credit",
        ),
        (ScriptedReply(raw_body=b"<html>Log in</html>"), ModelUnavailableError, 'reads "Log in"'),
        (ScriptedReply(raw_body=b'{"data": [{"index": 0}]}'), ModelUnavailableError, "index and embedding"),
        (
            ScriptedReply(raw_body=b'{"data": [{"index": 0, "embedding": []}]}'),
            ModelUnavailableError,
            "empty",
        ),
        (
            ScriptedReply(raw_body=b'{"data": [{"index": 0, "embedding": [NaN]}]}'),
            ModelUnavailableError,
            "not a number",
        ),
        (
            ScriptedReply(raw_body=b'{"data": [{"index": 1, "embedding": [1]}]}'),
            ModelUnavailableError,
            "0, 1, 2",
        ),
        (
            ScriptedReply(
                raw_body=b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}]}'
            ),
            ModelError,
            "1 texts were sent and 2",
        ),
    ],
)
def test_failures_are_named_in_the_houses_terms_without_the_key(
    serve: Any, embedder: Any, reply: ScriptedReply, kind: type[Exception], words: str
) -> None:
    server = serve(embed=lambda request: reply)
    asking = embedder(server, api_key="sk-hidden-key", max_attempts=1)
    with pytest.raises(kind) as caught:
        asking.embed_queries(["a"])
    assert words in str(caught.value)
    assert "sk-hidden-key" not in "".join(traceback.format_exception(caught.value))
    assert server.state.embedding_headers[0]["authorization"] == "Bearer sk-hidden-key"


def test_the_password_of_an_address_is_never_shown(serve: Any, embedder: Any) -> None:
    server = serve(embed=lambda request: ScriptedReply.refused(401, "no: Basic dXNlcjpodW50ZXIy"))
    for address in (server.base_url, "http://127.0.0.1:9/v1"):
        asking = embedder(address.replace("http://", "http://user:hunter2@"), max_attempts=1)
        with pytest.raises(ModelError) as caught:
            asking.embed_queries(["a"])
        shown = "".join(traceback.format_exception(caught.value))
        assert "hunter2" not in shown and "dXNlcjpodW50ZXIy" not in shown and "http://127.0.0.1:" in shown


def test_an_embedder_without_a_model_is_a_settings_error() -> None:
    with pytest.raises(SettingsError, match=r"embeddings\.model"):
        EndpointEmbedder(EmbeddingSettings())


def test_a_failure_comes_after_what_was_in_flight_and_nothing_new_is_sent(
    serve: Any, embedder: Any, tmp_path: Path
) -> None:
    def one_is_refused(request: dict[str, Any]) -> ScriptedReply | None:
        return ScriptedReply.refused(400, "bad text") if request["input"] == ["text 1"] else None

    server = serve(embed=one_is_refused, latency_s=0.05)
    texts = [f"text {n}" for n in range(40)]
    asking = embedder(server, batch_size=1, max_in_flight=4)
    with closing(CachedEmbedder(asking, tmp_path / "v.sqlite", name="plain")) as cached:
        with pytest.raises(ModelRefusedError, match="bad text"):
            cached.embed_passages(texts)
        sent = len(server.embedding_requests)
        assert sent < 12
        cached.embed_passages(["text 0", "text 2", "text 3"])
        assert len(server.embedding_requests) == sent  # what was in flight is kept


def test_the_cache_sends_many_batches_at_once_and_each_text_once(
    serve: Any, embedder: Any, tmp_path: Path
) -> None:
    server = serve(latency_s=0.05)
    texts = [f"text {n}" for n in range(20)]
    for _ in range(2):
        asking = embedder(server, batch_size=2, max_in_flight=5)
        with closing(CachedEmbedder(asking, tmp_path / "v.sqlite", name="plain")) as cached:
            vectors = cached.embed_passages(texts)
            assert cached.usage is asking.usage
    assert vectors == pytest.approx(np.array([unit_vector(text) for text in texts]), abs=1e-6)
    assert (len(server.embedding_requests), server.state.peak_embeddings_in_flight) == (10, 5)


def test_an_identity_names_the_model_and_its_prefixes_only(serve: Any, embedder: Any, tmp_path: Path) -> None:
    plain = embedder("http://user:hunter2@127.0.0.1:9/v1", api_key="sk-hidden").identity
    prefixed = embedder("http://127.0.0.1:9/v1", model="e5-large").identity
    assert plain == {"model": "plain"}
    assert prefixed["model"] == "e5-large" and len(prefixed["prefixes"]) == 16
    asking = embedder("http://127.0.0.1:9/v1", model="e5-large")
    with closing(CachedEmbedder(asking, tmp_path / "v.sqlite", name="e5-large")) as cached:
        assert cached.identity == prefixed


def test_each_family_of_models_gets_its_own_prefixes() -> None:
    assert prefixes_for("text-embedding-3-small").query == ""
    assert prefixes_for("intfloat/e5-mistral-7b-instruct").query.startswith("Instruct: ")
    assert prefixes_for("intfloat/e5-mistral-7b-instruct").passage == ""
