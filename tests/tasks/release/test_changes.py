"""Rows are compared with those of the previous release by key and content, columns by name and type."""

from __future__ import annotations

import io
from contextlib import nullcontext

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimrag.schemas.arrow import to_table
from claimrag.schemas.release import ReleaseFile
from claimrag.tasks.release import make_release
from claimrag.tasks.release.changes import KEYS, Comparison, RowComparison
from claimrag.tasks.release.files import sha256_bytes
from claimrag.tasks.release.law_rows import ContextUnitRow
from claimrag.tasks.release.record import parse_record, render_record
from claimrag.tasks.release.rows import COMPARED, REQUIRED
from claimrag.tasks.release.version import ConfigurationChanges


def row(key: str, act: str = "a", text: str = "text") -> ContextUnitRow:
    return ContextUnitRow(
        id=key,
        act_id=act,
        language="en",
        version_date="2024-01-01",
        newest_version=True,
        strategy="article",
        order=1,
        heading="h",
        unit_ids=("u",),
        start=0,
        end=4,
        tokens=1,
        text=text,
        sentences=({"number": 1, "start": 0, "end": 4, "unit_id": "u"},),
    )


def parquet(table: pa.Table) -> io.BytesIO:
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    buffer.seek(0)
    return buffer


def compared(before, after):
    """`before` is a table or rows."""
    table = before if isinstance(before, pa.Table) else to_table(ContextUnitRow, before)
    comparison = RowComparison("context_units", parquet(table))
    for each in after:
        comparison.add([each])
    return comparison


def test_a_row_is_known_by_its_key_and_compared_by_its_content():
    before = [row("same"), row("gone"), row("new text"), row("same", act="b")]
    after = [row("same", act="c"), row("new text", text="other"), row("same"), row("same", act="b")]
    found = compared(before, after)
    assert found.result() == ConfigurationChanges(added=1, removed=1, changed=1)
    assert (found.new_columns, found.breaking) == ([], [])


@given(
    st.dictionaries(st.integers(0, 8), st.integers(0, 2)),
    st.dictionaries(st.integers(0, 8), st.integers(0, 2)),
)
def test_every_row_is_added_removed_changed_or_the_same(before, after):
    rows = [[row(str(key), text=str(text)) for key, text in each.items()] for each in (before, after)]
    assert compared(*rows).result() == ConfigurationChanges(
        added=len(after.keys() - before.keys()),
        removed=len(before.keys() - after.keys()),
        changed=sum(before[key] != after[key] for key in before.keys() & after.keys()),
    )


def test_more_rows_than_are_read_at_once_are_compared():
    rows = [row(str(number)) for number in range(1_200)]
    assert compared(rows, rows[:-1]).result() == ConfigurationChanges(removed=1)


def test_columns_that_came_went_or_have_another_type_are_named():
    table = to_table(ContextUnitRow, [row("a"), row("b")])
    orders = table.set_column(table.column_names.index("order"), "order", [["1", "2"]])
    found = compared(orders.append_column("old", [["x", "x"]]).drop_columns(["tokens"]), [row("a"), row("b")])
    assert found.new_columns == ["context_units.tokens"]
    assert found.breaking == [
        "column context_units.order was string, is int64",
        "column context_units.old is gone",
    ]
    assert found.result() == ConfigurationChanges(changed=2)


def test_without_the_columns_of_its_key_every_row_is_new():
    table = to_table(ContextUnitRow, [row("a"), row("b")])
    found = compared(table.rename_columns(["key", *table.column_names[1:]]), [row("a"), row("b"), row("c")])
    assert found.result() == ConfigurationChanges(added=3, removed=2)
    assert found.new_columns == ["context_units.id"]


def test_a_configuration_that_the_previous_release_lacks_is_all_new():
    comparison = Comparison(lambda path: None)
    comparison.add("context_units", [row("a"), row("b")])
    comparison.add("context_units", [row("c")])
    found = comparison.result()
    assert set(found.configurations) == set(REQUIRED)
    assert found.configurations["context_units"] == ConfigurationChanges(added=3)
    assert found.configurations["qa"] == ConfigurationChanges()
    assert (found.new_columns, found.breaking, found.any_row) == ((), (), True)


def test_each_configuration_is_compared_with_its_own_file():
    def opened(path):
        name = path.split("/")[1]
        assert path == f"data/{name}/test.parquet"
        rows = [row("a")] if name == "context_units" else []
        table = to_table(COMPARED[name], rows)
        return nullcontext(
            parquet(table.append_column(f"old_{name}", pa.array(["x"] * len(rows), pa.string())))
        )

    comparison = Comparison(opened)
    comparison.add("context_units", [row("a")])
    found = comparison.result()
    assert not found.any_row
    assert found.breaking == tuple(f"column {name}.old_{name} is gone" for name in COMPARED)


def test_every_configuration_has_a_key_among_its_columns():
    assert KEYS.keys() == set(COMPARED.values())
    for model, key in KEYS.items():
        assert set(key) <= model.model_fields.keys()


@pytest.fixture
def with_other_columns(made_up_build, source_of, tmp_path):
    """A release 1.0.0 in which `hop` is a number, `old` is a column, and `seed` is none; its record fits it."""
    make_release(tmp_path, source_of(made_up_build), version="1.0.0")
    folder = tmp_path / "1.0.0"
    path = folder / "data/qa/test.parquet"
    table = pq.read_table(path)
    retyped = table.set_column(table.column_names.index("hop"), "hop", [[1] * table.num_rows])
    pq.write_table(retyped.append_column("old", [["x"] * table.num_rows]).drop_columns(["seed"]), path)
    release = parse_record((folder / "release.json").read_bytes())
    data = path.read_bytes()
    new = ReleaseFile(path="data/qa/test.parquet", sha256=sha256_bytes(data), bytes=len(data))
    recorded = tuple(new if file.path == new.path else file for file in release.files)
    (folder / "release.json").write_bytes(render_record(release.model_copy(update={"files": recorded})))
    return tmp_path


def test_a_column_that_is_gone_is_a_breaking_change(with_other_columns, changed):
    result = make_release(with_other_columns, changed)
    card = (with_other_columns / "2.0.0/README.md").read_text()
    assert result.release.version == "2.0.0"
    assert "- new column qa.seed\n" in card
    assert "- column qa.old is gone\n" in card
    assert "- column qa.hop was int64, is string\n" in card
    assert "| `qa` | 0 | 0 | 18 |" in card
