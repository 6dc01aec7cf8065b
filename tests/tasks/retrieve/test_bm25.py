"""BM25 against values computed by Lucene 9.9.1, and the traps of other engines."""

import json
from pathlib import Path
from typing import Any

import pytest

from claimrag.schemas.errors import InputError
from claimrag.tasks.retrieve import build_retriever
from claimrag.tasks.retrieve.bm25 import Bm25Index, Bm25Retriever

LUCENE_CONSTANT = 2.2
# What Lucene's analyzers make of the oracle's queries; the standard one only splits and lowers.
QUERY_TERMS = {
    "standard": {"2016/679": ["2016", "679"]},
    "english": {
        "processing personal data": ["process", "person", "data"],
        "Article 6": ["articl", "6"],
        "lois": ["loi"],
        "obligation": ["oblig"],
        "époux assistance": ["époux", "assist"],
        "the of a": [],
        "2016/679": ["2016", "679"],
    },
    "french": {
        "processing personal data": ["procesing", "personal", "data"],
        "Article 6": ["articl", "6"],
        "lois": ["loi"],
        "obligation": ["oblig"],
        "époux assistance": ["épou", "asistanc"],
        "travail": ["travail"],
        "2016/679": ["2016", "679"],
    },
}


@pytest.mark.corpus
@pytest.mark.parametrize("analyzer", ["standard", "english", "french"])
def test_scores_and_ranks_are_lucenes_but_for_a_constant_factor(shared_corpus: Path, analyzer: str) -> None:
    oracle = json.loads((shared_corpus / "reference" / "lucene_oracle.json").read_text(encoding="utf-8"))
    side = oracle["analyzers"][analyzer]
    index = Bm25Index([(f"d{number}", terms) for number, terms in enumerate(side["tokens"])])
    for query in side["queries"]:
        terms = QUERY_TERMS[analyzer].get(query["q"], query["q"].lower().split())
        hits = index.search(terms, 10)
        assert [hit.chunk_id for hit in hits] == [f"d{number}" for number, _ in query["hits"]], query["q"]
        for hit, (_, score) in zip(hits, query["hits"], strict=True):
            assert hit.score == pytest.approx(LUCENE_CONSTANT * score, rel=1e-6)


def _chunks(make_chunk: Any, *bodies: str, language: str = "en") -> list[Any]:
    return [make_chunk(body, number, language) for number, body in enumerate(bodies)]


def _bodies(chunks: list[Any], hits: list[Any]) -> list[str]:
    by_id = {chunk.id: chunk.body for chunk in chunks}
    return [by_id[hit.chunk_id] for hit in hits]


def test_article_6_finds_the_chunk_of_article_6_first(make_chunk: Any) -> None:
    chunks = _chunks(
        make_chunk, *(f"Article {n} The processing shall be lawful in case {n}." for n in range(1, 30))
    )
    (hits,) = Bm25Retriever(chunks).search(["What does Article 6 say?"], 5)
    assert _bodies(chunks, hits)[0].startswith("Article 6 ")


def test_a_word_is_found_behind_its_elided_article_with_either_apostrophe(make_chunk: Any) -> None:
    bodies = [
        "L’obligation naît du contrat.",
        "On doit payer l'obligation.",
        "Les époux se doivent fidélité.",
    ]
    chunks = _chunks(make_chunk, *bodies, language="fr")
    (hits,) = Bm25Retriever(chunks).search(["obligation"], 3)
    assert sorted(_bodies(chunks, hits)) == sorted(bodies[:2])


@pytest.mark.parametrize("query", ["zebra", "", "   ", "?!"])
def test_a_query_that_shares_no_word_has_no_hit(make_chunk: Any, query: str) -> None:
    assert Bm25Retriever(_chunks(make_chunk, "The law.", "The rule.")).search([query], 5) == [[]]


def test_more_hits_than_chunks_may_be_asked_for(make_chunk: Any) -> None:
    retriever = Bm25Retriever(_chunks(make_chunk, "The law.", "The rule."))
    assert [len(hits) for hits in retriever.search(["the", "law"], 50)] == [2, 1]


def test_equal_scores_are_ordered_by_id_also_at_the_cut(make_chunk: Any) -> None:
    chunks = _chunks(make_chunk, *["The same text."] * 40)
    (hits,) = Bm25Retriever(chunks).search(["same"], 3)
    assert [hit.chunk_id for hit in hits] == sorted(chunk.id for chunk in chunks)[:3]


def test_a_repeated_query_word_counts_once(make_chunk: Any) -> None:
    retriever = Bm25Retriever(_chunks(make_chunk, "The law of the land.", "A rule."))
    once, twice = retriever.search(["law", "law law"], 2)
    assert once == twice


def test_query_syntax_in_a_question_is_only_text(make_chunk: Any) -> None:
    retriever = Bm25Retriever(_chunks(make_chunk, "The law (new) AND terms:more.", "A rule."))
    (hits,) = retriever.search(['law" AND (terms:* OR'], 2)
    assert len(hits) == 1


def test_an_empty_index_has_no_hits() -> None:
    assert Bm25Retriever([]).search(["law"], 3) == [[]]


def test_two_languages_in_one_index_are_refused(make_chunk: Any) -> None:
    with pytest.raises(InputError, match="en, fr"):
        Bm25Retriever([make_chunk("a", 0, "en"), make_chunk("b", 1, "fr")])


def test_an_unknown_retriever_or_a_missing_embedder_is_refused() -> None:
    with pytest.raises(InputError, match="bm25, dense, hybrid"):
        build_retriever("elastic", [])
    with pytest.raises(InputError, match="needs an embedder"):
        build_retriever("dense", [])
    assert build_retriever("bm25", []).name == "bm25"
