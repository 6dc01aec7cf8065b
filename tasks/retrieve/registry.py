"""The retrievers by name: the allowed values of `evaluate.retrievers`.

A retriever is one row here and one file beside it. Looking up names imports no engine and no numpy, so that a
setting is checked before anything is paid; an engine is imported when something is indexed with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from claimrag.schemas.chunk import Chunk
from claimrag.schemas.errors import InputError
from claimrag.tasks.retrieve.hits import Retriever

if TYPE_CHECKING:
    from claimrag.tasks.retrieve.embedders import Embedder


class Engine(Protocol):
    """A way to index chunks, by name. `needs_embedder`: whether it embeds them."""

    @property
    def name(self) -> str:
        """The setting's value, and what score tables show."""

    @property
    def needs_embedder(self) -> bool:
        """Whether chunks and questions are embedded."""

    def index(self, chunks: Sequence[Chunk], embedder: Embedder | None) -> Retriever:
        """A retriever over `chunks`, all of one language."""


@dataclass(frozen=True)
class LexicalEngine:
    """Finds chunks by their words."""

    name: str
    load: Callable[[Sequence[Chunk]], Retriever]
    needs_embedder: ClassVar[bool] = False

    def index(self, chunks: Sequence[Chunk], embedder: Embedder | None) -> Retriever:
        """A retriever over `chunks`; an embedder is of no use to it."""
        del embedder
        return self.load(chunks)


@dataclass(frozen=True)
class EmbeddingEngine:
    """Finds chunks by their vectors, alone or among other things."""

    name: str
    load: Callable[[Sequence[Chunk], Embedder], Retriever]
    needs_embedder: ClassVar[bool] = True

    def index(self, chunks: Sequence[Chunk], embedder: Embedder | None) -> Retriever:
        """A retriever over `chunks`, which are embedded now. Raises InputError without an embedder."""
        if embedder is None:
            raise InputError(
                f"the {self.name} retriever needs an embedder: set embeddings.*, or install the local one"
            )
        return self.load(chunks, embedder)


def _bm25(chunks: Sequence[Chunk]) -> Retriever:
    from claimrag.tasks.retrieve.bm25 import Bm25Retriever

    return Bm25Retriever(chunks)


def _dense(chunks: Sequence[Chunk], embedder: Embedder) -> Retriever:
    from claimrag.tasks.retrieve.dense import DenseRetriever

    return DenseRetriever(chunks, embedder)


def _hybrid(chunks: Sequence[Chunk], embedder: Embedder) -> Retriever:
    from claimrag.tasks.retrieve.fusion import HybridRetriever

    return HybridRetriever(chunks, embedder)


RETRIEVERS: tuple[Engine, ...] = (
    LexicalEngine("bm25", _bm25),
    EmbeddingEngine("dense", _dense),
    EmbeddingEngine("hybrid", _hybrid),
)
_BY_NAME = {engine.name: engine for engine in RETRIEVERS}


def retriever_names() -> list[str]:
    """The names that `find_retriever` knows."""
    return list(_BY_NAME)


def find_retriever(name: str) -> Engine:
    """The engine called `name`; raises InputError that lists the known ones."""
    engine = _BY_NAME.get(name)
    if engine is None:
        raise InputError(
            f"unknown retriever {name!r} in evaluate.retrievers: known are {', '.join(retriever_names())}"
        )
    return engine


def build_retriever(name: str, chunks: Sequence[Chunk], *, embedder: Embedder | None = None) -> Retriever:
    """Index `chunks` (of one language) with the engine called `name`.

    Raises InputError for an unknown name, or where an embedder is needed and not given.
    """
    return find_retriever(name).index(chunks, embedder)
