"""Vectors by text, kept in one SQLite file, so that a rerun embeds only what changed.

Keyed by the embedder's name, whether the text is a query or a passage, and the text itself. Promises the
vectors that the embedder gave, in the order of the texts; a process that is killed loses one batch at most.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.schemas.errors import ModelError, StoreError
from claimrag.tasks.retrieve.embedders import Embedder, Vectors

_BATCH = 32
_BUSY_TIMEOUT_S = 30.0
_TABLE = "CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"


class CachedEmbedder:
    """An embedder in front of another one. `name` tells models apart. Safe to share between threads."""

    def __init__(self, embedder: Embedder, path: Path, *, name: str) -> None:
        """Open or create the file; raises StoreError where that fails."""
        self._embedder = embedder
        self._name = name
        self._path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, check_same_thread=False)
            self._connection.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise self._store_error(error) from error

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions."""
        return self._embed("query", texts, self._embedder.embed_queries)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of chunks."""
        return self._embed("passage", texts, self._embedder.embed_passages)

    def close(self) -> None:
        """Close the file and the embedder behind; neither can be used afterwards."""
        self._connection.close()
        close = getattr(self._embedder, "close", None)
        if close is not None:
            close()

    def _embed(self, kind: str, texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors]) -> Vectors:
        keys = [sha256_text(canonical_json([self._name, kind, text])) for text in texts]
        known: dict[str, Vectors] = {}
        with self._lock:
            for key in dict.fromkeys(keys):
                if (vector := self._read(key)) is not None:
                    known[key] = vector
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            wanted = list(missing)
            for start in range(0, len(wanted), _BATCH):
                batch = wanted[start : start + _BATCH]
                vectors = embed([missing[key] for key in batch])
                if len(vectors) != len(batch):
                    raise ModelError(f"{self._name} gave {len(vectors)} vectors for {len(batch)} texts")
                self._write(batch, vectors)
                known.update(zip(batch, vectors, strict=True))
        return np.stack([known[key] for key in keys]) if keys else np.zeros((0, 0), dtype=np.float32)

    def _read(self, key: str) -> Vectors | None:
        try:
            row = self._connection.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise self._store_error(error) from error
        return None if row is None else np.frombuffer(row[0], dtype="<f4").astype(np.float32)

    def _write(self, keys: Sequence[str], vectors: Vectors) -> None:
        rows = [(key, vector.astype("<f4").tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        try:
            with self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            raise self._store_error(error) from error

    def _store_error(self, error: Exception) -> StoreError:
        return StoreError(
            f"the embedding cache {self._path}: {error}; make the folder writable, or delete it"
        )
