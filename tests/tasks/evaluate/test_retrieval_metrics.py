"""Retrieval metrics: by unit, by character, never counting a character twice."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimrag.schemas.base import ActId, ChunkId, QuestionId, UnitId
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.occurrence import Evidence, Occurrence
from claimrag.tasks.evaluate.retrieval_metrics import (
    holds_evidence,
    length,
    merge_spans,
    overlap,
    retrieval_scores,
)

ACT = ActId("x/law/2024-01-01/en")


def _chunk(start: int, end: int, *units: str, act: str = ACT) -> Chunk:
    return Chunk(
        id=ChunkId(f"{act}:{start}-{end}"),
        act_id=ActId(act),
        chunker="c",
        language="en",
        order=start,
        part=1,
        unit_ids=tuple(UnitId(f"{act}#{unit}") for unit in units),
        start=start,
        end=end,
        tokens=1,
        body="x" * (end - start),
    )


def _evidence(unit: str, start: int, end: int) -> Evidence:
    return Evidence(
        context_unit_id="ctx",  # type: ignore[arg-type]
        unit_id=UnitId(f"{ACT}#{unit}"),
        sentence=1,
        start=start,
        end=end,
        quotation="x" * (end - start),
    )


def _occurrence(*evidence: tuple[str, int, int]) -> Occurrence:
    rows = tuple(_evidence(*each) for each in evidence)
    return Occurrence(question_id=QuestionId("q"), act_id=ACT, evidence=rows)


def test_a_unit_is_found_in_a_chunk_that_touches_its_article() -> None:
    occurrence = _occurrence(("art_6.par_1.pnt_f", 100, 120), ("art_60", 500, 520))
    scores = retrieval_scores(occurrence, [_chunk(0, 50, "art_1"), _chunk(90, 200, "art_5", "art_6")])
    assert (scores["unit_recall"], scores["unit_mrr"]) == (0.5, 0.5)


def test_article_6_is_not_article_60() -> None:
    scores = retrieval_scores(_occurrence(("art_6", 100, 120)), [_chunk(500, 600, "art_60")])
    assert (scores["unit_recall"], scores["unit_mrr"], scores["character_recall"]) == (0.0, 0.0, 0.0)


def test_evidence_outside_of_articles_is_found_by_its_characters() -> None:
    assert retrieval_scores(_occurrence(("cit_1", 10, 20)), [_chunk(0, 30)])["unit_recall"] == 1.0


def test_the_same_place_in_another_act_holds_nothing() -> None:
    other = _chunk(0, 100, "art_6", act="y/other/2024-01-01/en")
    occurrence = _occurrence(("art_6", 0, 50))
    assert not holds_evidence(other, occurrence)
    scores = retrieval_scores(occurrence, [other])
    assert (scores["unit_recall"], scores["character_recall"], scores["character_precision"]) == (
        0.0,
        0.0,
        0.0,
    )


def test_overlapping_chunks_count_their_characters_once() -> None:
    scores = retrieval_scores(
        _occurrence(("art_1", 0, 100)), [_chunk(0, 80, "art_1"), _chunk(40, 120, "art_1")]
    )
    assert scores["character_recall"] == 1.0
    assert scores["character_precision"] == pytest.approx(100 / 120)


def test_only_the_first_characters_up_to_the_budget_count() -> None:
    chunks = [_chunk(0, 60), _chunk(50, 110), _chunk(200, 300, "art_9")]
    scores = retrieval_scores(_occurrence(("art_9", 200, 300)), chunks, budget=120)
    assert scores["character_recall"] == pytest.approx(10 / 100)
    assert scores["character_precision"] == pytest.approx(10 / 120)
    assert scores["unit_recall"] == 1.0


def test_8000_retrieved_characters_count_by_default() -> None:
    occurrence = _occurrence(("art_9", 7_990, 8_010))
    scores = retrieval_scores(occurrence, [_chunk(0, 9_000)])
    assert (scores["character_recall"], scores["character_precision"]) == (0.5, 10 / 8_000)


@pytest.mark.parametrize(
    ("spans", "spent"),
    [
        ([(0, 5), (10, 15), (8, 12)], 12),
        ([(0, 5), (10, 15), (3, 12)], 15),
        ([(0, 5), (10, 15), (20, 25), (4, 22)], 25),
        ([(10, 15), (0, 5)], 10),
        ([(10, 15), (12, 14)], 5),
        ([(10, 15), (8, 20), (0, 30)], 30),
    ],
)
def test_a_character_that_was_retrieved_before_is_not_spent_again(spans: list[Any], spent: int) -> None:
    scores = retrieval_scores(_occurrence(("a", 10, 11)), [_chunk(*span) for span in spans])
    assert (scores["character_recall"], scores["character_precision"]) == (1.0, 1 / spent)


def test_a_question_without_evidence_is_not_scored_and_nothing_retrieved_has_no_precision() -> None:
    assert set(retrieval_scores(_occurrence(), [_chunk(0, 5)]).values()) == {None}
    scores = retrieval_scores(_occurrence(("art_1", 0, 10)), [])
    assert (scores["unit_recall"], scores["character_recall"], scores["character_precision"]) == (
        0.0,
        0.0,
        None,
    )


def test_a_chunk_holds_evidence_only_where_it_shares_a_character() -> None:
    occurrence = _occurrence(("art_1", 10, 20))
    assert holds_evidence(_chunk(19, 30), occurrence)
    assert not holds_evidence(_chunk(20, 30), occurrence)


SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=8)


@given(SPANS, SPANS)
def test_spans_measure_what_sets_of_characters_measure(one: list[Any], other: list[Any]) -> None:
    def characters(spans: list[Any]) -> set[int]:
        return {i for start, end in spans for i in range(start, end)}

    merged, merged_other = merge_spans(one), merge_spans(other)
    assert length(merged) == len(characters(one))
    assert overlap(merged, merged_other) == len(characters(one) & characters(other))


@given(SPANS, st.integers(1, 60))
def test_characters_at_a_budget_measure_what_a_walk_through_them_measures(
    spans: list[Any], budget: int
) -> None:
    chunks = [_chunk(start, end) for start, end in spans if start < end]
    occurrence = _occurrence(("a", 5, 25))
    walked: list[int] = []
    for chunk in chunks:
        walked += [i for i in range(chunk.start, chunk.end) if i not in walked]
    walked = walked[:budget]
    scores = retrieval_scores(occurrence, chunks, budget=budget)
    hits = len([i for i in walked if 5 <= i < 25])
    assert scores["character_recall"] == pytest.approx(hits / 20)
    assert scores["character_precision"] == (pytest.approx(hits / len(walked)) if walked else None)
