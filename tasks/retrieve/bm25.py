"""BM25 over chunks with tantivy (k1 1.2, b 0.75), in memory.

Scores are Lucene's times 2.2: tantivy keeps the constant factor (k1 + 1). A chunk that shares no term with
the query is no hit. Queries are terms only: nothing in a question is read as query syntax.

Equal scores are ordered by chunk id. The engine orders them by place in the index, so chunks are indexed in the
order of their ids; asking for every chunk that ties instead would cost a search a time that grows with the corpus
wherever many laws share their wording.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from claimrag.schemas.base import ChunkId
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.errors import InputError
from claimrag.tasks.retrieve.analysis import Analyze, analyzer
from claimrag.tasks.retrieve.hits import Hit, best

_FIELD = "terms"
_NUMBER = "number"
_HEAP_BYTES = 64_000_000


class Bm25Index:
    """An index of term lists; documents are known by the ids given with them."""

    def __init__(self, documents: Sequence[tuple[ChunkId, Sequence[str]]]) -> None:
        from tantivy import Document, Index, SchemaBuilder

        documents = sorted(documents, key=lambda document: document[0])
        self._ids = [document_id for document_id, _ in documents]
        builder = SchemaBuilder()
        builder.add_text_field(_FIELD, stored=False, tokenizer_name="whitespace", index_option="freq")
        builder.add_unsigned_field(_NUMBER, stored=False, fast=True)
        self._schema = builder.build()
        index = Index(self._schema)
        writer = index.writer(heap_size=_HEAP_BYTES, num_threads=1)
        for number, (_, terms) in enumerate(documents):
            document = Document()
            document.add_text(_FIELD, " ".join(terms))
            document.add_unsigned(_NUMBER, number)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._searcher = index.searcher()

    def search(self, terms: Sequence[str], k: int) -> list[Hit]:
        """The `k` best documents; each distinct term counts once."""
        if not terms or not self._ids or k < 1:
            return []
        query = self._query(terms)
        k = min(k, len(self._ids))
        scored = self._searcher.search(query, limit=k, count=False).hits
        if self._searcher.num_segments > 1:  # only within one segment do places follow ids
            scored = self._with_ties(query, k)
        numbers: list[Any] = self._searcher.fast_field_values(_NUMBER, [address for _, address in scored])
        hits = (Hit(self._ids[number], score) for number, (score, _) in zip(numbers, scored, strict=True))
        return best(hits, k)

    def _with_ties(self, query: Any, k: int) -> Any:
        """The `k` best and all that tie with the last of them."""
        limit = k + 1  # one more than are wanted shows whether others tie
        while True:
            scored = self._searcher.search(query, limit=limit, count=False).hits
            if len(scored) < limit or scored[-1][0] < scored[k - 1][0]:
                return scored
            limit *= 2

    def _query(self, terms: Sequence[str]) -> Any:
        from tantivy import Occur, Query

        clauses = [
            (Occur.Should, Query.term_query(self._schema, _FIELD, term, index_option="freq"))
            for term in dict.fromkeys(terms)
        ]
        return Query.boolean_query(clauses)


class Bm25Retriever:
    """BM25 over the chunks of one language."""

    name = "bm25"

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        languages = sorted({chunk.language for chunk in chunks})
        if len(languages) > 1:
            raise InputError(f"one BM25 index holds one language, not {', '.join(languages)}: make one each")
        self._analyze: Analyze | None = analyzer(languages[0]) if languages else None
        self._index = Bm25Index([(chunk.id, self._terms(index_text(chunk))) for chunk in chunks])

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits per query, best first."""
        return [self._index.search(self._terms(query), k) for query in queries]

    def _terms(self, text: str) -> list[str]:
        return self._analyze(text) if self._analyze else []


def index_text(chunk: Chunk) -> str:
    """What a retriever sees of a chunk: prefix, body and references."""
    return "\n".join(part for part in (chunk.prefix, chunk.body, *chunk.references) if part)
