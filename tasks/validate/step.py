"""Step that validates every table of a build and writes the reports: HTML, Markdown, JSON."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from claimrag.schemas.base import ActId, LawId, Noun
from claimrag.schemas.claim import Claim
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.question import Question
from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.schemas.settings import EvaluateSettings
from claimrag.schemas.validation import Severity, ValidationReport
from claimrag.tasks.claims.step import CLAIMS
from claimrag.tasks.evaluate.average_step import RUNS
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.generate.step import QUESTION_SHARDS
from claimrag.tasks.occurrences.step import OCCURRENCES, written_for
from claimrag.tasks.parse.step import TEXTS
from claimrag.tasks.run.garbage import only_short_collections
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.step import Table
from claimrag.tasks.run.tables import TABLES, Selection, select
from claimrag.tasks.run.versions import expression_of
from claimrag.tasks.store import TableRef

if TYPE_CHECKING:
    from claimrag.tasks.validate.tables import Group, TableInput

GROUP_ROWS = 20_000
"""Great Expectations takes long per batch and little per row: laws are validated some thousand rows at a time."""
_OF_ACTS = tuple(table for table in TABLES if table not in (TEXTS, QUESTION_SHARDS, RUNS))


class ValidationOutcome(Noun):
    """Where the reports are, and what they say in short."""

    passed: bool
    html_path: str
    markdown: str
    warnings: tuple[str, ...]


async def validate_acts(runtime: Runtime, act_ids: list[ActId]) -> ValidationOutcome:
    """Validate every table of these acts; raises ValidationFailedError after the reports are written."""
    from claimrag.tasks.validate.engine import ensure_valid
    from claimrag.tasks.validate.report import render_html, render_markdown

    runtime.progress.begin("validate", 1)
    report = await asyncio.to_thread(_validate, runtime, act_ids)
    workspace = runtime.workspace
    html_path = workspace.write_text(render_html(report), "reports", "validation.html")
    markdown = render_markdown(report)
    workspace.write_text(markdown, "reports", "validation.md")
    workspace.write_json(report.model_dump(mode="json"), "reports", "validation.json")
    ensure_valid(report)
    runtime.progress.advance("validate")
    warnings = tuple(
        f"{table}: {result.description} ({result.failing} rows)"
        for table, result in report.failed(Severity.WARNING)
    )
    return ValidationOutcome(passed=report.passed, html_path=html_path, markdown=markdown, warnings=warnings)


def _validate(runtime: Runtime, act_ids: list[ActId]) -> ValidationReport:
    from claimrag.tasks.validate.engine import validate_groups

    selection = select(runtime, act_ids)
    groups = (_group(runtime, selection, acts) for acts in _batches(runtime, selection))
    with only_short_collections():
        return validate_groups(groups, _settings_of_runs(runtime, selection))


def _settings_of_runs(runtime: Runtime, selection: Selection) -> EvaluateSettings | None:
    """Today's settings where all runs were averaged with them, so that their intervals can be computed again."""
    settings = runtime.settings.evaluate
    today = {"evaluate.bootstrap": settings.bootstrap, "evaluate.seed": settings.seed}
    for run in selection.runs:
        record = runtime.workspace.record(RUNS.of(run.id))
        if record is None or record.made_from.get("settings") != today:
            return None
    return settings


def _batches(runtime: Runtime, selection: Selection) -> Iterator[list[ActId]]:
    """All versions of a law together, several laws while they are small: what refers to each other is in one batch."""
    laws: dict[tuple[LawId, str], list[ActId]] = defaultdict(list)
    for act_id in selection.acts:
        laws[expression_of(act_id)].append(act_id)
    batch: list[ActId] = []
    rows = 0
    for acts in laws.values():
        more = sum(_rows_of(runtime, selection, act_id) for act_id in acts)
        if batch and rows + more > GROUP_ROWS:
            yield batch
            batch, rows = [], 0
        batch += acts
        rows += more
    if batch:
        yield batch


def _rows_of(runtime: Runtime, selection: Selection, act_id: ActId) -> int:
    refs = [ref for table in _OF_ACTS for ref in selection.refs_of_act(table, act_id)]
    records = [runtime.workspace.record(ref) for ref in refs]
    return sum(record.counts.kept for record in records if record is not None)


def _group(runtime: Runtime, selection: Selection, acts: list[ActId]) -> Group:
    from claimrag.tasks.validate.tables import Group

    tables: dict[str, TableInput] = {}
    for table in _OF_ACTS:
        refs = [ref for act_id in acts for ref in selection.refs_of_act(table, act_id)]
        if (given := _input(runtime, table, refs)) is not None:
            tables[table.stage] = given
    tables |= _items_of_other_versions(runtime, acts, tables)
    if selection.runs:
        given = _input(runtime, RUNS, [RUNS.of(run.id) for run in selection.runs])
        if given is not None:
            tables[RUNS.stage] = given
    texts = {act_id: runtime.workspace.read_table(TEXTS.of(act_id), TEXTS.noun)[0].text for act_id in acts}
    return Group(tables, texts)


def _items_of_other_versions(
    runtime: Runtime, acts: list[ActId], tables: Mapping[str, TableInput]
) -> dict[str, TableInput]:
    """Questions that were written for a version outside these acts and hold in one of them, and their claims.

    They are given for what refers to them; what their stages counted is the other version's.
    """
    from claimrag.tasks.validate.tables import TableInput

    occurrences = tables[OCCURRENCES.stage].rows if OCCURRENCES.stage in tables else ()
    missing = {row.question_id for row in occurrences if isinstance(row, Occurrence)}
    if QUESTIONS.stage in tables:
        missing -= {row.id for row in tables[QUESTIONS.stage].rows if isinstance(row, Question)}
    questions: dict[str, Noun] = {}
    claims: dict[str, Noun] = {}
    without: list[Rejected] = []
    for act_id in acts if missing else ():
        for ref in written_for(runtime, act_id, QUESTIONS):
            rows = runtime.workspace.read_table(ref, Question)
            questions.update((row.id, row) for row in rows if row.id in missing)
        for ref in written_for(runtime, act_id, CLAIMS):
            found = runtime.workspace.read_table(ref, Claim)
            claims.update((row.id, row) for row in found if row.question_id in missing)
            without += [row for row in runtime.workspace.read_rejected(ref) if row.item in missing]
    given = {
        "questions_of_other_versions": TableInput(Question, list(questions.values())),
        "claims_of_other_versions": TableInput(Claim, list(claims.values()), rejected=without),
    }
    return {name: table for name, table in given.items() if table.rows or table.rejected}


def _input(runtime: Runtime, table: Table[Any], refs: Iterable[TableRef]) -> TableInput | None:
    """The rows of several tables of one kind, with what was rejected; None where there is none of them."""
    from claimrag.tasks.validate.tables import TableInput

    rows: list[Noun] = []
    rejected: list[Rejected] = []
    counts: StageCounts | None = None
    for ref in refs:
        if not runtime.workspace.has_table(ref):
            continue
        rows.extend(runtime.workspace.read_table(ref, table.noun))
        rejected.extend(runtime.workspace.read_rejected(ref))
        one = runtime.workspace.read_counts(ref)
        counts = one if counts is None else counts + one
    return None if counts is None else TableInput(table.noun, rows, counts, rejected)
