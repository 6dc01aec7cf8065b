"""Validation: every table's expectations over all groups of acts, failing rows by id.

Promises: the same tables give the same report, however they are grouped; one group is held at a time, and of the
others only what rules over all of them need (tasks/validate/seen.py). Does not stop a build: `ensure_valid` does,
on critical failures.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from claimrag.schemas.errors import ValidationFailedError
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.run import Run, ScoredAnswer
from claimrag.schemas.settings import EvaluateSettings
from claimrag.schemas.validation import ExpectationResult, Severity, ValidationReport
from claimrag.tasks.validate.book import Book
from claimrag.tasks.validate.lookup import Lookup
from claimrag.tasks.validate.seen import ChunkPlace, Seen
from claimrag.tasks.validate.tables import Group, TableInput


def validate_groups(groups: Iterable[Group], settings: EvaluateSettings | None = None) -> ValidationReport:
    """Validate tables against their schemas, their rules and each other.

    A group holds all versions of its laws with everything that is about them; runs may stand in each group, and
    count once. `settings` are those that the runs were made with, where they are at hand: intervals are then
    recomputed. Raises ValidationFailedError only when there is no table, or an expectation cannot be computed at
    all; failing rows are reported, not raised.
    """
    seen = Seen(settings)
    books: dict[str, Book] = {}
    runs: dict[str, TableInput] = {}
    for number, group in enumerate(groups, start=1):
        first = min(group.act_texts, default=f"group {number}")
        label = f"{first} and what was judged with it"
        given = Lookup(group, seen)
        for name, table in group.tables.items():
            book = books.setdefault(name, Book(name, table.model))
            if table.model is Run:
                runs[name] = _joined(runs[name], table) if name in runs else table
            else:
                book.add(label, table, given)
        _remember(given, seen)
    if not books:
        raise ValidationFailedError("there is no table to validate; run the earlier stages first")
    if runs:
        empty = {name: TableInput(book.model, ()) for name, book in books.items()}
        given = Lookup(Group(empty | runs), seen)
        for name, table in runs.items():
            books[name].add("all groups", table, given)
    return ValidationReport(tables=tuple(books[name].close(seen) for name in sorted(books)))


def ensure_valid(report: ValidationReport) -> None:
    """Raise ValidationFailedError naming the failing rows when a critical expectation failed."""
    failed = report.failed(Severity.CRITICAL)
    if not failed:
        return
    lines = [f"{table}: {result.description}: {_failure(result)}" for table, result in failed]
    raise ValidationFailedError(
        f"{len(failed)} critical expectation(s) failed; nothing is released until the rows are corrected "
        "or rejected. " + "; ".join(lines[:10])
    )


def _failure(result: ExpectationResult) -> str:
    if not result.failing_ids:
        return f"found {result.observed}"
    named = ", ".join(result.failing_ids[:5])
    return f"{result.failing} of {result.evaluated} rows ({named}{', ...' if result.failing > 5 else ''})"


def _joined(one: TableInput, other: TableInput) -> TableInput:
    """The runs of two groups: a row that both have is one row."""
    new = [row for row in other.rows if row not in one.rows]
    return replace(one, rows=[*one.rows, *new])


def _remember(group: Lookup, seen: Seen) -> None:
    for act_id in (*group.act_texts, *group.acts):
        seen.acts.setdefault(act_id, 0)
    for acts in group.occurrences.values():
        for act_id in acts.keys() & seen.acts.keys():
            seen.acts[act_id] += 1
    seen.occurrences_were_given |= group.holds(Occurrence)
    for chunk in group.chunks.values():
        seen.chunks[chunk.id] = ChunkPlace(
            chunk.act_id, chunk.chunker, chunk.start, chunk.end, chunk.tokens, chunk.unit_ids
        )
    for run in group.runs.values():
        if seen.runs.setdefault(run.id, run) is run:
            seen.run_acts[run.id] = frozenset(run.acts)
    for row in group.rows_of(ScoredAnswer):
        seen.tallies[row.run_id].add(row)
