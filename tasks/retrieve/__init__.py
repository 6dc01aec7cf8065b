"""Retrieval over chunks: BM25, dense, and both fused. No answers and no scores of answers."""

from claimrag.tasks.retrieve.hits import Hit, Retriever
from claimrag.tasks.retrieve.registry import (
    RETRIEVERS,
    Engine,
    build_retriever,
    find_retriever,
    retriever_names,
)

__all__ = [
    "RETRIEVERS",
    "Engine",
    "Hit",
    "Retriever",
    "build_retriever",
    "find_retriever",
    "retriever_names",
]
