"""A made-up RAG system, named in full, for tests that need one and do not care which."""

from __future__ import annotations

from typing import Any

from claimrag.schemas.run import RagSystem


def rag_system(**changes: Any) -> RagSystem:
    """A system of BM25 and a model, with these fields changed."""
    fields: dict[str, Any] = {
        "chunker": "fixed-600-120",
        "retriever": "bm25",
        "embedder": None,
        "generator": "a-model",
        "generator_mode": "temperature=as_designed",
        "answer_prompt": "answer/from_chunks 0123",
        "k": 10,
        "context_tokens": 8192,
        "reserved_tokens": 2048,
        "max_answer_tokens": 512,
        "seed": 13,
        "judge": "a-judge",
        "judge_mode": "temperature=as_designed",
        "checker": "keyed",
        "claim_parser": "strict",
        "joint": 5,
        "max_claim_tokens": 1000,
    }
    return RagSystem(**(fields | changes))
