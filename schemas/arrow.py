"""Arrow schemas and tables derived from the nouns, so that no list of fields is ever written twice.

Promises: `from_table(model, to_table(model, rows)) == rows`, and the same rows give the same Parquet bytes
under one version of pyarrow. Text is string, enumerations and literals are string, datetimes are
microseconds in UTC, tuples are lists, nested nouns are structs, and `dict[str, V]` is a list of
`{key, value}` structs sorted by key, because `datasets` has no feature type for Arrow maps.
Does not open files or folders: tasks/store does.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache
from typing import IO, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, TypeAdapter, ValidationError

from claimrag.schemas.base import Noun
from claimrag.schemas.errors import StoreError

T = TypeVar("T", bound=Noun)
_Convert = Callable[[Any], Any]

ROW_GROUP_ROWS = 10_000
PARQUET_OPTIONS: dict[str, Any] = {
    "version": "2.6",
    "compression": "zstd",
    "compression_level": 3,
    "use_dictionary": True,
    "write_statistics": True,
    "data_page_version": "1.0",
}
"""How every Parquet file of ours is packed; the rows of a row group are the writer's choice."""
_SCALARS: dict[type, pa.DataType] = {
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    str: pa.string(),
    datetime: pa.timestamp("us", tz="UTC"),
    date: pa.date32(),
}


@cache
def arrow_schema(model: type[Noun]) -> pa.Schema:
    """The Arrow schema of `model`, in field order; only optional fields are nullable.

    Raises TypeError naming the field when its type has no Arrow counterpart.
    """
    return pa.schema(_fields(model))


def to_table(model: type[Noun], rows: Iterable[Noun]) -> pa.Table:
    """One table of `rows`, in their order; no row gives an empty table with the full schema.

    Raises StoreError for a row of another model, and for a datetime without a time zone.
    """
    listed = list(rows)
    for number, row in enumerate(listed):
        if not isinstance(row, model):
            raise StoreError(
                f"row {number} is a {type(row).__name__}; a table of {model.__name__} holds only those"
            )
    dumped = _adapter(model).dump_python(listed)
    plan = _plan(model, _outward)
    if plan is not None:
        dumped = [plan(row) for row in dumped]
    schema = arrow_schema(model)
    try:
        table = pa.Table.from_pylist(dumped, schema=schema)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError) as error:
        raise StoreError(f"rows of {model.__name__} do not fit its Arrow schema: {error}") from error
    return table.combine_chunks()


def from_table(model: type[T], table: pa.Table) -> list[T]:
    """The rows of `table` as validated nouns; column order does not matter.

    Raises StoreError when columns are missing or unknown, or when a value is not valid for its field.
    """
    names, expected = set(table.column_names), set(model.model_fields)
    if names != expected:
        raise StoreError(
            f"the table is not one of {model.__name__}: missing columns {sorted(expected - names)}, "
            f"unknown columns {sorted(names - expected)}; make it again with this version of claimrag"
        )
    rows = table.to_pylist()
    plan = _plan(model, _inward)
    if plan is not None:
        rows = [plan(row) for row in rows]
    try:
        return _adapter(model).validate_python(rows)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise StoreError(
            f"the table holds {error.error_count()} invalid value(s) for {model.__name__}; "
            f"the first is at row {place}: {first['msg']}"
        ) from error


def write_parquet(table: pa.Table, file: IO[bytes]) -> None:
    """Write `table` to an open binary file with fixed options, so that equal tables give equal bytes.

    Format 2.6, Zstandard level 3, dictionary encoding, page statistics, row groups of 10,000 rows. Nothing
    that changes from run to run is written: no time, no path, no host; the file names only the version of
    the Parquet library. Raises StoreError when a required column holds a null.
    """
    try:
        pq.write_table(
            table.replace_schema_metadata(None),
            file,
            row_group_size=ROW_GROUP_ROWS,
            **PARQUET_OPTIONS,
        )
    except pa.ArrowInvalid as error:
        raise StoreError(f"the table cannot be written as Parquet: {error}") from error


def read_parquet(model: type[T], file: IO[bytes]) -> list[T]:
    """The rows of a Parquet file written from `model`; StoreError when the file is not one."""
    try:
        table = pq.ParquetFile(file).read(use_threads=False)  # threads of its own may outlive a short command
    except (pa.ArrowInvalid, OSError) as error:
        raise StoreError(f"the file of {model.__name__} rows is not readable Parquet: {error}") from error
    return from_table(model, table)


@cache
def _adapter(model: type[T]) -> TypeAdapter[list[T]]:
    return TypeAdapter(list[model])  # type: ignore[valid-type]


