"""Score tables as plain rows: ClaimRAG-LAW's Table 2 columns, then retrieval, then intervals.

A score that does not exist is `n/a`, never 0; the last column says over how many questions. Whoever shows
the rows (terminal, Markdown, report) chooses the form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from claimrag.schemas.run import MeanScore, Run
from claimrag.tasks.evaluate.metrics import CLAIM_METRICS
from claimrag.tasks.evaluate.retrieval_metrics import RETRIEVAL_METRICS

NOT_SCORED = "n/a"

TABLE_2 = {metric.column: metric.name for metric in CLAIM_METRICS}
RETRIEVAL = {metric.column: metric.name for metric in RETRIEVAL_METRICS}


@dataclass(frozen=True)
class ScoreTable:
    """Headings, and rows of as many cells."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def score_table(runs: Sequence[Run]) -> ScoreTable:
    """Claim-level scores in percent, one row per run, as in Table 2 of ClaimRAG-LAW."""
    return _table(runs, TABLE_2)


def retrieval_table(runs: Sequence[Run]) -> ScoreTable:
    """Retrieval scores in percent: by unit of the law, and by character at a fixed budget."""
    return _table(runs, RETRIEVAL)


def interval_table(runs: Sequence[Run]) -> ScoreTable:
    """One row per run and metric: mean, 95 % interval, how many questions it stands on."""
    headings = {metric: heading for heading, metric in (TABLE_2 | RETRIEVAL).items()}
    rows = [
        (
            run.system.name,
            run.language.upper(),
            headings.get(score.metric, score.metric),
            _percent(score.mean),
            NOT_SCORED if score.low is None else f"{_percent(score.low)} to {_percent(score.high)}",
            f"{score.scored}/{score.total}",
        )
        for run in _ordered(runs)
        for score in run.scores
    ]
    return ScoreTable(("RAG System", "Lang", "Metric", "Mean", "95 % interval", "Scored"), tuple(rows))


def legend() -> ScoreTable:
    """What every column means, one row per metric."""
    rows = [
        *((metric.column, metric.legend) for metric in CLAIM_METRICS),
        *((metric.column, metric.legend) for metric in RETRIEVAL_METRICS),
    ]
    return ScoreTable(("Metric", "Meaning"), tuple(rows))


def _table(runs: Sequence[Run], columns: dict[str, str]) -> ScoreTable:
    rows = [_row(run, list(columns.values())) for run in _ordered(runs)]
    return ScoreTable(("RAG System", "Lang", *columns, "Scored"), tuple(rows))


def _row(run: Run, metrics: Sequence[str]) -> tuple[str, ...]:
    by_metric = {score.metric: score for score in run.scores}
    scores = [by_metric.get(metric) for metric in metrics]
    cells = [_percent(score.mean if score else None) for score in scores]
    return (run.system.name, run.language.upper(), *cells, _scored([score for score in scores if score]))


def _scored(scores: Sequence[MeanScore]) -> str:
    """`5/12`, or `3-5/12` where the metrics of a row stand on different numbers of questions."""
    if not scores:
        return NOT_SCORED
    fewest, most = min(score.scored for score in scores), max(score.scored for score in scores)
    counted = str(most) if fewest == most else f"{fewest}-{most}"
    return f"{counted}/{max(score.total for score in scores)}"


def _percent(value: float | None) -> str:
    return NOT_SCORED if value is None else f"{value:.1f}"


def _ordered(runs: Sequence[Run]) -> list[Run]:
    return sorted(runs, key=lambda run: (run.language, run.system.retriever, run.system.generator, run.id))
