"""Book: what validation found out about one table, group after group, until it becomes a TableReport.

Rows are collected as columns and judged some thousand at a time, whatever the size of the groups.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from claimrag.schemas.base import Noun
from claimrag.schemas.rejected import StageCounts
from claimrag.schemas.validation import ExpectationResult, TableReport, Verdict
from claimrag.tasks.validate.frames import Columns, Left, row_columns, rule_columns
from claimrag.tasks.validate.judge import MAX_FAILING_IDS, Judged, judge
from claimrag.tasks.validate.lookup import Lookup
from claimrag.tasks.validate.rule import Rule
from claimrag.tasks.validate.seen import Seen
from claimrag.tasks.validate.stage_rules import COUNT_RULES, REJECTED_RULES, RejectedOf
from claimrag.tasks.validate.suites import KEY_COLUMN, RULES, Expected, expect_true, expected_of, rule_column
from claimrag.tasks.validate.tables import TableInput

FRAME_ROWS = 20_000
"""Rows that are judged together: enough that the cost of an expectation is small beside that of its rows."""
HAS_ROWS = Rule("has_rows", "The table has at least one row", lambda *_: None)
"""Judged once, over all groups."""


@dataclass
class _Pending:
    """Columns that wait to be judged against one list of expectations."""

    expected: Sequence[Expected]
    columns: Columns = field(default_factory=dict)

    def add(self, columns: Columns) -> None:
        for name in dict.fromkeys(str(each.arguments["column"]) for each in self.expected):
            missing = [None] * len(columns[KEY_COLUMN])
            self.columns.setdefault(name, []).extend(columns.get(name, missing))
        self.columns.setdefault(KEY_COLUMN, []).extend(columns[KEY_COLUMN])

    def __len__(self) -> int:
        return len(self.columns.get(KEY_COLUMN, ()))


@dataclass
class _Tally:
    evaluated: int = 0
    failing: int = 0
    failing_ids: list[str] = field(default_factory=list)

    def add(self, judged: Judged) -> None:
        self.evaluated += judged.evaluated
        self.failing += judged.failing
        room = MAX_FAILING_IDS - len(self.failing_ids)
        self.failing_ids += [one for one in judged.failing_ids if one not in self.failing_ids][:room]


class Book:
    """One table over all groups. `add` group after group, then `close`."""

    def __init__(self, name: str, model: type[Noun]) -> None:
        self._name, self.model = name, model
        self._rules = RULES.get(model, ())
        self._rows = 0
        self._counts: StageCounts | None = None
        self._late = [rule for rule in self._rules if rule.late_check is not None]
        stage = _expectations((HAS_ROWS, *COUNT_RULES))
        rejected = _expectations(REJECTED_RULES)
        self._of_rows = _Pending(expected_of(model))
        self._of_stage = _Pending([*stage, *rejected, *_expectations(self._late)])
        self._listed = [*stage, *self._of_rows.expected, *rejected]
        self._left: Left = defaultdict(list)
        self._tallies: defaultdict[str, _Tally] = defaultdict(_Tally)
        self._not_evaluated: Counter[str] = Counter()
        self._missing: dict[str, str] = {}

    def add(self, label: str, table: TableInput, group: Lookup) -> None:
        """Take a group's rows of this table in; `label` names the group where its counts are wrong."""
        self._rows += len(table.rows)
        if table.counts is not None:
            self._counts = table.counts if self._counts is None else self._counts + table.counts
        ready = [rule for rule in self._rules if self._can_be_evaluated(rule, table, group)]
        columns, left = row_columns(self._name, ready, group)
        for code, facts in left.items():
            self._left[code].extend(facts)
        self._take(self._of_rows, columns)
        self._take(self._of_stage, _columns([label], [table], COUNT_RULES, group))
        rejected = [RejectedOf(self.model, row) for row in table.rejected or ()]
        names = [f"{one.row.item} ({one.row.reason})" for one in rejected]
        self._take(self._of_stage, _columns(names, rejected, REJECTED_RULES, group))

    def _can_be_evaluated(self, rule: Rule, table: TableInput, group: Lookup) -> bool:
        missing = [needed.__name__ for needed in rule.needs if not group.holds(needed)]
        if missing:
            self._not_evaluated[rule.code] += len(table.rows)
            self._missing[rule.code] = ", ".join(missing)
        return not missing

    def _take(self, pending: _Pending, columns: Columns) -> None:
        pending.add(columns)
        if len(pending) >= FRAME_ROWS:
            self._judge(pending)

    def _judge(self, pending: _Pending) -> None:
        if not len(pending):
            return
        for code, judged in judge(self._name, pending.columns, pending.expected).items():
            self._tallies[code].add(judged)
        pending.columns = {}

    def close(self, seen: Seen) -> TableReport:
        """Judge what is left, and report."""
        for rule in self._late:
            self._take_late(rule, seen)
        column = rule_column(HAS_ROWS.code)
        self._take(self._of_stage, {KEY_COLUMN: [self._name], column: [self._rows > 0]})
        self._judge(self._of_rows)
        self._judge(self._of_stage)
        return TableReport(
            table=self._name,
            noun=self.model.__name__,
            rows=self._rows,
            counts=self._counts,
            expectations=tuple(self._result(one) for one in self._listed),
        )

    def _take_late(self, rule: Rule, seen: Seen) -> None:
        facts = self._left.pop(rule.code, [])
        for start in range(0, len(facts), FRAME_ROWS):
            some = facts[start : start + FRAME_ROWS]
            outcomes = [rule.late_check(fact, seen) if rule.late_check else None for _, fact in some]
            keys = [key for key, _ in some]
            self._take(self._of_stage, {KEY_COLUMN: keys, rule_column(rule.code): outcomes})

    def _result(self, expected: Expected) -> ExpectationResult:
        tally, left_out = self._tallies[expected.code], self._not_evaluated[expected.code]
        verdict = Verdict.FAILED if tally.failing else Verdict.HELD
        observed = f"{self._rows} rows" if expected.code == HAS_ROWS.code else None
        if left_out:
            observed = f"no table of {self._missing[expected.code]} was given for {left_out} rows"
            verdict = Verdict.NOT_EVALUATED if left_out == self._rows else verdict
        return ExpectationResult(
            code=expected.code,
            description=expected.description,
            severity=expected.severity,
            verdict=verdict,
            evaluated=tally.evaluated,
            failing=tally.failing,
            failing_ids=() if expected.code == HAS_ROWS.code else tuple(tally.failing_ids),
            observed=observed,
        )


def _expectations(rules: Sequence[Rule]) -> list[Expected]:
    return [expect_true(rule.code, rule.description, rule.severity) for rule in rules]


def _columns(keys: Sequence[str], rows: Sequence[Any], rules: Sequence[Rule], group: Lookup) -> Columns:
    outcomes, _ = rule_columns(keys, [(row, True) for row in rows], rules, group)
    return {KEY_COLUMN: list(keys), **outcomes}
