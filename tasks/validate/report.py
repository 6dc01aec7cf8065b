"""Reports of a validation: one HTML file that opens without a network, and Markdown for a Prefect artifact.

Ids and observed values come from laws and models: HTML is autoescaped, Markdown is escaped, and neither
is ever used as a template.
"""

from __future__ import annotations

from pathlib import Path

import jinja2

from claimrag.schemas.validation import ExpectationResult, Severity, TableReport, ValidationReport, Verdict
from claimrag.tasks.validate.markdown import literal, table

_TEMPLATE = Path(__file__).with_name("report.html.j2")
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
    headings = ["table", "rows", "considered", "rejected", *(v.value.replace("_", " ") for v in Verdict)]
    parts = [f"**{_sentence(report)}**", table(headings, map(_table_cells, report.tables), numbers_from=1)]
    failures = _failures(report)
    if failures:
        headings = ["table", "severity", "expectation", "failing", "first rows"]
        parts.append(table(headings, [_failure_cells(name, result) for name, result in failures]))
    return "\n\n".join(parts) + "\n"


def _sentence(report: ValidationReport) -> str:
    critical = len(report.failed(Severity.CRITICAL))
    warnings = len(report.failed(Severity.WARNING))
    expectations = sum(len(table.expectations) for table in report.tables)
    rows = sum(table.rows for table in report.tables)
    outcome = "Passed" if report.passed else "Failed"
    return (
        f"{outcome}: {_counted(critical, 'critical failure')} and {_counted(warnings, 'warning')} among "
        f"{_counted(expectations, 'expectation')} on {_counted(rows, 'row')} of "
        f"{_counted(len(report.tables), 'table')}"
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _failures(report: ValidationReport) -> list[tuple[str, ExpectationResult]]:
    return report.failed(Severity.CRITICAL) + report.failed(Severity.WARNING)


def _table_cells(report: TableReport) -> list[object]:
    counts = report.counts
    stage = [counts.considered, sum(counts.rejected.values())] if counts else ["", ""]
    return [
        literal(report.table),
        report.rows,
        *stage,
        *(len(report.with_verdict(verdict)) for verdict in Verdict),
    ]


def _failure_cells(name: str, result: ExpectationResult) -> list[object]:
    shown = ", ".join(result.failing_ids[:_SHOWN_IDS]) or result.observed or ""
    more = ", ..." if len(result.failing_ids) > _SHOWN_IDS else ""
    return [
        literal(name),
        result.severity.value,
        literal(result.description),
        f"{result.failing} of {result.evaluated}",
        literal(shown) + more,
    ]
