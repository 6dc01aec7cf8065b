"""Frames: rows as the columns that Great Expectations judges.

One column per field as it is in Python, a key that names the row, and one column per rule with True, False, or None
where the rule does not apply. A row that is not valid for its schema is judged by that alone, since rules may assume
a well-formed row. Values that are only asked whether they are there (nested ones) are not kept.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from enum import Enum
from typing import Any

from claimrag.schemas.act import Act
from claimrag.schemas.base import Noun
from claimrag.schemas.question import Question
from claimrag.tasks.validate.lookup import Lookup
from claimrag.tasks.validate.rule import Later, Rule
from claimrag.tasks.validate.suites import ITEMS, KEY_COLUMN, UNIQUE, VALID, key_fields, rule_column

Columns = dict[str, list[Any]]
Left = dict[str, list[tuple[str, Any]]]
"""By rule, what is judged later: the row's key and the fact."""

_SCALARS = (str, int, float, date)
_UNIQUE_OVER_ALL = (Act, Question)
"""Every other row belongs to an act or a question of its group, so that its key is compared within the group."""


def row_columns(name: str, rules: Iterable[Rule], group: Lookup) -> tuple[Columns, Left]:
    """The columns of the table called `name`, rows in its order; `rules` are those that can be evaluated."""
    table, valid = group.tables[name], group.valid[name]
    keys = [row_key(table.model, row, number) for number, row in enumerate(table.rows)]
    columns: Columns = {KEY_COLUMN: keys, rule_column(VALID): list(valid)}
    for field in table.model.model_fields:
        columns[field] = [_plain(getattr(row, field, None)) for row in table.rows]
    if key_fields(table.model):
        columns[rule_column(UNIQUE)] = _is_new(name, keys, group)
    outcomes, left = rule_columns(keys, [*zip(table.rows, valid, strict=True)], rules, group)
    return columns | outcomes, left


def rule_columns(
    keys: Sequence[str], rows: Sequence[tuple[Any, bool]], rules: Iterable[Rule], group: Lookup
) -> tuple[Columns, Left]:
    """The outcome of every rule on every row; each row comes with whether it is valid."""
    columns: Columns = {}
    left: Left = {}
    for rule in rules:
        column: list[bool | None] = []
        for key, (row, well_formed) in zip(keys, rows, strict=True):
            outcome = rule.check(row, group) if well_formed else None
            if isinstance(outcome, Later):
                left.setdefault(rule.code, []).append((key, outcome.fact))
                outcome = None
            column.append(outcome)
        columns[rule_column(rule.code)] = column
    return columns, left


def row_key(model: type[Noun], row: Noun, number: int) -> str:
    """How a report names the row: its key fields, or its position counted from 0."""
    values = [_plain(getattr(row, name, None)) for name in key_fields(model)]
    return " ".join(str(value) for value in values) if values else f"row {number}"


def hashed(key: str) -> bytes:
    """16 bytes that stand for a key."""
    return hashlib.blake2b(key.encode(), digest_size=16).digest()


def _is_new(name: str, keys: Sequence[str], group: Lookup) -> list[bool | None]:
    """An item may have a row for each version of its law; None where no act says how many there are."""
    model, rows = group.tables[name].model, group.tables[name].rows
    if model in ITEMS and not group.acts:
        return [None] * len(keys)
    before = group.seen.keys[name]
    counted: Counter[str] = Counter()
    new: list[bool | None] = []
    for key, row in zip(keys, rows, strict=True):
        counted[key] += 1
        allowed = _versions(row, group) if model in ITEMS else 1
        new.append(counted[key] <= allowed and hashed(key) not in before)
    if model in _UNIQUE_OVER_ALL:
        before.update(map(hashed, counted))
    return new


def _versions(row: Any, group: Lookup) -> int:
    law = (getattr(row, "law_id", None), getattr(row, "language", None))
    return max(1, len(group.versions.get(law, ())))  # type: ignore[arg-type]


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    return value if value is None or isinstance(value, _SCALARS) else True
