"""Chunking: an act cut into the pieces that a retriever indexes. No retrieval, no scores."""

from claimrag.tasks.chunk.registry import DEFAULT_CHUNKER, chunk_act, chunker_names

__all__ = ["DEFAULT_CHUNKER", "chunk_act", "chunker_names"]
