"""The reports say what failed, open without a network, and never run what a law or a model wrote."""

from __future__ import annotations

import html
import re

import pytest

from claimrag.schemas.rejected import StageCounts
from claimrag.schemas.validation import ExpectationResult, Severity, TableReport, ValidationReport, Verdict
from claimrag.tasks.validate.report import render_html, render_markdown

HOSTILE = '<script>alert("1")</script> {{ 7 * 7 }} | [click](https://evil.example) `x`'


def result(code, verdict=Verdict.HELD, severity=Severity.CRITICAL, failing_ids=(), observed=None):
    return ExpectationResult(
        code=code,
        description=f"Expectation {code}",
        severity=severity,
        verdict=verdict,
        evaluated=9,
        failing=len(failing_ids),
        failing_ids=failing_ids,
        observed=observed,
    )


@pytest.fixture
def report():
    return ValidationReport(
        tables=(
            TableReport(
                table="questions",
                noun="Question",
                rows=9,
                counts=StageCounts(considered=12, kept=9, rejected={"malformed_reply": 2, "no_quotation": 1}),
                expectations=(
                    result("first"),
                    result("second", Verdict.FAILED, failing_ids=("q_1", HOSTILE)),
                    result("third", Verdict.FAILED, Severity.WARNING, ("q_2",)),
                    result("fourth", Verdict.NOT_EVALUATED, observed="no table of Unit was given"),
                ),
            ),
            TableReport(table="claims", noun="Claim", rows=0, expectations=(result("fifth"),)),
        )
    )


def test_the_page_reaches_for_nothing_outside_itself(report):
    page = render_html(report)
    assert not re.search(r"(?:src|href|url)\s*[=(]|@import|<script|<link|<iframe", page, re.I)
    assert "default-src 'none'" in page


def test_the_page_shows_hostile_ids_as_text(report):
    page = render_html(report)
    assert html.escape(HOSTILE, quote=True).replace("&quot;", "&#34;") in page
    assert "{{ 7 * 7 }}" in page


def test_the_page_states_verdict_counts_and_reasons(report):
    page = render_html(report)
    assert "Failed: 1 critical failure and 1 warning among 5 expectations on 9 rows of 2 tables" in page
    assert "malformed_reply&nbsp;2, no_quotation&nbsp;1" in page
    assert "no table of Unit was given" in page


def test_the_page_says_when_it_does_not_name_every_row(report):
    failed = result("second", Verdict.FAILED, failing_ids=("q_1",)).model_copy(update={"failing": 7})
    table = report.tables[0].model_copy(update={"expectations": (failed,)})
    assert "the first 1 ids of 7 failing rows" in render_html(ValidationReport(tables=(table,)))


def test_markdown_has_one_line_per_table_and_per_failure(report):
    lines = render_markdown(report).splitlines()
    assert "| questions | 9 | 12 | 3 | 1 | 2 | 1 |" in lines
    assert "| claims | 0 |  |  | 1 | 0 | 0 |" in lines
    assert "| questions | warning | Expectation third | 1 of 9 | q\\_2 |" in lines


def test_markdown_escapes_hostile_ids(report):
    line = next(line for line in render_markdown(report).splitlines() if "second" in line)
    assert "<script" not in line
    assert "[click](" not in line
    assert len(re.findall(r"(?<!\\)\|", line)) == 6


def test_a_passed_report_lists_no_failure():
    table = TableReport(table="claims", noun="Claim", rows=3, expectations=(result("first"),))
    sound = ValidationReport(tables=(table,))
    assert "severity" not in render_markdown(sound)
    assert "What failed" not in render_html(sound)
    assert (
        "Passed: 0 critical failures and 0 warnings among 1 expectation on 3 rows of 1 table"
        in render_html(sound)
    )


def test_an_expectation_that_judged_no_row_is_not_shown_as_held():
    idle = result("first").model_copy(update={"evaluated": 0})
    page = render_html(
        ValidationReport(tables=(TableReport(table="t", noun="T", rows=0, expectations=(idle,)),))
    )
    assert "no row to judge" in page
    assert '<td class="held">' not in page
