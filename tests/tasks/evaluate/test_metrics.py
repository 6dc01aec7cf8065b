"""The RAGChecker metrics, against values computed by RAGChecker's own code and against its identities."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimrag.schemas.claim import Label
from claimrag.schemas.errors import InputError
from claimrag.tasks.evaluate.means import mean_score
from claimrag.tasks.evaluate.metrics import CLAIM_METRICS, Verdicts, claim_metrics

OF_RAGCHECKER = {
    *("precision", "recall", "f1", "claim_recall", "context_precision", "context_utilization"),
    *("noise_sensitivity_in_relevant", "noise_sensitivity_in_irrelevant"),
    *("hallucination", "self_knowledge", "faithfulness"),
}
"""Metrics of our own are no part of what RAGChecker computes."""
E, N, C = Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION


def _verdicts(vector: dict[str, Any]) -> Verdicts:
    return Verdicts(
        chunks=vector["n_chunks"],
        answer2response=[Label(v) for v in vector["answer2response"]],
        response2answer=[Label(v) for v in vector["response2answer"]],
        retrieved2response=[[Label(v) for v in row] for row in vector["retrieved2response"]],
        retrieved2answer=[[Label(v) for v in row] for row in vector["retrieved2answer"]],
    )


def _as_ragchecker(verdicts: Verdicts) -> dict[str, float]:
    """RAGChecker reports 0 where a metric is not defined."""
    return {name: value or 0.0 for name, value in claim_metrics(verdicts).items() if name in OF_RAGCHECKER}


def _aggregate(examples: list[Verdicts]) -> dict[str, float | None]:
    scores = [_as_ragchecker(verdicts) for verdicts in examples]
    return {
        name: mean_score(name, [s[name] for s in scores], total=len(scores), resamples=1, seed=0).mean
        for name in scores[0]
    }


@pytest.fixture
def golden(shared_corpus: Path) -> dict[str, Any]:
    return json.loads((shared_corpus / "reference" / "ragchecker_golden.json").read_text(encoding="utf-8"))


@pytest.mark.corpus
def test_every_golden_vector_has_ragcheckers_own_values(golden: dict[str, Any]) -> None:
    assert len(golden["vectors"]) == 15
    for vector in golden["vectors"]:
        assert _as_ragchecker(_verdicts(vector)) == pytest.approx(vector["metrics"], abs=1e-12), vector[
            "name"
        ]


@pytest.mark.corpus
def test_the_aggregates_are_ragcheckers_own(golden: dict[str, Any]) -> None:
    by_name = {vector["name"]: _verdicts(vector) for vector in golden["vectors"]}
    everything = _aggregate(list(by_name.values()))
    groups = golden["corpus_aggregate_all_vectors"].values()
    assert everything == {name: value for group in groups for name, value in group.items()}
    subset = golden["corpus_aggregate_subset"]
    part = _aggregate([by_name[name] for name in subset["names"]])
    assert part == {name: value for group in subset["aggregate"].values() for name, value in group.items()}
    for vector in golden["vectors"]:
        alone = vector["aggregate_of_this_alone"].values()
        assert _aggregate([by_name[vector["name"]]]) == {n: v for group in alone for n, v in group.items()}


def test_a_refusal_is_not_scored_where_ragchecker_says_zero() -> None:
    refusal = Verdicts(2, [], [N, N], [], [[E, N], [N, N]])
    scores = claim_metrics(refusal)
    for name in ("precision", "f1", "faithfulness", "hallucination", "self_knowledge"):
        assert scores[name] is None
        assert _as_ragchecker(refusal)[name] == 0.0
    assert scores["claim_recall"] == 0.5


def test_without_reference_claims_nothing_about_them_is_scored() -> None:
    scores = claim_metrics(Verdicts(1, [E], [], [[E]], []))
    for name in ("recall", "claim_recall", "context_precision", "noise_sensitivity_in_relevant"):
        assert scores[name] is None
    assert scores["faithfulness"] == 1.0


def test_without_chunks_only_precision_and_recall_are_scored() -> None:
    scores = claim_metrics(Verdicts(0, [E], [N], [[]], [[]]))
    scored = {name for name, value in scores.items() if value is not None}
    assert scored & OF_RAGCHECKER == {"precision", "recall", "f1"}


def test_context_utilization_is_not_scored_when_no_claim_was_retrieved() -> None:
    assert claim_metrics(Verdicts(1, [E], [E], [[E]], [[N]]))["context_utilization"] is None


def test_a_wrong_claim_supported_by_a_relevant_and_an_irrelevant_chunk_counts_as_relevant_noise() -> None:
    scores = claim_metrics(Verdicts(2, [N], [E], [[E, E]], [[E, N]]))
    assert scores["noise_sensitivity_in_relevant"] == 1.0
    assert scores["noise_sensitivity_in_irrelevant"] == 0.0


def test_matrices_of_the_wrong_size_are_refused() -> None:
    with pytest.raises(InputError, match="one row per claim"):
        Verdicts(2, [E], [E], [[E]], [[E, E]])
    with pytest.raises(InputError):
        Verdicts(1, [E, E], [E], [[E]], [[E]])


@given(st.data())
def test_the_two_identities_hold_for_any_labels(data: st.DataObject) -> None:
    chunks, mine, theirs = (data.draw(st.integers(1, 4)) for _ in range(3))
    label = st.sampled_from(list(Label))

    def draw(rows: int) -> list[list[Label]]:
        row = st.lists(label, min_size=chunks, max_size=chunks)
        return data.draw(st.lists(row, min_size=rows, max_size=rows))

    verdicts = Verdicts(
        chunks,
        data.draw(st.lists(label, min_size=mine, max_size=mine)),
        data.draw(st.lists(label, min_size=theirs, max_size=theirs)),
        draw(mine),
        draw(theirs),
    )
    scores = _as_ragchecker(verdicts)
    assert list(scores) == [metric.name for metric in CLAIM_METRICS if metric.name in OF_RAGCHECKER]
    assert scores["faithfulness"] + scores["hallucination"] + scores["self_knowledge"] == pytest.approx(1)
    noise = scores["noise_sensitivity_in_relevant"] + scores["noise_sensitivity_in_irrelevant"]
    assert scores["precision"] + noise + scores["hallucination"] == pytest.approx(1)
