"""Chunking: an act cut into the pieces that a retriever indexes. No retrieval, no scores."""

from claimrag.tasks.chunk.chunker import Chunker, Span
from claimrag.tasks.chunk.registry import CHUNKERS, DEFAULT_CHUNKER, chunk_act, chunker_names, find_chunker

__all__ = ["CHUNKERS", "DEFAULT_CHUNKER", "Chunker", "Span", "chunk_act", "chunker_names", "find_chunker"]
