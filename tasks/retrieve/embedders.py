"""Embedders: texts to vectors, for queries and for passages, which many models embed differently.

`EndpointEmbedder` speaks to any OpenAI-compatible /v1/embeddings, through the gateway's door: limits, budget,
retries and money as for every model. Promises vectors in the order of the texts, one per text. The local
multilingual-e5-small is in tasks/local/embeddings.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from claimrag.schemas.canonical import sha256_text
from claimrag.schemas.errors import ModelError, SettingsError
from claimrag.schemas.settings import EmbeddingSettings
from claimrag.tasks.llm.cache import RequestCache
from claimrag.tasks.llm.door import Attempt, Door, Load, Passed
from claimrag.tasks.llm.endpoint import Endpoint
from claimrag.tasks.llm.usage import Budget, Usage
from claimrag.tasks.retrieve.background import Background
from claimrag.tasks.retrieve.vectors import NoVectorsError, read_vectors

Vectors = NDArray[np.float32]
Kind = Literal["query", "passage"]

_ROLE = "embeddings"


class Embedder(Protocol):
    """Arrays of shape (number of texts, dimensions)."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of chunks."""


@dataclass(frozen=True)
class Prefixes:
    """What a model wants in front of a query and of a passage."""

    query: str = ""
    passage: str = ""

    def of(self, kind: Kind) -> str:
        """The prefix of one kind of text."""
        return self.query if kind == "query" else self.passage


# From the models' own cards; a model without an entry takes the text as it is.
_PREFIXES: tuple[tuple[re.Pattern[str], Prefixes], ...] = (
    (
        re.compile(r"e5-mistral", re.IGNORECASE),
        Prefixes(
            query="Instruct: Given a web search query, "
            "retrieve relevant passages that answer the query\nQuery: "
        ),
    ),
    (re.compile(r"\be5-", re.IGNORECASE), Prefixes(query="query: ", passage="passage: ")),
)


def prefixes_for(model: str) -> Prefixes:
    """The prefixes of the model called so."""
    return next((prefixes for pattern, prefixes in _PREFIXES if pattern.search(model)), Prefixes())


class EndpointEmbedder:
    """An OpenAI-compatible embeddings endpoint; `embeddings.*` in the settings.

    Synchronous outside: call it from a thread that may wait. Inside, its requests go out on a loop of their own,
    `max_in_flight` at a time, whichever threads they come from. `cache` is where the money of all runs is kept;
    `usage` holds the totals.
    """

    def __init__(self, settings: EmbeddingSettings, *, cache: RequestCache | None = None) -> None:
        """Raises SettingsError where there is no model, or no connection can be opened with these settings."""
        if not settings.model:
            raise SettingsError("embeddings.model is not set: name the embedding model beside the base_url")
        endpoint = settings.endpoint()
        self.prefixes = prefixes_for(settings.model)
        self.usage = Usage(cost_usd=0.0 if settings.model in settings.prices else None)
        self._settings = settings
        self._model = settings.model
        self._cache = cache
        self._background = Background("embeddings")
        budget = Budget(settings.budget_usd, "embeddings.budget_usd")
        budget.begin(_ROLE, cache.spent_usd(_ROLE) if cache is not None else 0.0)
        smaller = "set evaluate.chunk_tokens or embeddings.batch_size lower"
        self._endpoint = Endpoint(endpoint, _ROLE, smaller=smaller)
        self._door = Door(endpoint, _ROLE, budget, self.usage, on_lost=self._spend)

    @property
    def identity(self) -> dict[str, str]:
        """What decides a vector besides its text, for the keys of tables: neither address nor key."""
        return embedder_identity(self._model, self.prefixes)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions, with the model's query prefix. Raises ModelError and what the gateway raises."""
        return self._in_order("query", texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of chunks, with the model's passage prefix. Raises ModelError and what the gateway raises."""
        return self._in_order("passage", texts)

    def batches(self, kind: Kind, texts: Sequence[str]) -> Iterator[tuple[int, Vectors]]:
        """Where a batch begins in `texts`, and its vectors, as they arrive.

        A failure is raised after everything that was in flight has arrived.
        """
        prefix, size = self.prefixes.of(kind), self._settings.batch_size
        prefixed = [prefix + text for text in texts]
        pieces = [(start, prefixed[start : start + size]) for start in range(0, len(texts), size)]
        return self._background.as_they_come(self._embed, pieces, at_once=self._settings.max_in_flight)

    def close(self) -> None:
        """Close the connections; it cannot be used afterwards."""
        self._background.close(self._endpoint.close)

    def _in_order(self, kind: Kind, texts: Sequence[str]) -> Vectors:
        arrived = sorted(self.batches(kind, texts), key=lambda batch: batch[0])
        return (
            np.concatenate([vectors for _, vectors in arrived])
            if arrived
            else np.zeros((0, 0), dtype=np.float32)
        )

    async def _embed(self, piece: tuple[int, list[str]]) -> tuple[int, Vectors]:
        start, texts = piece
        load = Load(sum(len(text.encode("utf-8", "backslashreplace")) for text in texts), 0, 0)

        async def exchange(attempt: Attempt) -> Passed[Vectors]:
            body = {"model": self._model, "input": texts, "encoding_format": "float"}
            await attempt.go()
            raw = await self._endpoint.post("/embeddings", body)
            try:
                vectors, tokens = read_vectors(raw)
            except NoVectorsError as error:
                raise self._endpoint.unreadable(raw, str(error)) from None
            passed = Passed(vectors, attempt.prompt_tokens if tokens is None else tokens, 0)
            self._spend(self._door.cost_usd(passed) or 0.0)
            return passed

        key = sha256_text("\0".join([self._model, *texts]))
        vectors = (await self._door.send(key, load, exchange)).value
        if len(vectors) != len(texts):
            raise ModelError(
                f"embeddings of {self._model}: {len(texts)} texts were sent and {len(vectors)} vectors came back; "
                "check embeddings.model and what is behind embeddings.base_url"
            )
        return start, vectors

    def _spend(self, usd: float) -> None:
        if usd and self._cache is not None:
            self._cache.add_spent(_ROLE, usd)


def embedder_identity(model: str, prefixes: Prefixes) -> dict[str, str]:
    """A model and, where it has them, its prefixes: what decides a vector besides the text."""
    written = f"{prefixes.query}\0{prefixes.passage}"
    return {"model": model} | ({"prefixes": sha256_text(written)[:16]} if written != "\0" else {})
