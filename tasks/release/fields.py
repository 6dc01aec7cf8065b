"""The card's section on columns: the name, type and meaning of each, taken from the nouns of the rows."""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import Literal, get_args, get_origin

from claimrag.schemas.arrow import arrow_schema, plain_type
from claimrag.schemas.base import Noun
from claimrag.tasks.release.figures import Figures
from claimrag.tasks.release.rows import CONFIGURATIONS
from claimrag.tasks.validate.markdown import literal, table

_MOST_VALUES = 10
"""An enumeration with more values is not listed: the reasons have their own table, the kinds of units a wider use."""


def fields_section(figures: Figures) -> str:
    """A table for each configuration that the release has."""
    parts = [
        "## Fields",
        "Offsets count characters of the canonical text of the act named beside them; `end` is exclusive.",
    ]
    for name in figures.rows:
        model = CONFIGURATIONS[name]
        lines = [
            (f"`{field.name}`", _type_name(field.type), _meaning(model, field.name))
            for field in arrow_schema(model)
        ]
        parts.append(f"**{name}**\n\n" + table(("field", "type", "meaning"), lines))
    return "\n\n".join(parts)


def meaning_of(model: type[Noun], column: str) -> str:
    """What a column holds: the description of its field, or the legend of the metric that has its name."""
    return model.model_fields[column].description or _legends()[column]


def values_of(model: type[Noun], column: str) -> tuple[str, ...]:
    """The values that a column may have, in the order of its enumeration; none where it is no enumeration."""
    kind, _ = plain_type(model.model_fields[column].annotation)
    if get_origin(kind) is Literal:
        return tuple(map(str, get_args(kind)))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(str(member.value) for member in kind)
    return ()


def _meaning(model: type[Noun], column: str) -> str:
    meaning, values = literal(meaning_of(model, column)), values_of(model, column)
    named = ", ".join(f"`{value}`" for value in values)
    return f"{meaning}: {named}" if 0 < len(values) <= _MOST_VALUES else meaning


@cache
def _legends() -> dict[str, str]:
    from claimrag.tasks.evaluate.metrics import CLAIM_METRICS
    from claimrag.tasks.evaluate.retrieval_metrics import RETRIEVAL_METRICS

    return {
        **{metric.name: metric.legend for metric in CLAIM_METRICS},
        **{metric.name: metric.legend for metric in RETRIEVAL_METRICS},
    }


def _type_name(data_type: object) -> str:
    """`list of structs` rather than the long spelling of nested types."""
    text = str(data_type)
    if text.startswith("list<"):
        item = _type_name(text.removeprefix("list<").partition(": ")[2])
        return f"list of {_PLURALS.get(item, item.replace('list of', 'lists of', 1))}"
    if text.startswith("struct<"):
        return "struct"
    name = text.partition(" not null")[0].rstrip(">")
    return {"date32[day]": "date", "int64": "integer", "double": "number"}.get(name, name)


_PLURALS = {"string": "strings", "struct": "structs", "integer": "integers", "number": "numbers"}
