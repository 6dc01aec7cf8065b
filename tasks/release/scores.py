"""The card's section on baselines: the columns of ClaimRAG-LAW's Table 2, then intervals and "over how many".

A score that does not exist is shown as `n/a`, never as 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from claimrag.schemas.run import Run
from claimrag.tasks.validate.markdown import literal, table


def scores_section(runs: Sequence[Run]) -> str:
    """Empty when nothing was evaluated."""
    if not runs:
        return ""
    from claimrag.tasks.evaluate.table import interval_table, retrieval_table, score_table

    claims, retrieval, intervals = score_table(runs), retrieval_table(runs), interval_table(runs)
    settings = sorted({(run.system.chunker, run.system.k) for run in runs})
    used = "; ".join(f"{literal(chunker)} chunks, {k} of them retrieved" for chunker, k in settings)
    return "\n\n".join(
        (
            "## Baselines",
            f"Percent, with claims judged as in RAGChecker ({used}). Arrows mark what is better low; the last "
            "column says how many questions were scored, out of how many.",
            _shown(claims.columns, claims.rows, 2),
            _shown(retrieval.columns, retrieval.rows, 2),
            "Every mean with its 95 % bootstrap interval:",
            _shown(intervals.columns, intervals.rows, 3),
        )
    )


def _shown(columns: Sequence[str], rows: Sequence[Sequence[str]], numbers_from: int) -> str:
    return table(columns, [[literal(cell) for cell in row] for row in rows], numbers_from)
