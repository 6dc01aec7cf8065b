"""ValidationReport: what was expected of every table, what held, and which rows failed, by id.

A report is a value: it holds no time and no path, so the same tables give the same report.
"""

from __future__ import annotations

from enum import StrEnum

from claimrag.schemas.base import Noun
from claimrag.schemas.rejected import StageCounts


class Severity(StrEnum):
    """A failed critical expectation stops the build; a failed warning is only reported."""

    CRITICAL = "critical"
    WARNING = "warning"


class Verdict(StrEnum):
    """`not_evaluated`: a table that the expectation compares with was not given."""

    HELD = "held"
    FAILED = "failed"
    NOT_EVALUATED = "not_evaluated"


class ExpectationResult(Noun):
    """One expectation on one table.

    `evaluated` counts the rows it applies to, `failing` those that break it; `failing_ids` names the first
    of them, in the order in which they were judged. `observed` says what was found where no row can be named, and
    for how many rows the expectation was not evaluated.
    """

    code: str
    description: str
    severity: Severity
    verdict: Verdict
    evaluated: int
    failing: int
    failing_ids: tuple[str, ...] = ()
    observed: str | None = None


class TableReport(Noun):
    """Every expectation on one table, in a fixed order."""

    table: str
    noun: str
    rows: int
    counts: StageCounts | None = None
    expectations: tuple[ExpectationResult, ...]

    def with_verdict(self, verdict: Verdict, severity: Severity | None = None) -> list[ExpectationResult]:
        """The expectations with this verdict, and this severity when one is given."""
        return [
            result
            for result in self.expectations
            if result.verdict is verdict and (severity is None or result.severity is severity)
        ]


class ValidationReport(Noun):
    """A validation, table by table."""

    tables: tuple[TableReport, ...]

    def failed(self, severity: Severity) -> list[tuple[str, ExpectationResult]]:
        """The failed expectations of one severity, each with the name of its table."""
        return [
            (table.table, result)
            for table in self.tables
            for result in table.with_verdict(Verdict.FAILED, severity)
        ]

    @property
    def passed(self) -> bool:
        """Whether no critical expectation failed; warnings do not count."""
        return not self.failed(Severity.CRITICAL)
