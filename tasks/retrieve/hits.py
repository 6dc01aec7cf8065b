"""What every retriever answers: chunks with scores, best first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from claimrag.schemas.base import ChunkId


@dataclass(frozen=True)
class Hit:
    """One chunk and the engine's score; scores of different engines do not compare."""

    chunk_id: ChunkId
    score: float


class Retriever(Protocol):
    """Finds chunks for questions."""

    @property
    def name(self) -> str:
        """The name that score tables show."""

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits per query, best first; equal scores are ordered by chunk id."""


def best(hits: Iterable[Hit], k: int) -> list[Hit]:
    """The `k` best, best first; equal scores by chunk id, so that a rerun gives the same ranks."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:k]
