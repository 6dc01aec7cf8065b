"""Dense retrieval is exact, fusion has its published values, and endpoints are treated with care."""

from typing import Any

import httpx
import numpy as np
import pytest
from pydantic import SecretStr
from scripted_model import ScriptedServer

from claimrag.schemas.errors import ModelError, ModelRefusedError, ModelUnavailableError, SettingsError
from claimrag.schemas.settings import EmbeddingSettings
from claimrag.tasks.retrieve import build_retriever
from claimrag.tasks.retrieve.dense import DenseRetriever
from claimrag.tasks.retrieve.embedders import EndpointEmbedder, prefixes_for
from claimrag.tasks.retrieve.fusion import fuse
from claimrag.tasks.retrieve.hits import Hit


class TableEmbedder:
    """Vectors by text."""

    def __init__(self, table: dict[str, list[float]]) -> None:
        self.table = table

    def embed_queries(self, texts: Any) -> Any:
        return np.array([self.table[text] for text in texts], dtype=np.float32)

    def embed_passages(self, texts: Any) -> Any:
        return self.embed_queries(texts)


def test_the_nearest_chunk_by_angle_comes_first_whatever_its_length(make_chunk: Any) -> None:
    table = {"far": [0.0, 9.0], "near": [0.1, 0.0], "between": [5.0, 5.0], "q": [1.0, 0.0]}
    chunks = [make_chunk(body, n) for n, body in enumerate(("far", "near", "between"))]
    (hits,) = DenseRetriever(chunks, TableEmbedder(table)).search(["q"], 2)
    assert [hit.chunk_id for hit in hits] == [chunks[1].id, chunks[2].id]
    assert hits[0].score == pytest.approx(1.0)
    assert hits[1].score == pytest.approx(2**-0.5)


def test_dense_ties_are_ordered_by_id_also_at_the_cut(make_chunk: Any) -> None:
    chunks = [make_chunk(f"same {n}", n) for n in range(20)]
    table = {chunk.body: [1.0, 1.0] for chunk in chunks} | {"q": [1.0, 0.0]}
    (hits,) = DenseRetriever(chunks, TableEmbedder(table)).search(["q"], 4)
    assert [hit.chunk_id for hit in hits] == sorted(chunk.id for chunk in chunks)[:4]


def test_dense_handles_no_chunks_empty_queries_and_large_k(make_chunk: Any) -> None:
    embedder = TableEmbedder({"a": [1.0], "q": [1.0]})
    assert DenseRetriever([], embedder).search(["q"], 3) == [[]]
    empty, found = DenseRetriever([make_chunk("a", 0)], embedder).search([" ", "q"], 9)
    assert (empty, len(found)) == ([], 1)


@pytest.mark.parametrize("vector", [[0.0, 0.0], [float("nan"), 1.0]])
def test_a_vector_without_direction_is_refused(make_chunk: Any, vector: list[float]) -> None:
    with pytest.raises(ModelError, match="without direction"):
        DenseRetriever([make_chunk("a", 0)], TableEmbedder({"a": vector}))


def test_reciprocal_rank_fusion_has_its_reference_values() -> None:
    rankings = [[Hit(d, 9.0 - n) for n, d in enumerate(run)] for run in (("a", "b", "c"), ("b", "d"))]  # type: ignore[arg-type]
    fused = fuse(rankings, 10)
    expected = {"b": 0.0325224749, "a": 0.0163934426, "d": 0.0161290323, "c": 0.0158730159}
    assert [hit.chunk_id for hit in fused] == list(expected)
    assert [hit.score for hit in fused] == pytest.approx(list(expected.values()), abs=1e-10)


def test_the_hybrid_retriever_finds_what_either_part_finds(make_chunk: Any) -> None:
    chunks = [make_chunk("alpha law", 0), make_chunk("beta rule", 1), make_chunk("gamma", 2)]
    table = {"alpha law": [0.0, 1.0], "beta rule": [1.0, 0.0], "gamma": [0.5, 0.5], "alpha": [1.0, 0.0]}
    retriever = build_retriever("hybrid", chunks, embedder=TableEmbedder(table))
    (hits,) = retriever.search(["alpha"], 3)
    assert retriever.name == "hybrid"
    assert {hit.chunk_id for hit in hits[:2]} == {chunks[0].id, chunks[1].id}


def test_an_endpoint_is_asked_in_batches_with_the_models_prefixes() -> None:
    with ScriptedServer() as server:
        embedder = EndpointEmbedder(
            EmbeddingSettings(base_url=server.base_url, model="intfloat/multilingual-e5-large", batch_size=2)
        )
        vectors = embedder.embed_passages(["a", "b", "c"])
        embedder.embed_queries(["a"])
        inputs = [request["input"] for request in server.embedding_requests]
    assert vectors.shape[0] == 3
    assert inputs == [["passage: a", "passage: b"], ["passage: c"], ["query: a"]]


def test_dense_retrieval_over_an_endpoint_finds_the_equal_text(make_chunk: Any) -> None:
    chunks = [make_chunk(f"text {n}", n) for n in range(5)]
    with ScriptedServer() as server:
        embedder = EndpointEmbedder(EmbeddingSettings(base_url=server.base_url, model="plain"))
        (hits,) = build_retriever("dense", chunks, embedder=embedder).search(["text 3"], 1)
    assert hits[0].chunk_id == chunks[3].id


def test_each_family_of_models_gets_its_own_prefixes() -> None:
    assert prefixes_for("text-embedding-3-small").query == ""
    assert prefixes_for("intfloat/e5-mistral-7b-instruct").query.startswith("Instruct: ")
    assert prefixes_for("intfloat/e5-mistral-7b-instruct").passage == ""


def test_endpoint_failures_are_named_without_the_key() -> None:
    with pytest.raises(SettingsError, match=r"embeddings\.model"):
        EndpointEmbedder(EmbeddingSettings())
    settings = EmbeddingSettings(base_url="http://127.0.0.1:9/v1", model="m", api_key=SecretStr("sk-hidden"))
    embedder = EndpointEmbedder(settings)
    embedder._client.max_retries = 0
    with pytest.raises(ModelUnavailableError, match="does not answer") as caught:
        embedder.embed_queries(["a"])
    assert "sk-hidden" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "error"), [(400, ModelRefusedError), (401, ModelRefusedError), (503, ModelUnavailableError)]
)
def test_a_refusal_is_told_from_a_passing_failure(status: int, error: type[Exception]) -> None:
    asked = []

    def refuse(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(status, json={"error": {"message": "no"}})

    embedder = EndpointEmbedder(EmbeddingSettings(base_url="http://embeddings.invalid/v1", model="m"))
    with httpx.Client(transport=httpx.MockTransport(refuse)) as client:
        embedder._client = embedder._client.with_options(http_client=client, max_retries=0)
        with pytest.raises(error, match=f"HTTP {status}"):
            embedder.embed_queries(["a"])
    assert len(asked) == 1


def test_vectors_that_do_not_match_the_texts_are_refused() -> None:
    body = {"object": "list", "model": "m", "data": [{"object": "embedding", "index": 1, "embedding": [1.0]}]}
    embedder = EndpointEmbedder(EmbeddingSettings(base_url="http://embeddings.invalid/v1", model="m"))
    with httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, json=body))) as client:
        embedder._client = embedder._client.with_options(http_client=client)
        with pytest.raises(ModelError, match="1 texts were sent"):
            embedder.embed_queries(["a"])
