"""Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009): scores are sums of 1 / (k + rank)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from claimrag.schemas.base import ChunkId
from claimrag.schemas.chunk import Chunk
from claimrag.tasks.retrieve.bm25 import Bm25Retriever
from claimrag.tasks.retrieve.dense import DenseRetriever
from claimrag.tasks.retrieve.embedders import Embedder
from claimrag.tasks.retrieve.hits import Hit, Retriever, best

RRF_K = 60
_DEPTH = 2


def fuse(rankings: Sequence[Sequence[Hit]], k: int, *, rrf_k: int = RRF_K) -> list[Hit]:
    """The `k` best of several rankings by reciprocal rank; ranks count from 1; ties by chunk id."""
    scores: defaultdict[ChunkId, float] = defaultdict(float)
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            scores[hit.chunk_id] += 1 / (rrf_k + rank)
    return best((Hit(chunk_id, score) for chunk_id, score in scores.items()), k)


class HybridRetriever:
    """BM25 and dense, fused; each gives twice as many hits as are wanted."""

    name = "hybrid"

    def __init__(self, chunks: Sequence[Chunk], embedder: Embedder) -> None:
        self._parts: tuple[Retriever, ...] = (Bm25Retriever(chunks), DenseRetriever(chunks, embedder))

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits per query, best first."""
        rankings = [part.search(queries, _DEPTH * k) for part in self._parts]
        return [fuse(of_query, k) for of_query in zip(*rankings, strict=True)]
