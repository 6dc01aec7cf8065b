"""Equal scores: every chunk that ties for the last place is seen before ties are put in order of their ids."""

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimrag.schemas.base import ChunkId
from claimrag.schemas.errors import ModelError
from claimrag.tasks.retrieve import bm25
from claimrag.tasks.retrieve.analysis import analyzer
from claimrag.tasks.retrieve.bm25 import Bm25Index, Bm25Retriever
from claimrag.tasks.retrieve.dense import DenseRetriever, unit_vectors
from claimrag.tasks.retrieve.fusion import HybridRetriever, fuse
from claimrag.tasks.retrieve.hits import Hit, best


@pytest.mark.parametrize("k", [1, 2, 3, 7, 39, 40, 41])
def test_bm25_gives_the_first_ids_of_many_equal_ones_behind_a_better_one(k: int) -> None:
    documents = [(ChunkId(f"d{n:02}"), ["law", "rule"]) for n in range(40, 0, -1)]
    index = Bm25Index([*documents, (ChunkId("z"), ["law"])])
    found = [hit.chunk_id for hit in index.search(["law"], k)]
    assert found == ["z", *(f"d{n:02}" for n in range(1, 41))][:k]


@pytest.mark.parametrize("k", [0, -1])
def test_no_hit_is_wanted_where_k_is_below_one(make_chunk: Any, k: int) -> None:
    assert Bm25Retriever([make_chunk("law", 0)]).search(["law"], k) == [[]]
    assert Bm25Index([(ChunkId("d"), ["law"])]).search([], 3) == []


class Angles:
    """Unit vectors by the number that a text ends with, in degrees."""

    def embed_passages(self, texts: Any) -> Any:
        angles = np.radians([float(text.split()[-1]) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)

    embed_queries = embed_passages


def test_dense_hits_stand_by_angle_and_ties_by_id(make_chunk: Any) -> None:
    chunks = [make_chunk(f"at {angle}", number) for number, angle in enumerate((60, 0, 30, 30, 30, 90))]
    retriever = DenseRetriever(chunks, Angles())
    for k in range(1, 8):
        (hits,) = retriever.search(["at 0"], k)
        tied = sorted(chunk.id for chunk in chunks[2:5])
        assert [hit.chunk_id for hit in hits] == [chunks[1].id, *tied, chunks[0].id, chunks[5].id][:k]
    (hits,) = retriever.search(["at 90"], 1)
    assert (hits[0].chunk_id, hits[0].score) == (chunks[5].id, pytest.approx(1.0))


def test_vectors_of_another_number_or_form_are_refused() -> None:
    assert unit_vectors(np.array([[3.0, 4.0]]), 1).tolist() == [pytest.approx([0.6, 0.8])]
    for wrong in (np.ones((2, 2)), np.ones(1), np.ones((1, 2, 2))):
        with pytest.raises(ModelError, match="for 1 texts"):
            unit_vectors(wrong, 1)


def test_fused_ties_stand_by_id_and_no_more_than_k_are_given() -> None:
    rankings = [[Hit(ChunkId(c), 1.0) for c in "ba"], [Hit(ChunkId(c), 1.0) for c in "ab"]]
    assert [hit.chunk_id for hit in fuse(rankings, 2)] == ["a", "b"]
    assert [hit.score for hit in fuse(rankings, 2)] == [pytest.approx(1 / 61 + 1 / 62)] * 2
    assert [hit.chunk_id for hit in fuse(rankings, 1)] == ["a"]


def test_best_orders_by_score_then_id() -> None:
    hits = [Hit(ChunkId(name), score) for name, score in (("c", 1.0), ("b", 2.0), ("a", 1.0))]
    assert [hit.chunk_id for hit in best(hits, 9)] == ["b", "a", "c"]
    assert [hit.chunk_id for hit in best(hits, 2)] == ["b", "a"]


class Fixed:
    """Gives the same ranking for every query, cut at the number that is asked for."""

    def __init__(self, ids: str) -> None:
        self.ids, self.asked = ids, []  # type: ignore[var-annotated]

    def search(self, queries: Any, k: int) -> list[list[Hit]]:
        self.asked.append(k)
        return [[Hit(ChunkId(c), 1.0) for c in self.ids[:k]] for _ in queries]


def test_the_hybrid_retriever_fuses_twice_as_many_hits_as_are_wanted(make_chunk: Any) -> None:
    retriever = HybridRetriever([make_chunk("at 1", 0)], Angles())
    parts = Fixed("abxcdefg"), Fixed("hixjklmn")
    retriever._parts = parts  # type: ignore[assignment]
    one, other = retriever.search(["q", "p"], 3)
    assert [part.asked for part in parts] == [[6], [6]]
    assert [hit.chunk_id for hit in one] == [hit.chunk_id for hit in other] == ["x", "a", "h"]


def test_english_terms_are_stems_without_possessives() -> None:
    analyze = analyzer("en")
    assert analyze("The controller's duties, o'clock") == ["the", "control", "duti", "o", "clock"]
    assert analyze("") == []


class Counting:
    """A searcher that counts what it is asked for, and says that its index has so many segments."""

    def __init__(self, searcher: Any, num_segments: int) -> None:
        self.num_segments, self.limits, self._searcher = num_segments, [], searcher  # type: ignore[var-annotated]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._searcher, name)

    def search(self, query: Any, *, limit: int, count: bool) -> Any:
        self.limits.append(limit)
        return self._searcher.search(query, limit=limit, count=count)


def test_bm25_in_one_segment_asks_the_engine_for_no_more_than_is_wanted() -> None:
    index = Bm25Index([(ChunkId(f"d{n:03}"), ["law"]) for n in range(500)])
    index._searcher = searcher = Counting(index._searcher, index._searcher.num_segments)
    assert [hit.chunk_id for hit in index.search(["law"], 3)] == ["d000", "d001", "d002"]
    assert searcher.limits == [3]


def test_bm25_in_several_segments_stops_looking_where_the_last_wanted_hit_has_no_equal() -> None:
    index = Bm25Index([(ChunkId(f"d{n}"), ["law"] * (n + 1) + ["x"] * (9 - n)) for n in range(9)])
    index._searcher = searcher = Counting(index._searcher, 2)
    assert [hit.chunk_id for hit in index.search(["law"], 3)] == ["d8", "d7", "d6"]
    assert [hit.chunk_id for hit in index.search(["law"], 100)] == [f"d{n}" for n in range(8, -1, -1)]
    assert searcher.limits == [3, 4, 9, 10]


def test_bm25_in_several_segments_still_orders_ties_by_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, "_HEAP_BYTES", 15_000_000)  # the least that the engine takes
    ids = [ChunkId(f"d{n:06}") for n in range(120_000)]
    index = Bm25Index([(name, ["law", f"w{name}"]) for name in ids])
    assert index._searcher.num_segments > 1
    assert [hit.chunk_id for hit in index.search(["law"], 3)] == ids[:3]


@given(
    words=st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=3), min_size=1, max_size=30),
    query=st.lists(st.sampled_from("abcde"), min_size=1, max_size=5),
    k=st.integers(1, 31),
    order=st.randoms(),
)
def test_any_k_are_the_first_of_the_whole_ranking(
    words: list[list[str]], query: list[str], k: int, order: Random
) -> None:
    documents = [(ChunkId(f"d{n:02}"), terms) for n, terms in enumerate(words)]
    whole = best(Bm25Index(documents).search(query, len(documents)), len(documents))
    order.shuffle(documents)
    assert Bm25Index(documents).search(query, k) == whole[:k]
