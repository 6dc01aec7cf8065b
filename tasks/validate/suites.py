"""Suites: the Great Expectations of a table, generated from its noun's schema and from its rules.

From the schema come columns, required values, types, allowed values, patterns and unique keys; nothing of
it is listed a second time here. Each rule becomes one column of true, false or "does not apply", computed
by tasks/validate/frames.py, of which every value must be true.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from typing import Any, Literal, get_args, get_origin

from claimrag.schemas.arrow import plain_type
from claimrag.schemas.base import Noun
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.run import Retrieval, ScoredAnswer
from claimrag.schemas.validation import Severity
from claimrag.tasks.validate.law_rules import LAW_RULES
from claimrag.tasks.validate.question_rules import QUESTION_RULES
from claimrag.tasks.validate.rule import Rule
from claimrag.tasks.validate.score_rules import SCORE_RULES

RULES: Mapping[type[Noun], tuple[Rule, ...]] = {**LAW_RULES, **QUESTION_RULES, **SCORE_RULES}

KEY_COLUMN = "row_key"
VALID_COLUMN = "rule:valid_for_schema"
# A context unit keeps its id from one version of an act to the next where its text is unchanged.
_KEYS: dict[type[Noun], tuple[str, ...]] = {
    ContextUnit: ("act_id", "id"),
    ScoredAnswer: ("run_id", "question_id"),
    Retrieval: ("run_id", "question_id", "rank"),
}
_TYPE_NAMES: dict[Any, tuple[str, str]] = {
    str: ("str", "text"),
    int: ("int", "a whole number"),
    float: ("float", "a number"),
    bool: ("bool", "true or false"),
    date: ("date", "a date"),
    datetime: ("datetime", "a point in time"),
}


@dataclass(frozen=True)
class Expected:
    """A Great Expectations expectation by class name and arguments, before that library is imported."""

    code: str
    description: str
    severity: Severity
    expectation: str
    arguments: Mapping[str, Any]


def key_fields(model: type[Noun]) -> tuple[str, ...]:
    """The fields that name a row of `model`; empty where rows are named by their position."""
    return _KEYS.get(model, ("id",) if "id" in model.model_fields else ())


def rule_column(rule: Rule) -> str:
    """The name of the column that holds the outcome of `rule`."""
    return f"rule:{rule.code}"


def expected_of(model: type[Noun], rules: tuple[Rule, ...], kept: int | None) -> list[Expected]:
    """Every expectation on a table of `model`; `kept` is the row count its stage reported, if any."""
    expected = list(_of_table(kept))
    expected.append(
        _true_column(
            VALID_COLUMN,
            "valid_for_schema",
            f"Every value, nested ones included, is valid for {model.__name__}",
            Severity.CRITICAL,
        )
    )
    for name in model.model_fields:
        expected.extend(_of_field(model, name))
    if key_fields(model):
        named = " + ".join(key_fields(model))
        expected.append(
            Expected(
                "unique_key",
                f"No two rows have the same {named}",
                Severity.CRITICAL,
                "ExpectColumnValuesToBeUnique",
                {"column": KEY_COLUMN},
            )
        )
    expected.extend(_true_column(rule_column(r), r.code, r.description, r.severity) for r in rules)
    return expected


def _of_table(kept: int | None) -> Iterator[Expected]:
    yield Expected(
        "has_rows",
        "The table has at least one row",
        Severity.CRITICAL,
        "ExpectTableRowCountToBeBetween",
        {"min_value": 1},
    )
    if kept is not None:
        yield Expected(
            "rows_equal_kept",
            f"The table has as many rows as its stage reported to have kept ({kept})",
            Severity.CRITICAL,
            "ExpectTableRowCountToEqual",
            {"value": kept},
        )


def _of_field(model: type[Noun], name: str) -> Iterator[Expected]:
    field = model.model_fields[name]
    inner, optional = plain_type(field.annotation)
    column = {"column": name}
    if not optional:
        yield _on_field(name, "not_null", "has a value", "ExpectColumnValuesToNotBeNull", column)
    base, readable = _TYPE_NAMES.get(inner, (None, None))
    if base is not None:
        typed: dict[str, Any] = {**column, "type_": base}
        yield _on_field(name, "type", f"is {readable}", "ExpectColumnValuesToBeOfType", typed)
    allowed = _allowed_values(inner)
    if allowed:
        said, among = f"is one of {', '.join(allowed)}", {**column, "value_set": allowed}
        yield _on_field(name, "allowed", said, "ExpectColumnValuesToBeInSet", among)
    for constraint in field.metadata:
        pattern = getattr(constraint, "pattern", None)
        if pattern is not None:
            matching = {**column, "regex": str(pattern)}
            said = f"matches `{pattern}`"
            yield _on_field(name, "pattern", said, "ExpectColumnValuesToMatchRegex", matching)


def _on_field(name: str, kind: str, said: str, expectation: str, arguments: Mapping[str, Any]) -> Expected:
    return Expected(f"{name}.{kind}", f"`{name}` {said}", Severity.CRITICAL, expectation, arguments)


def _true_column(column: str, code: str, description: str, severity: Severity) -> Expected:
    arguments = {"column": column, "value_set": [True]}
    return Expected(code, description, severity, "ExpectColumnValuesToBeInSet", arguments)


def _allowed_values(inner: Any) -> list[str]:
    if get_origin(inner) is Literal:
        return [str(value) for value in get_args(inner)]
    if isinstance(inner, type) and issubclass(inner, Enum):
        return [str(member.value) for member in inner]
    return []


@cache
def great_expectations() -> tuple[Any, Any]:
    """Import the library late: it takes seconds, and most commands do not validate.

    It imports a module that Python has deprecated; that warning is not ours to act on.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import great_expectations as gx
        import great_expectations.expectations as gxe
    return gx, gxe
