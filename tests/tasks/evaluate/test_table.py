"""Score tables: the paper's columns, and no score that is not one."""

from claimrag.schemas.base import ActId, RunId
from claimrag.schemas.run import MeanScore, Run, ScoredAnswer
from claimrag.schemas.settings import ClaimsSettings, EvaluateSettings
from claimrag.tasks.evaluate.means import METRICS
from claimrag.tasks.evaluate.system import system_for
from claimrag.tasks.evaluate.table import interval_table, legend, retrieval_table, score_table

TABLE_2 = ("P", "R", "F1", "CR", "CP", "CU", "NSr ↓", "NSir ↓", "HL ↓", "SK", "FT")
NAMES_OF_TABLE_2 = (
    *("precision", "recall", "f1", "claim_recall", "context_precision", "context_utilization"),
    *("noise_sensitivity_in_relevant", "noise_sensitivity_in_irrelevant"),
    *("hallucination", "self_knowledge", "faithfulness"),
)


def _run(language: str, retriever: str = "bm25") -> Run:
    system = system_for(
        language,
        retriever,
        "fixed-600-120",
        None,
        {"model": "m"},
        {"model": "j"},
        EvaluateSettings(),
        ClaimsSettings(),
    )
    scores = tuple(
        MeanScore(metric=metric, mean=None, low=None, high=None, scored=0, total=9)
        if metric == "context_utilization"
        else MeanScore(metric=metric, mean=number + 0.25, low=number, high=number + 1, scored=4, total=9)
        for number, metric in enumerate(METRICS)
    )
    return Run(
        id=RunId(f"{language}{retriever}"),
        system=system,
        language=language,
        acts=(ActId(f"x/law/2024-01-01/{language}"),),
        questions=9,
        scores=scores,
    )


def test_columns_stand_in_the_order_of_the_papers_table_2() -> None:
    table = score_table([_run("fr"), _run("en", "dense"), _run("en")])
    assert tuple(column for column in table.columns if column in TABLE_2) == TABLE_2
    assert table.columns[:2] == ("RAG System", "Lang") and table.columns[-1] == "Scored"
    assert [row[:2] for row in table.rows] == [("bm25 + m", "EN"), ("dense + m", "EN"), ("bm25 + m", "FR")]
    shown = dict(zip(table.columns, table.rows[0], strict=True))
    numbers = {name: f"{number}.2" for number, name in enumerate(METRICS)} | {"context_utilization": "n/a"}
    assert {heading: shown[heading] for heading in TABLE_2} == {
        heading: numbers[name] for name, heading in zip(NAMES_OF_TABLE_2, TABLE_2, strict=True)
    }
    assert shown["Scored"] == "0-4/9"


def test_retrieval_has_its_own_table() -> None:
    table = retrieval_table([_run("en")])
    first = METRICS.index("unit_recall")
    assert table.columns[2:6] == ("Unit recall", "Unit MRR", "Char recall", "Char precision")
    assert table.rows[0][:6] == ("bm25 + m", "EN", *(f"{first + place}.2" for place in range(4)))
    assert (table.columns[-1], table.rows[0][-1]) == ("Scored", "4/9")


def test_every_mean_has_its_interval_and_count() -> None:
    rows = interval_table([_run("fr"), _run("en")]).rows
    assert len(rows) == 2 * len(METRICS)
    assert rows[0] == ("bm25 + m", "EN", "P", "0.2", "0.0 to 1.0", "4/9")
    assert rows[5] == ("bm25 + m", "EN", "CU", "n/a", "n/a", "0/9")
    assert rows[8][2] == "HL ↓"
    assert rows[-1][1] == "FR"


def test_a_metric_that_is_not_known_here_is_shown_by_its_name() -> None:
    other = MeanScore(metric="other", mean=1.0, low=0.0, high=2.0, scored=1, total=1)
    assert interval_table([_run("en").model_copy(update={"scores": (other,)})]).rows[0][2] == "other"


def test_a_run_without_scores_has_none() -> None:
    bare = _run("en").model_copy(update={"scores": ()})
    assert set(score_table([bare]).rows[0][2:]) == {"n/a"}


def test_one_row_of_the_registry_is_all_that_a_metric_needs_besides_its_field() -> None:
    scored = [name for name, field in ScoredAnswer.model_fields.items() if field.annotation == float | None]
    assert set(METRICS) == set(scored)
    explained = legend()
    assert explained.columns == ("Metric", "Meaning")
    assert [row[0] for row in explained.rows] == [
        *score_table([]).columns[2:-1],
        *retrieval_table([]).columns[2:-1],
    ]
    assert all(meaning.endswith(".") and len(meaning) > 20 for _, meaning in explained.rows)


def test_runs_of_equal_names_stand_in_the_order_of_their_ids() -> None:
    one, other = _run("en"), _run("en").model_copy(update={"id": RunId("aa"), "questions": 1, "scores": ()})
    assert [row[-1] for row in score_table([one, other]).rows] == ["n/a", "0-4/9"]
