"""Reports of a validation: one HTML file that opens without a network, and Markdown for a Prefect artifact.

Ids and observed values come from laws and models: HTML is autoescaped, Markdown is escaped, and neither
is ever used as a template.
"""

from __future__ import annotations

import re
from pathlib import Path

import jinja2

from schemas.validation import ExpectationResult, Severity, ValidationReport, Verdict

_TEMPLATE = Path(__file__).with_name("report.html.j2")
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~>-])")
_SHOWN_IDS = 5


def render_html(report: ValidationReport) -> str:
    """A self-contained page: styles inline, no script, no address outside the page."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        report=report,
        verdict=_sentence(report),
        failures=_failures(report),
        Verdict=Verdict,
    )


def render_markdown(report: ValidationReport) -> str:
    """A summary: the verdict, a line per table, and every failed expectation with its first rows."""
    lines = [f"**{_sentence(report)}**", "", *_table_lines(report)]
    failures = _failures(report)
    if failures:
        lines += ["", "| table | severity | expectation | failing | first rows |", "|---|---|---|---|---|"]
        lines += [_failure_line(table, result) for table, result in failures]
    return "\n".join(lines) + "\n"


def _sentence(report: ValidationReport) -> str:
    critical = len(report.failed(Severity.CRITICAL))
    warnings = len(report.failed(Severity.WARNING))
    expectations = sum(len(table.expectations) for table in report.tables)
    rows = sum(table.rows for table in report.tables)
    outcome = "Passed" if report.passed else "Failed"
    return (
        f"{outcome}: {expectations} expectations on {rows} rows of {len(report.tables)} tables, "
        f"{critical} critical failure(s), {warnings} warning(s)"
    )


def _failures(report: ValidationReport) -> list[tuple[str, ExpectationResult]]:
    return report.failed(Severity.CRITICAL) + report.failed(Severity.WARNING)


def _table_lines(report: ValidationReport) -> list[str]:
    lines = [
        "| table | rows | considered | rejected | held | failed | not evaluated |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for table in report.tables:
        counts = table.counts
        considered = counts.considered if counts else ""
        rejected = sum(counts.rejected.values()) if counts else ""
        verdicts = " | ".join(str(len(table.with_verdict(verdict))) for verdict in Verdict)
        lines.append(f"| {_cell(table.table)} | {table.rows} | {considered} | {rejected} | {verdicts} |")
    return lines


def _failure_line(table: str, result: ExpectationResult) -> str:
    shown = ", ".join(result.failing_ids[:_SHOWN_IDS]) or result.observed or ""
    more = ", ..." if len(result.failing_ids) > _SHOWN_IDS else ""
    return (
        f"| {_cell(table)} | {result.severity.value} | {_cell(result.description)} "
        f"| {result.failing} of {result.evaluated} | {_cell(shown)}{more} |"
    )


def _cell(text: str) -> str:
    """`text` as literal Markdown inside one table cell."""
    flat = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return _SPECIAL.sub(r"\\\1", flat)
