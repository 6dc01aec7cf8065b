"""The score table on a terminal: a row per metric, a column per system, and what each metric says beside it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from claimrag.flows.cli.output import table
from claimrag.schemas.run import Run

_MEANING = "what it says (an arrow: less is better)"
_SCORED = "Over how many of the questions the means are taken; a question without a score enters none."


def score_tables(runs: Sequence[Run]) -> list[Table]:
    """Claim-level scores and retrieval scores in percent; none without runs."""
    from claimrag.tasks.evaluate.table import legend, retrieval_table, score_table

    if not runs:
        return []
    meanings = {row[0]: row[1] for row in legend().rows} | {"Scored": _SCORED}
    drawn = []
    for title, scores in (("RAG baselines", score_table(runs)), ("Retrieval", retrieval_table(runs))):
        _, _, *metrics = scores.columns
        systems = [f"{language.lower()} {name.partition(' + ')[0]}" for name, language, *_ in scores.rows]
        rows = [
            [metric, *(row[place + 2] for row in scores.rows), meanings[metric]]
            for place, metric in enumerate(metrics)
        ]
        drawn.append(table(f"{title}, in percent", ["metric", *systems, _MEANING], rows, right=set(systems)))
    return drawn
