"""Nouns become Arrow tables and come back equal; the schema follows the noun, field by field."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum, StrEnum
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimrag import schemas
from claimrag.schemas.arrow import arrow_schema, from_table, read_parquet, to_table, write_parquet
from claimrag.schemas.base import ActId, Noun, Sha256
from claimrag.schemas.errors import StoreError
from claimrag.schemas.rejected import StageCounts
from claimrag.schemas.unit import Unit, UnitKind


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Level(Enum):
    LOW = 1
    HIGH = 2


class Inner(Noun):
    name: str
    note: str | None = None
    seen: datetime | None = None


class Everything(Noun):
    id: ActId
    hash: Sha256 | None
    number: int
    fraction: float | None
    flag: bool
    day: date
    moment: datetime
    colour: Colour
    level: Level
    choice: Literal["a", "b"]
    names: tuple[str, ...]
    triples: tuple[tuple[str, str, str], ...]
    inner: Inner
    inners: tuple[Inner, ...] = ()
    maybe_inner: Inner | None = None
    counts: dict[str, int]
    levels: tuple[Level, ...] = ()
    listed: list[int]


def test_every_type_has_the_documented_arrow_type():
    schema = arrow_schema(Everything)
    assert schema.names == list(Everything.model_fields)
    types = {field.name: field.type for field in schema}
    assert types["id"] == types["hash"] == types["colour"] == types["level"] == types["choice"] == pa.string()
    assert types["moment"] == pa.timestamp("us", tz="UTC")
    assert types["day"] == pa.date32()
    assert (types["number"], types["fraction"], types["flag"]) == (pa.int64(), pa.float64(), pa.bool_())
    assert types["triples"].value_type.value_type == pa.string()
    assert [field.name for field in types["counts"].value_type] == ["key", "value"]
    assert types["inner"].field("note").nullable
    assert not types["inner"].field("name").nullable
    assert {field.name for field in schema if field.nullable} == {"hash", "fraction", "maybe_inner"}
    assert not types["names"].value_field.nullable


moments = st.datetimes(
    datetime(1, 1, 3), datetime(9999, 12, 29), timezones=st.sampled_from([UTC, timezone(timedelta(hours=2))])
)
inners = st.builds(Inner, name=st.text(), note=st.none() | st.text(), seen=st.none() | moments)
rows = st.builds(
    Everything,
    id=st.text(),
    hash=st.none() | st.just("0" * 64),
    number=st.integers(-(2**63), 2**63 - 1),
    fraction=st.none() | st.floats(allow_nan=False),
    day=st.dates(),
    moment=moments,
    names=st.lists(st.text()).map(tuple),
    triples=st.lists(st.tuples(st.text(), st.text(), st.text())).map(tuple),
    inner=inners,
    inners=st.lists(inners, max_size=2).map(tuple),
    maybe_inner=st.none() | inners,
    counts=st.dictionaries(st.text(), st.integers(0, 9)),
    levels=st.lists(st.sampled_from(Level)).map(tuple),
    listed=st.lists(st.integers(0, 9)),
)


@settings(deadline=None)
@given(st.lists(rows, max_size=4))
def test_any_rows_come_back_equal_through_parquet(rows):
    buffer = io.BytesIO()
    table = to_table(Everything, rows)
    write_parquet(table, buffer)
    buffer.seek(0)
    assert read_parquet(Everything, buffer) == rows
    assert from_table(Everything, table) == rows


def test_every_noun_of_the_vocabulary_has_a_schema():
    nouns = {value for value in vars(schemas).values() if isinstance(value, type) and issubclass(value, Noun)}
    assert len(nouns) > 10
    for noun in nouns:
        assert arrow_schema(noun).names == list(noun.model_fields)


def test_equal_rows_give_equal_bytes_without_a_time():
    def written():
        counts = [StageCounts(considered=2, kept=1, rejected={"b": 1, "a": 0})]
        buffer = io.BytesIO()
        write_parquet(to_table(StageCounts, counts), buffer)
        return buffer.getvalue()

    assert written() == written()
    metadata = pq.read_metadata(io.BytesIO(written())).metadata
    assert set(metadata or {}) <= {b"ARROW:schema"}


def test_the_order_of_a_dictionary_does_not_matter():
    one = to_table(StageCounts, [StageCounts(considered=2, kept=0, rejected={"a": 1, "b": 1})])
    other = to_table(StageCounts, [StageCounts(considered=2, kept=0, rejected={"b": 1, "a": 1})])
    assert one == other


def test_no_rows_still_give_every_column():
    table = to_table(Unit, [])
    assert (table.num_rows, table.schema) == (0, arrow_schema(Unit))
    assert from_table(Unit, table) == []


def test_the_order_of_columns_does_not_matter():
    counts = [StageCounts(considered=2, kept=2, rejected={})]
    table = to_table(StageCounts, counts)
    assert from_table(StageCounts, table.select(list(reversed(table.column_names)))) == counts


def test_columns_that_are_missing_or_unknown_are_named():
    table = to_table(StageCounts, [StageCounts(considered=2, kept=2, rejected={})])
    other = table.drop_columns(["kept"]).append_column("left", [[1]])
    with pytest.raises(StoreError, match=r"missing columns \['kept'\], unknown columns \['left'\]"):
        from_table(StageCounts, other)


def test_an_invalid_value_is_named_by_row_and_field():
    unit = Unit(id="a#1", act_id="a", kind=UnitKind.ARTICLE, order=0, depth=0, start=0, end=1, text="x")
    table = to_table(Unit, [unit, unit])
    kinds = pa.array(["article", "poem"])
    broken = table.set_column(table.column_names.index("kind"), "kind", kinds)
    with pytest.raises(StoreError, match=r"first is at row 1\.kind"):
        from_table(Unit, broken)


def test_a_row_of_another_noun_is_refused():
    with pytest.raises(StoreError, match="row 0 is a Inner"):
        to_table(StageCounts, [Inner(name="x")])


def test_a_datetime_without_a_zone_is_refused():
    with pytest.raises(StoreError, match="has no time zone"):
        to_table(Inner, [Inner(name="x", seen=datetime(2024, 1, 1))])


def test_a_number_that_does_not_fit_is_refused():
    with pytest.raises(StoreError, match="do not fit"):
        to_table(StageCounts, [StageCounts(considered=2**70, kept=0, rejected={})])


def test_a_required_column_with_a_null_is_not_written():
    table = pa.table(
        {"name": pa.array([None], pa.string())},
        schema=pa.schema([pa.field("name", pa.string(), nullable=False)]),
    )
    with pytest.raises(StoreError, match="cannot be written"):
        write_parquet(table, io.BytesIO())


def test_bytes_that_are_no_parquet_are_named():
    with pytest.raises(StoreError, match="not readable Parquet"):
        read_parquet(Unit, io.BytesIO(b"not parquet"))


class Union(Noun):
    value: int | str


class Mixed(Noun):
    value: tuple[int, str]


class MixedLiteral(Noun):
    value: Literal["a", 1]


class Unknown(Noun):
    value: bytes


@pytest.mark.parametrize("noun", [Union, Mixed, MixedLiteral, Unknown])
def test_a_type_without_arrow_counterpart_is_named_by_its_field(noun):
    with pytest.raises(TypeError, match=rf"{noun.__name__}\.value"):
        arrow_schema(noun)
