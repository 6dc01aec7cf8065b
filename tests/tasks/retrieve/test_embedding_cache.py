"""Embedding once: what the cache keeps apart, and what it gives back."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimrag.schemas.errors import ModelError, StoreError
from claimrag.tasks.retrieve.embedding_cache import CachedEmbedder


class CountingEmbedder:
    """Vectors of length and kind; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_queries(self, texts: Any) -> Any:
        self.asked += texts
        return np.array([[len(text), 0.5] for text in texts], dtype=np.float32)

    def embed_passages(self, texts: Any) -> Any:
        return -self.embed_queries(texts)


def test_each_text_is_embedded_once_also_by_the_next_process(tmp_path: Path) -> None:
    first = CountingEmbedder()
    cached = CachedEmbedder(first, tmp_path / "deep" / "v.sqlite", name="m")
    vectors = cached.embed_passages(["a", "bb", "a"])
    cached.close()
    assert first.asked == ["a", "bb"]
    second = CountingEmbedder()
    cached = CachedEmbedder(second, tmp_path / "deep" / "v.sqlite", name="m")
    again = cached.embed_passages(["bb", "a", "ccc"])
    cached.close()
    assert second.asked == ["ccc"]
    assert vectors.tolist() == [[-1, -0.5], [-2, -0.5], [-1, -0.5]]
    assert again.tolist() == [[-2, -0.5], [-1, -0.5], [-3, -0.5]]


def test_queries_passages_and_models_are_kept_apart(tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    one = CachedEmbedder(embedder, tmp_path / "v.sqlite", name="one")
    assert one.embed_queries(["a"]).tolist() != one.embed_passages(["a"]).tolist()
    one.close()
    other = CachedEmbedder(embedder, tmp_path / "v.sqlite", name="other")
    other.embed_queries(["a"])
    assert other.embed_queries([]).shape == (0, 0)
    other.close()
    assert embedder.asked == ["a", "a", "a"]


def test_a_batch_that_was_answered_survives_the_failure_of_the_next(tmp_path: Path) -> None:
    class Failing(CountingEmbedder):
        def embed_queries(self, texts: Any) -> Any:
            if self.asked:
                raise ModelError("gone")
            return super().embed_queries(texts)

    texts = [f"text {n}" for n in range(40)]
    cached = CachedEmbedder(Failing(), tmp_path / "v.sqlite", name="m")
    with pytest.raises(ModelError):
        cached.embed_queries(texts)
    cached.close()
    embedder = CountingEmbedder()
    cached = CachedEmbedder(embedder, tmp_path / "v.sqlite", name="m")
    cached.embed_queries(texts)
    cached.close()
    assert embedder.asked == texts[32:]


def test_a_missing_vector_and_an_unusable_file_are_named(tmp_path: Path) -> None:
    class Short(CountingEmbedder):
        def embed_queries(self, texts: Any) -> Any:
            return super().embed_queries(texts)[:-1]

    cached = CachedEmbedder(Short(), tmp_path / "v.sqlite", name="m")
    with pytest.raises(ModelError, match="0 vectors for 1"):
        cached.embed_queries(["a"])
    cached.close()
    (tmp_path / "broken.sqlite").write_bytes(b"not a database, but long enough to be read as one" * 40)
    with pytest.raises(StoreError, match=r"broken\.sqlite"):
        CachedEmbedder(CountingEmbedder(), tmp_path / "broken.sqlite", name="m")
