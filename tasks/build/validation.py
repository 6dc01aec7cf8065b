"""Step that validates every table of a build and writes the reports: HTML, Markdown, JSON."""

from __future__ import annotations

import asyncio

from claimrag.schemas import Act, Chunk, Claim, ContextUnit, Question, Retrieval, Run, ScoredAnswer, Unit
from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.text import ActText
from claimrag.schemas.validation import Severity, ValidationReport
from claimrag.tasks.build.runtime import Runtime
from claimrag.tasks.build.tables import stage_counts, stage_rows
from claimrag.tasks.validate import TableInput, ensure_valid, render_html, render_markdown, validate_tables

VALIDATED: dict[str, type[Noun]] = {
    "acts": Act,
    "units": Unit,
    "context_units": ContextUnit,
    "questions": Question,
    "claims": Claim,
    "chunks": Chunk,
    "retrievals": Retrieval,
    "scored_answers": ScoredAnswer,
    "runs": Run,
}


class ValidationOutcome(Noun):
    """Where the reports are, and what they say in short."""

    passed: bool
    html_path: str
    markdown: str
    warnings: tuple[str, ...]


async def validate_build(runtime: Runtime, act_ids: list[ActId]) -> ValidationOutcome:
    """Validate every table of these acts; raises ValidationFailedError after the reports are written."""
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
    tables: dict[str, TableInput] = {}
    for stage, model in VALIDATED.items():
        counts = stage_counts(runtime, stage, act_ids)
        if counts is not None:
            tables[stage] = TableInput(model, stage_rows(runtime, stage, model, act_ids), counts)
    texts = {row.act_id: row.text for row in stage_rows(runtime, "texts", ActText, act_ids)}
    return validate_tables(tables, texts)
