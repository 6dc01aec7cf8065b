"""Frames: a table of nouns as the pandas frame that Great Expectations reads.

One column per field as it is in Python, a key that names the row, and one column per rule with True,
False, or None where the rule does not apply. A row that is not valid for its schema is judged by that
alone, since rules may assume a well-formed row.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from claimrag.schemas.base import Noun
from claimrag.tasks.validate.rule import Rule
from claimrag.tasks.validate.suites import KEY_COLUMN, VALID_COLUMN, key_fields, rule_column
from claimrag.tasks.validate.tables import Build

if TYPE_CHECKING:
    import pandas as pd


def frame_of(name: str, rules: tuple[Rule, ...], build: Build) -> pd.DataFrame:
    """The frame of the table called `name`, every column of Python objects, rows in the table's order."""
    import pandas as pd

    table, valid = build.tables[name], build.valid[name]
    columns: dict[str, list[Any]] = {
        KEY_COLUMN: [row_key(table.model, row, number) for number, row in enumerate(table.rows)],
        VALID_COLUMN: list(valid),
    }
    for field in table.model.model_fields:
        columns[field] = [_plain(getattr(row, field, None)) for row in table.rows]
    for rule in rules:
        columns[rule_column(rule)] = [
            rule.check(row, build) if well_formed else None
            for row, well_formed in zip(table.rows, valid, strict=True)
        ]
    return pd.DataFrame(columns, dtype=object)


def row_key(model: type[Noun], row: Noun, number: int) -> str:
    """How a report names the row: its key fields, or its position counted from 0."""
    values = [_plain(getattr(row, name, None)) for name in key_fields(model)]
    return " ".join(str(value) for value in values) if values else f"row {number}"


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value
