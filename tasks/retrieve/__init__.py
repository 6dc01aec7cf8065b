"""Retrieval over chunks: BM25, dense, and both fused. No answers and no scores of answers."""

from __future__ import annotations

from collections.abc import Sequence

from claimrag.schemas.chunk import Chunk
from claimrag.schemas.errors import InputError
from claimrag.tasks.retrieve.embedders import Embedder
from claimrag.tasks.retrieve.hits import Hit, Retriever

__all__ = ["RETRIEVERS", "Hit", "Retriever", "build_retriever"]

RETRIEVERS = ("bm25", "dense", "hybrid")


def build_retriever(name: str, chunks: Sequence[Chunk], *, embedder: Embedder | None = None) -> Retriever:
    """Index `chunks` (of one language) with the engine called `name`. `dense` and `hybrid` embed them all.

    Raises InputError for an unknown name, or where an embedder is needed and not given.
    """
    if name == "bm25":
        from claimrag.tasks.retrieve.bm25 import Bm25Retriever

        return Bm25Retriever(chunks)
    if name not in RETRIEVERS:
        raise InputError(f"unknown retriever {name!r}: known are {', '.join(RETRIEVERS)}")
    if embedder is None:
        raise InputError(
            f"the {name} retriever needs an embedder: set embeddings.*, or install the local one"
        )
    if name == "dense":
        from claimrag.tasks.retrieve.dense import DenseRetriever

        return DenseRetriever(chunks, embedder)
    from claimrag.tasks.retrieve.fusion import HybridRetriever

    return HybridRetriever(chunks, embedder)
