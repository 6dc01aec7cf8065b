"""What a retriever sees of a chunk: prefix, body and references, in both engines."""

from typing import Any

import numpy as np

from claimrag.tasks.retrieve import build_retriever
from claimrag.tasks.retrieve.bm25 import index_text


class Recorder:
    """Embeds a text by its length, and keeps what it was given."""

    def __init__(self) -> None:
        self.passages: list[str] = []
        self.queries: list[str] = []

    def embed_passages(self, texts: Any) -> Any:
        self.passages += texts
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)

    def embed_queries(self, texts: Any) -> Any:
        self.queries += texts
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)


def _chunk(make_chunk: Any, number: int = 0) -> Any:
    chunk = make_chunk(f"The body {number}.", number, prefix=f"Chapter {number} on opening")
    return chunk.model_copy(update={"references": (f"Article {number}0", "Annex")})


def test_index_text_is_prefix_body_and_references_each_on_its_line(make_chunk: Any) -> None:
    assert index_text(_chunk(make_chunk)) == "Chapter 0 on opening\nThe body 0.\nArticle 00\nAnnex"
    assert index_text(make_chunk("The body.", 0)) == "The body."


def test_bm25_finds_a_chunk_by_its_prefix_and_by_each_reference(make_chunk: Any) -> None:
    chunks = [_chunk(make_chunk, 1), _chunk(make_chunk, 2), make_chunk("Another text.", 3)]
    retriever = build_retriever("bm25", chunks)
    opening, tenth, annex, body = retriever.search(["opening", "20", "annex", "body 1"], 3)
    assert {hit.chunk_id for hit in opening} == {hit.chunk_id for hit in annex} == {c.id for c in chunks[:2]}
    assert [hit.chunk_id for hit in tenth] == [chunks[1].id]
    assert body[0].chunk_id == chunks[0].id


def test_the_dense_retriever_embeds_prefix_body_and_references(make_chunk: Any) -> None:
    embedder = Recorder()
    chunks = [_chunk(make_chunk, 1), make_chunk("Another text.", 3)]
    retriever = build_retriever("dense", chunks, embedder=embedder)
    assert embedder.passages == [index_text(chunk) for chunk in chunks]
    retriever.search(["one", "", "two"], 1)
    assert embedder.queries == ["one", "two"]


def test_hits_of_several_queries_stand_at_their_queries(make_chunk: Any) -> None:
    chunks = [make_chunk("x" * length, length) for length in (1, 8)]
    retriever = build_retriever("dense", chunks, embedder=Recorder())
    short, nothing, long = retriever.search(["a", " ", "a" * 30], 1)
    assert nothing == []
    assert [hits[0].chunk_id for hits in (short, long)] == [chunk.id for chunk in chunks]
    assert retriever.search(["a"], 0) == [[]]