def _fields(model: type[BaseModel]) -> list[pa.Field]:
    fields = []
    for name, info in model.model_fields.items():
        try:
            data_type, nullable = _arrow_type(info.annotation)
        except TypeError as error:
            raise TypeError(f"{model.__name__}.{name}: {error}") from error
        fields.append(pa.field(name, data_type, nullable=nullable))
    return fields


def plain_type(annotation: Any) -> tuple[Any, bool]:
    """`annotation` without NewType, Annotated and `| None`, and whether None was allowed."""
    if hasattr(annotation, "__supertype__"):
        return plain_type(annotation.__supertype__)
    origin = get_origin(annotation)
    if origin is Annotated:
        return plain_type(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        members = [arg for arg in get_args(annotation) if arg is not type(None)]
        if len(members) != 1:
            raise TypeError(f"a union of several types has no Arrow type: {annotation}")
        inner, optional = plain_type(members[0])
        return inner, optional or len(members) < len(get_args(annotation))
    return annotation, False


def _arrow_type(annotation: Any) -> tuple[pa.DataType, bool]:
    inner, nullable = plain_type(annotation)
    origin, args = get_origin(inner), get_args(inner)
    if origin is tuple:
        items = set(args) - {Ellipsis}
        if len(items) != 1:
            raise TypeError(f"a tuple of different types has no Arrow type: {inner}")
        return pa.list_(_item("element", items.pop())), nullable
    if origin is list:
        return pa.list_(_item("element", args[0])), nullable
    if origin is dict:
        return pa.list_(pa.field("element", pa.struct([_item("key", args[0]), _item("value", args[1])]),
                                 nullable=False)), nullable  # fmt: skip
    if origin is Literal:
        kinds = {type(value) for value in args}
        if len(kinds) != 1:
            raise TypeError(f"literals of different types have no Arrow type: {inner}")
        return _arrow_type(kinds.pop())[0], nullable
    if isinstance(inner, type):
        if issubclass(inner, BaseModel):
            return pa.struct(_fields(inner)), nullable
        if issubclass(inner, Enum):
            return pa.string(), nullable
        if inner in _SCALARS:
            return _SCALARS[inner], nullable
    raise TypeError(f"no Arrow type for {inner}")


def _item(name: str, annotation: Any) -> pa.Field:
    data_type, nullable = _arrow_type(annotation)
    return pa.field(name, data_type, nullable=nullable)


def _plan(annotation: Any, leaf: Callable[[Any], _Convert | None]) -> _Convert | None:
    """A function that converts a dumped value of `annotation`, or None where nothing needs converting.

    Dicts, datetimes and enumerations that are not strings need work; skipping all else keeps 10,000 rows
    under a second.
    """
    inner, _ = plain_type(annotation)
    own = leaf(inner)
    if own is not None:
        return own
    origin, args = get_origin(inner), get_args(inner)
    if origin in (tuple, list):
        item = _plan(args[0], leaf)
        return None if item is None else _over_items(item)
    if isinstance(inner, type) and issubclass(inner, BaseModel):
        steps = {name: _plan(info.annotation, leaf) for name, info in inner.model_fields.items()}
        needed = {name: step for name, step in steps.items() if step is not None}
        return _over_fields(needed) if needed else None
    return None


def _over_items(step: _Convert) -> _Convert:
    return lambda value: None if value is None else [step(item) for item in value]


def _over_fields(steps: dict[str, _Convert]) -> _Convert:
    def convert(row: Any) -> Any:
        return None if row is None else row | {name: step(row[name]) for name, step in steps.items()}

    return convert


def _outward(inner: Any) -> _Convert | None:
    """From a dumped noun to what pyarrow takes."""
    if get_origin(inner) is dict:
        value = _plan(get_args(inner)[1], _outward) or (lambda item: item)
        return lambda pairs: None if pairs is None else [
            {"key": str(key), "value": value(item)} for key, item in sorted(pairs.items())
        ]  # fmt: skip
    if isinstance(inner, type) and issubclass(inner, Enum) and not issubclass(inner, str):
        return lambda member: None if member is None else str(member.value)
    if inner is datetime:
        return _aware
    return None


def _inward(inner: Any) -> _Convert | None:
    """From what pyarrow gives to what the noun takes."""
    if get_origin(inner) is dict:
        value = _plan(get_args(inner)[1], _inward) or (lambda item: item)
        return lambda pairs: None if pairs is None else {p["key"]: value(p["value"]) for p in pairs}
    if isinstance(inner, type) and issubclass(inner, Enum) and not issubclass(inner, str):
        members = {str(member.value): member for member in inner}
        return lambda text: members.get(text, text)
    if inner is datetime:
        return lambda moment: None if moment is None else moment.astimezone(UTC)
    return None


def _aware(moment: Any) -> Any:
    if moment is not None and moment.tzinfo is None:
        raise StoreError(f"the datetime {moment} has no time zone; give one, for instance UTC")
    return moment
