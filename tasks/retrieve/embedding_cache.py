"""Vectors by text, kept in one SQLite file, so that a rerun embeds only what changed.

Keyed by the embedder's name, whether the text is a query or a passage, its prefix if it has one, and the text
itself. Promises the vectors that the embedder gave, in the order of the texts; a process that is killed loses what
was in flight. A damaged file or row is set aside, named in `warnings`, and embedded again.
"""

from __future__ import annotations

import sqlite3
import threading
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.schemas.errors import ModelError
from claimrag.tasks.llm.sqlite_carve import Row
from claimrag.tasks.llm.sqlite_file import Layout, SqliteFile
from claimrag.tasks.llm.usage import Usage
from claimrag.tasks.progress import NoProgress, Progress
from claimrag.tasks.retrieve.embedders import (
    Embedder,
    EndpointEmbedder,
    Kind,
    Prefixes,
    Vectors,
    embedder_identity,
)

_BATCH = 32
_WORTH_A_WORD = 100
_KEY_LENGTH = 64
_TABLE = "CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
_INSERT = "INSERT OR REPLACE INTO vectors (key, vector, crc) VALUES (?, ?, ?)"


class NotEmbeddedError(ModelError):
    """More texts have no vector yet than may be embedded now."""


class CachedEmbedder:
    """An embedder in front of another one. `name` tells models apart. Safe to share between threads.

    `most_new` bounds how many texts may be embedded at once; beyond it NotEmbeddedError is raised.
    """

    def __init__(self, embedder: Embedder, path: Path, *, name: str) -> None:
        """Open or create the file; raises StoreError where it cannot be opened or written."""
        self._embedder = embedder
        self._name = name
        self.progress: Progress = NoProgress()
        self.most_new: int | None = None
        self._lock = threading.Lock()
        self._prefixes = embedder.prefixes if isinstance(embedder, EndpointEmbedder) else Prefixes()
        self._file = SqliteFile(path, Layout((_TABLE,), (("vectors", "crc INTEGER"),), _rescued_row))

    @property
    def warnings(self) -> list[str]:
        """What was found damaged: sentences to show."""
        return self._file.warnings

    @property
    def identity(self) -> dict[str, str]:
        """What decides a vector besides its text, for the keys of tables: neither address nor key."""
        return embedder_identity(self._name, self._prefixes)

    @property
    def usage(self) -> Usage | None:
        """What the embedder behind has sent and cost; None where it costs nothing."""
        return self._embedder.usage if isinstance(self._embedder, EndpointEmbedder) else None

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions."""
        return self._embed("query", texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of chunks."""
        return self._embed("passage", texts)

    def close(self) -> None:
        """Close the file and the embedder behind; neither can be used afterwards."""
        self._file.close()
        close = getattr(self._embedder, "close", None)
        if close is not None:
            close()

    def _embed(self, kind: Kind, texts: Sequence[str]) -> Vectors:
        keys = [self._key(kind, text) for text in texts]
        known: dict[str, Vectors] = {}
        with self._lock:
            for key in dict.fromkeys(keys):
                if (vector := self._read(key)) is not None:
                    known[key] = vector
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            wanted = list(missing)
            if self.most_new is not None and len(wanted) > self.most_new:
                raise NotEmbeddedError(f"{len(wanted):,} texts have no vector of {self._name} yet")
            if len(wanted) > _WORTH_A_WORD:
                self.progress.say(f"{len(wanted):,} texts are embedded first: their vectors are kept")
            if wanted:
                self.progress.begin("embed", len(wanted))
            for start, vectors in self._batches(kind, list(missing.values())):
                batch = wanted[start : start + len(vectors)]
                self._write(batch, vectors)
                self.progress.advance("embed", len(batch))
                known.update(zip(batch, vectors, strict=True))
        if len({len(vector) for vector in known.values()}) > 1:
            raise ModelError(
                f"{self._name} gives vectors of another length than those in {self._file.path}: it is another "
                "model under the same name; give it a name of its own, or move the file away"
            )
        return np.stack([known[key] for key in keys]) if keys else np.zeros((0, 0), dtype=np.float32)

    def _key(self, kind: Kind, text: str) -> str:
        prefix = self._prefixes.of(kind)
        return sha256_text(canonical_json([self._name, kind, *([prefix] if prefix else []), text]))

    def _batches(self, kind: Kind, texts: list[str]) -> Iterator[tuple[int, Vectors]]:
        if isinstance(self._embedder, EndpointEmbedder):
            yield from self._embedder.batches(kind, texts)
            return
        embed = self._embedder.embed_queries if kind == "query" else self._embedder.embed_passages
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            vectors = embed(batch)
            if len(vectors) != len(batch):
                raise ModelError(f"{self._name} gave {len(vectors)} vectors for {len(batch)} texts")
            yield start, vectors

    def _read(self, key: str) -> Vectors | None:
        rows = self._file.read("SELECT CAST(vector AS BLOB), crc FROM vectors WHERE key = ?", key)
        if not rows:
            return None
        raw, crc = rows[0]
        if not _is_sound(key, raw, crc):
            self._file.write("DELETE FROM vectors WHERE key = ?", key)
            self.warnings.append(
                f"{self._file.path}: the vector under {key} was damaged; it is embedded again"
            )
            return None
        return np.frombuffer(raw, dtype="<f4").astype(np.float32)

    def _write(self, keys: Sequence[str], vectors: Vectors) -> None:
        raws = [vector.astype("<f4").tobytes() for vector in vectors]
        rows = [(key, raw, _checksum(key, raw)) for key, raw in zip(keys, raws, strict=True)]

        def insert(connection: sqlite3.Connection) -> None:
            connection.executemany(_INSERT, rows)

        self._file.transaction(insert)


def _checksum(key: str, raw: bytes) -> int:
    return zlib.crc32(raw, zlib.crc32(key.encode()))


def _is_sound(key: str, raw: bytes, crc: object) -> bool:
    return bool(raw) and len(raw) % 4 == 0 and (crc is None or crc == _checksum(key, raw))


def _rescued_row(row: Row) -> tuple[str, Row] | None:
    match row:
        case (str(key), bytes(raw), *crc) if len(key) == _KEY_LENGTH and len(crc) < 2:
            checksum = crc[0] if crc else None
            return (_INSERT, (key, raw, checksum)) if _is_sound(key, raw, checksum) else None
        case _:
            return None
