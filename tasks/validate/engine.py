"""Validation: run every table's expectations with Great Expectations and report failing rows by id.

Promises: the same tables give the same report; nothing is written, sent or drawn (an ephemeral context,
progress bars off, analytics off). Does not stop a build: `ensure_valid` does, on critical failures.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from claimrag.schemas.base import ActId
from claimrag.schemas.errors import ValidationFailedError
from claimrag.schemas.validation import ExpectationResult, Severity, TableReport, ValidationReport, Verdict
from claimrag.tasks.validate.frames import frame_of
from claimrag.tasks.validate.rule import Rule
from claimrag.tasks.validate.suites import KEY_COLUMN, RULES, Expected, expected_of, great_expectations
from claimrag.tasks.validate.tables import Build, TableInput

MAX_FAILING_IDS = 50
"""How many failing rows a report names per expectation; it always counts all of them."""
_COMPLETE = {"result_format": "COMPLETE", "unexpected_index_column_names": [KEY_COLUMN]}


def validate_tables(tables: Mapping[str, TableInput], act_texts: Mapping[ActId, str]) -> ValidationReport:
    """Validate the tables of one build against their schemas, their rules and each other.

    `act_texts` holds the canonical text of every act, by act id. Raises ValidationFailedError only when there
    is no table, or an expectation cannot be computed at all; failing rows are reported, not raised.
    """
    if not tables:
        raise ValidationFailedError("there is no table to validate; run the earlier stages first")
    build = Build(tables, act_texts)
    validator = _Validator()
    return ValidationReport(
        tables=tuple(_report_of(name, tables[name], build, validator) for name in sorted(tables))
    )


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


def _report_of(name: str, table: TableInput, build: Build, validator: _Validator) -> TableReport:
    rules = RULES.get(table.model, ())
    ready = tuple(rule for rule in rules if all(build.holds(needed) for needed in rule.needs))
    results = [_counts_add_up(table)] if table.counts is not None else []
    expected = expected_of(table.model, ready, table.counts.kept if table.counts else None)
    results += validator.run(name, frame_of(name, ready, build), expected)
    results += [_not_evaluated(rule, build) for rule in rules if rule not in ready]
    return TableReport(
        table=name,
        noun=table.model.__name__,
        rows=len(table.rows),
        counts=table.counts,
        expectations=tuple(results),
    )


def _counts_add_up(table: TableInput) -> ExpectationResult:
    counts = table.counts
    if counts is None:
        raise ValueError("the table has no counts")
    rejected = sum(counts.rejected.values())
    held = counts.considered == counts.kept + rejected and min(counts.kept, rejected) >= 0
    return ExpectationResult(
        code="counts_add_up",
        description="Rows considered = rows kept + rows rejected",
        severity=Severity.CRITICAL,
        verdict=Verdict.HELD if held else Verdict.FAILED,
        evaluated=1,
        failing=0 if held else 1,
        observed=f"{counts.considered} considered, {counts.kept} kept, {rejected} rejected",
    )


def _not_evaluated(rule: Rule, build: Build) -> ExpectationResult:
    missing = ", ".join(needed.__name__ for needed in rule.needs if not build.holds(needed))
    return ExpectationResult(
        code=rule.code,
        description=rule.description,
        severity=rule.severity,
        verdict=Verdict.NOT_EVALUATED,
        evaluated=0,
        failing=0,
        observed=f"no table of {missing} was given",
    )


class _Validator:
    """One ephemeral Great Expectations context."""

    def __init__(self) -> None:
        os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
        self._gx, self._gxe = great_expectations()
        from great_expectations.data_context.types.base import ProgressBarsConfig

        context = self._gx.get_context(mode="ephemeral")
        context.variables.progress_bars = ProgressBarsConfig(globally=False)
        self._source = context.data_sources.add_pandas("claimrag")

    def run(self, name: str, frame: Any, expected: list[Expected]) -> list[ExpectationResult]:
        """Results in the order of `expected`.

        A first pass asks only whether each expectation holds; the second, several times as slow, asks for
        the failing rows of those that do not.
        """
        asset = self._source.add_dataframe_asset(name)
        batch = asset.add_batch_definition_whole_dataframe("all").get_batch({"dataframe": frame})
        held = self._outcomes(batch, name, expected, {"result_format": "BOOLEAN_ONLY"})
        broken = [each for each in expected if not held[each.code].success]
        details = self._outcomes(batch, name, broken, _COMPLETE) if broken else {}
        return [_result(each, frame, details.get(each.code)) for each in expected]

    def _outcomes(
        self, batch: Any, name: str, expected: list[Expected], result_format: Mapping[str, Any]
    ) -> dict[str, Any]:
        suite = self._gx.ExpectationSuite(name=name, expectations=[self._expectation(e) for e in expected])
        found = batch.validate(suite, result_format=dict(result_format)).results
        outcomes = {outcome.expectation_config.meta["code"]: outcome for outcome in found}
        for code, outcome in outcomes.items():
            failure = _exception(outcome.exception_info)
            if failure is not None:
                raise ValidationFailedError(
                    f"expectation {code} on table {name} cannot be computed: {failure}"
                )
        return outcomes

    def _expectation(self, expected: Expected) -> Any:
        return getattr(self._gxe, expected.expectation)(
            **expected.arguments,
            description=expected.description,
            severity=expected.severity.value,
            meta={"code": expected.code},
        )


def _result(expected: Expected, frame: Any, broken: Any | None) -> ExpectationResult:
    """The result of one expectation; `broken` is the library's detailed outcome when it does not hold."""
    column = expected.arguments.get("column")
    found: Mapping[str, Any] = {} if broken is None else broken.result
    failing = 0 if broken is None else int(found.get("unexpected_count") or 1)
    return ExpectationResult(
        code=expected.code,
        description=expected.description,
        severity=expected.severity,
        verdict=Verdict.HELD if broken is None else Verdict.FAILED,
        evaluated=1 if column is None else _judged(frame[column], expected),
        failing=failing,
        failing_ids=_failing_ids(found.get("unexpected_index_list") or ()),
        observed=f"{len(frame)} rows" if column is None else None,
    )


def _judged(column: Any, expected: Expected) -> int:
    """How many rows the expectation judges: all for a required value, else those that have one."""
    return len(column) if expected.code.endswith(".not_null") else int(column.notna().sum())


def _failing_ids(rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    named = dict.fromkeys(str(row[KEY_COLUMN]) for row in rows)
    return tuple(islice(named, MAX_FAILING_IDS))


def _exception(info: Mapping[str, Any]) -> str | None:
    """The message of a raised exception; the library gives one record, or one per metric."""
    records = [info] if "raised_exception" in info else list(info.values())
    for record in records:
        if record.get("raised_exception"):
            return str(record.get("exception_message"))
    return None
