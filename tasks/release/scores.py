"""The card's section on baselines: the systems in full, the columns of ClaimRAG-LAW's Table 2, intervals, a legend.

A score that does not exist is shown as `n/a`, never as 0, and a mean of few questions gets no interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from claimrag.schemas.run import Run
from claimrag.tasks.validate.markdown import literal, table

if TYPE_CHECKING:
    from claimrag.tasks.evaluate.table import ScoreTable

FEWEST = 10
"""A mean over fewer questions has no interval: resampling so few says little about others."""
_SYSTEM = (
    ("chunker", "chunker"),
    ("retriever", "retriever"),
    ("embedder", "embedder"),
    ("generator", "generator"),
    ("asked with", "generator_mode"),
    ("answer prompt", "answer_prompt"),
    ("chunks (k)", "k"),
    ("context tokens", "context_tokens"),
    ("judge", "judge"),
    ("judge asked with", "judge_mode"),
    ("checker", "checker"),
)
"""Headings, and the fields of RagSystem under them."""


def scores_section(runs: Sequence[Run]) -> str:
    """Empty when nothing was evaluated."""
    if not runs:
        return ""
    from claimrag.tasks.evaluate.table import legend, retrieval_table, score_table

    named = _named(runs)
    return "\n\n".join(
        (
            "## Baselines",
            "Each system answered questions of one language over the newest version of each of its laws. `questions` "
            "says how many there were.",
            _systems(named),
            "Means in percent. An arrow marks what is better low. `Scored` says over how many of the questions the "
            "means of a row are taken: a question without a score enters no mean, and is never a 0.",
            _scores(named, score_table, 2),
            _scores(named, retrieval_table, 2),
            *_intervals(named),
            "What the columns say:",
            table(("metric", "meaning"), [list(map(literal, row)) for row in legend().rows]),
        )
    )


def _named(runs: Sequence[Run]) -> list[tuple[str, Run]]:
    """The runs in a fixed order, with a name for each system: two may share retriever and generator."""
    ordered = sorted(runs, key=lambda run: (run.language, run.system.retriever, run.system.generator, run.id))
    return [(f"S{number}", run) for number, run in enumerate(ordered, start=1)]


def _systems(named: Sequence[tuple[str, Run]]) -> str:
    lines = [
        [
            name,
            literal(run.language.upper()),
            str(run.questions),
            *(_cell(run, field) for _, field in _SYSTEM),
        ]
        for name, run in named
    ]
    return table(("system", "language", "questions", *(heading for heading, _ in _SYSTEM)), lines)


def _cell(run: Run, field: str) -> str:
    value = getattr(run.system, field)
    return "-" if value is None or value == "" else literal(str(value))


def _scores(
    named: Sequence[tuple[str, Run]], of_runs: Callable[[Sequence[Run]], ScoreTable], numbers_from: int
) -> str:
    headings = of_runs([]).columns
    return table(headings, [_row(name, of_runs([run]).rows[0]) for name, run in named], numbers_from)


def _intervals(named: Sequence[tuple[str, Run]]) -> list[str]:
    from claimrag.tasks.evaluate.table import interval_table

    rows = [
        _row(name, row)
        for name, run in named
        for score, row in zip(run.scores, interval_table([run]).rows, strict=True)
        if score.scored >= FEWEST
    ]
    total = sum(len(run.scores) for _, run in named)
    if not rows:
        return [f"No mean stands on {FEWEST} questions or more, so no interval is given."]
    sentence = (
        f"Intervals (95 %, bootstrap over questions) are given for means of {FEWEST} questions or more: {len(rows)} of "
        f"the {total} means."
    )
    return [sentence, table(interval_table([]).columns, rows, 3)]


def _row(name: str, cells: Sequence[str]) -> list[str]:
    return [f"{name} {literal(cells[0])}", *map(literal, cells[1:])]
