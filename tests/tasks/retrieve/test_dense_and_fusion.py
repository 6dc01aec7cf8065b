"""Dense retrieval is exact, and fusion has its published values."""

from typing import Any

import numpy as np
import pytest
from scripted_model import ScriptedServer

from claimrag.schemas.errors import ModelError
from claimrag.schemas.settings import EmbeddingSettings
from claimrag.tasks.retrieve import build_retriever
from claimrag.tasks.retrieve.dense import DenseRetriever
from claimrag.tasks.retrieve.embedders import EndpointEmbedder
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


def test_dense_retrieval_over_an_endpoint_finds_the_equal_text(make_chunk: Any) -> None:
    chunks = [make_chunk(f"text {n}", n) for n in range(5)]
    with ScriptedServer() as server:
        embedder = EndpointEmbedder(EmbeddingSettings(base_url=server.base_url, model="plain"))
        (hits,) = build_retriever("dense", chunks, embedder=embedder).search(["text 3"], 1)
        embedder.close()
    assert hits[0].chunk_id == chunks[3].id
