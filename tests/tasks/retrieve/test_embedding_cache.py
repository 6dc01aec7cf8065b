"""Embedding once: what the cache keeps apart, and what it gives back."""

import random
import sqlite3
from contextlib import closing
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


def test_a_missing_vector_is_named(tmp_path: Path) -> None:
    class Short(CountingEmbedder):
        def embed_queries(self, texts: Any) -> Any:
            return super().embed_queries(texts)[:-1]

    cached = CachedEmbedder(Short(), tmp_path / "v.sqlite", name="m")
    with pytest.raises(ModelError, match="0 vectors for 1"):
        cached.embed_queries(["a"])
    cached.close()


def _embed(path: Path, embedder: Any) -> tuple[Any, list[str]]:
    with closing(CachedEmbedder(embedder, path, name="m")) as cached:
        return cached.embed_queries([f"text {'x' * n}" for n in range(200)]), list(cached.warnings)


def test_a_text_in_its_place_is_set_aside_and_a_new_file_begun(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    path.write_bytes(b"not a database, but long enough to be read as one" * 40)
    _, warnings = _embed(path, CountingEmbedder())
    assert len(warnings) == 1 and "v.sqlite.damaged" in warnings[0]
    embedder = CountingEmbedder()
    assert _embed(path, embedder)[1] == [] == embedder.asked


@pytest.mark.parametrize("seed", range(8))
def test_flipped_bits_change_no_vector_and_cost_few(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "v.sqlite"
    expected, _ = _embed(path, CountingEmbedder())
    raw = bytearray(path.read_bytes())
    chance = random.Random(seed)
    for _ in range(6):
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    path.write_bytes(raw)
    embedder = CountingEmbedder()
    found, _ = _embed(path, embedder)
    assert found.tolist() == expected.tolist()
    assert len(embedder.asked) < 150


def test_a_lost_first_page_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    _embed(path, CountingEmbedder())
    path.write_bytes(b"\0" * 4096 + path.read_bytes()[4096:])
    embedder = CountingEmbedder()
    _, warnings = _embed(path, embedder)
    assert (embedder.asked, len(warnings)) == ([], 1)


def test_a_damaged_vector_is_embedded_again_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    expected, _ = _embed(path, CountingEmbedder())
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(
            "UPDATE vectors SET vector = zeroblob(8) WHERE key = (SELECT max(key) FROM vectors)"
        )
    embedder = CountingEmbedder()
    found, warnings = _embed(path, embedder)
    assert (len(embedder.asked), len(warnings)) == (1, 1) and found.tolist() == expected.tolist()


def test_a_file_of_the_first_version_opens_with_everything_in_it(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    _embed(path, CountingEmbedder())
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("ALTER TABLE vectors DROP COLUMN crc")
    embedder = CountingEmbedder()
    _embed(path, embedder)
    assert embedder.asked == []


def test_vectors_of_another_length_under_the_same_name_are_refused(tmp_path: Path) -> None:
    class Longer(CountingEmbedder):
        def embed_queries(self, texts: Any) -> Any:
            return np.ones((len(texts), 5), dtype=np.float32)

    path = tmp_path / "v.sqlite"
    with closing(CachedEmbedder(CountingEmbedder(), path, name="m")) as cached:
        cached.embed_queries(["a"])
    with closing(CachedEmbedder(Longer(), path, name="m")) as cached:
        with pytest.raises(ModelError, match="another model under the same name"):
            cached.embed_queries(["a", "b"])
        assert (cached.identity, cached.usage) == ({"model": "m"}, None)


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "v.sqlite").mkdir()
    with pytest.raises(StoreError, match=r"v\.sqlite.*Remedy"):
        CachedEmbedder(CountingEmbedder(), tmp_path / "v.sqlite", name="m")
