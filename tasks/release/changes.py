"""Changes: the rows of a release compared with those of the previous one, by id and by content.

The previous release is read back from its Parquet files, so that a column that is gone or has another type
is noticed even though today's schema no longer knows it.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from claimrag.schemas.arrow import arrow_schema, to_table
from claimrag.schemas.base import Noun
from claimrag.schemas.errors import StoreError
from claimrag.tasks.release.content import Rows
from claimrag.tasks.release.front_matter import data_path
from claimrag.tasks.release.rows import CONFIGURATIONS, ClaimRow, ContextUnitRow, CorpusRow, QaRow
from claimrag.tasks.release.version import Changes, ConfigurationChanges

_KEYS: dict[type[Noun], tuple[str, ...]] = {
    QaRow: ("id",),
    ClaimRow: ("id",),
    CorpusRow: ("unit_id",),
    ContextUnitRow: ("act_id", "id"),
}


def changes_since(read: Callable[[str], bytes | None], rows: Rows) -> Changes:
    """Compare `rows` with the previous release; `read` gives a file of it by its path, or None."""
    configurations, new_columns, breaking = {}, [], []
    for name, model in CONFIGURATIONS.items():
        raw = read(data_path(name))
        if raw is None:
            configurations[name] = ConfigurationChanges(added=len(rows[name]))
            continue
        before, after = _table(raw, name), to_table(model, rows[name])
        new, broken = _column_changes(name, before.schema, arrow_schema(model))
        new_columns += new
        breaking += broken
        configurations[name] = _row_changes(model, before, after)
    return Changes(configurations=configurations, new_columns=tuple(new_columns), breaking=tuple(breaking))


def _table(raw: bytes, name: str) -> pa.Table:
    try:
        return pq.read_table(io.BytesIO(raw))
    except (pa.ArrowInvalid, OSError) as error:
        raise StoreError(f"the previous release's {name} is not readable Parquet: {error}") from error


def _column_changes(name: str, before: pa.Schema, after: pa.Schema) -> tuple[list[str], list[str]]:
    new = [f"{name}.{column}" for column in after.names if column not in before.names]
    breaking = []
    for column in before.names:
        if column not in after.names:
            breaking.append(f"column {name}.{column} is gone")
        elif before.field(column).type != after.field(column).type:
            breaking.append(
                f"column {name}.{column} was {before.field(column).type}, is {after.field(column).type}"
            )
    return new, breaking


def _row_changes(model: type[Noun], before: pa.Table, after: pa.Table) -> ConfigurationChanges:
    shared = [column for column in after.column_names if column in before.column_names]
    key = _KEYS[model]
    if not set(key) <= set(shared):
        return ConfigurationChanges(added=after.num_rows, removed=before.num_rows)
    old, new = _by_key(before.select(shared), key), _by_key(after.select(shared), key)
    return ConfigurationChanges(
        added=len(new.keys() - old.keys()),
        removed=len(old.keys() - new.keys()),
        changed=sum(old[name] != new[name] for name in old.keys() & new.keys()),
    )


def _by_key(table: pa.Table, key: tuple[str, ...]) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {tuple(row[name] for name in key): row for row in table.to_pylist()}
