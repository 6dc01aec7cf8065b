"""Embedders: texts to vectors, for queries and for passages, which many models embed differently.

`EndpointEmbedder` speaks to any OpenAI-compatible /v1/embeddings. Promises vectors in the order of the
texts, one per text. The local multilingual-e5-small is in tasks/local/embeddings.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from claimrag.schemas.errors import ModelError, ModelRefusedError, ModelUnavailableError, SettingsError
from claimrag.schemas.settings import OPENAI_BASE_URL, EmbeddingSettings

Vectors = NDArray[np.float32]

_RETRIES = 5
_TIMEOUT_S = 120.0


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
    """An OpenAI-compatible embeddings endpoint; `embeddings.*` in the settings."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        from openai import OpenAI

        if not settings.model:
            raise SettingsError("embeddings.model is not set: name the embedding model beside the base_url")
        key = settings.api_key.get_secret_value() if settings.api_key else "none"
        self._client = OpenAI(
            base_url=settings.base_url or OPENAI_BASE_URL,
            api_key=key,
            max_retries=_RETRIES,
            timeout=_TIMEOUT_S,
        )
        self._model = settings.model
        self._batch_size = settings.batch_size
        self._prefixes = prefixes_for(settings.model)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions, with the model's query prefix."""
        return self._embed([self._prefixes.query + text for text in texts])

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of chunks, with the model's passage prefix."""
        return self._embed([self._prefixes.passage + text for text in texts])

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _embed(self, texts: Sequence[str]) -> Vectors:
        batches = [
            self._embed_batch(texts[start : start + self._batch_size])
            for start in range(0, len(texts), self._batch_size)
        ]
        return np.concatenate(batches) if batches else np.zeros((0, 0), dtype=np.float32)

    def _embed_batch(self, texts: Sequence[str]) -> Vectors:
        answer = self._ask(texts)
        rows = sorted(answer.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(len(texts))):
            raise ModelError(
                f"embeddings of {self._model}: {len(texts)} texts were sent and {len(rows)} vectors came back"
            )
        return np.array([row.embedding for row in rows], dtype=np.float32)

    def _ask(self, texts: Sequence[str]) -> Any:
        from openai import APIConnectionError, APIStatusError

        try:
            return self._client.embeddings.create(
                model=self._model, input=list(texts), encoding_format="float"
            )
        except APIStatusError as error:
            place = f"embeddings of {self._model} at {self._client.base_url}: HTTP {error.status_code}"
            if error.status_code in (408, 409, 429) or error.status_code >= 500:
                raise ModelUnavailableError(f"{place} after {_RETRIES} retries; try again later") from error
            raise ModelRefusedError(f"{place}; check embeddings.model, its key and batch_size") from error
        except APIConnectionError as error:
            raise ModelUnavailableError(
                f"embeddings of {self._model}: {self._client.base_url} does not answer; check it"
            ) from error
