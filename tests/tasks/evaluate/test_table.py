"""Score tables: the paper's columns, and no score that is not one."""

from claimrag.schemas.base import RunId
from claimrag.schemas.run import MeanScore, RagSystem, Run
from claimrag.tasks.evaluate.means import METRICS
from claimrag.tasks.evaluate.table import interval_table, retrieval_table, score_table


def _run(language: str, retriever: str = "bm25") -> Run:
    system = RagSystem(chunker="fixed-600-120", retriever=retriever, generator="m", judge="j", k=10)
    scores = tuple(
        MeanScore(metric=metric, mean=None, low=None, high=None, scored=0, total=9)
        if metric == "context_utilization"
        else MeanScore(metric=metric, mean=number + 0.25, low=number, high=number + 1, scored=4, total=9)
        for number, metric in enumerate(METRICS)
    )
    return Run(
        id=RunId(f"{language}{retriever}"), system=system, language=language, questions=9, scores=scores
    )


def test_columns_stand_in_the_order_of_the_papers_table_2() -> None:
    table = score_table([_run("fr"), _run("en", "dense"), _run("en")])
    assert table.columns[:2] == ("RAG System", "Lang")
    assert [c.split()[0] for c in table.columns[2:]] == [
        "P", "R", "F1", "CR", "CP", "CU", "NSr", "NSir", "HL", "SK", "FT", "Scored",
    ]  # fmt: skip
    assert [row[:2] for row in table.rows] == [("bm25 + m", "EN"), ("dense + m", "EN"), ("bm25 + m", "FR")]
    assert table.rows[0][2:] == (
        "0.2", "1.2", "2.2", "3.2", "4.2", "n/a", "6.2", "7.2", "8.2", "9.2", "10.2", "0-4/9",
    )  # fmt: skip


def test_retrieval_has_its_own_table() -> None:
    (row,) = retrieval_table([_run("en")]).rows
    assert row == ("bm25 + m", "EN", "11.2", "12.2", "13.2", "14.2", "4/9")


def test_every_mean_has_its_interval_and_count() -> None:
    rows = interval_table([_run("en")]).rows
    assert len(rows) == len(METRICS)
    assert rows[0] == ("bm25 + m", "EN", "P", "0.2", "0.0 to 1.0", "4/9")
    assert rows[5] == ("bm25 + m", "EN", "CU", "n/a", "n/a", "0/9")


def test_a_run_without_scores_has_none() -> None:
    bare = _run("en").model_copy(update={"scores": ()})
    assert set(score_table([bare]).rows[0][2:]) == {"n/a"}
