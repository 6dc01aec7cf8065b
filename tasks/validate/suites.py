"""Suites: the Great Expectations of a table, generated from its noun's schema and from its rules.

From the schema come columns, required values, types, allowed values, patterns and unique keys; nothing of
it is listed a second time here. Each rule becomes one column of true, false or "does not apply", computed
by tasks/validate/frames.py, of which no value may be false.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from claimrag.schemas.act import Act
from claimrag.schemas.arrow import plain_type
from claimrag.schemas.base import Noun
from claimrag.schemas.claim import Claim
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.question import Question
from claimrag.schemas.run import Retrieval, ScoredAnswer
from claimrag.schemas.validation import Severity
from claimrag.tasks.validate.chunk_rules import CHUNK_RULES, COVERS_ACT
from claimrag.tasks.validate.item_rules import ITEM_RULES
from claimrag.tasks.validate.law_rules import LAW_RULES
from claimrag.tasks.validate.question_rules import QUESTION_RULES
from claimrag.tasks.validate.retrieval_rules import RETRIEVAL_RULES
from claimrag.tasks.validate.rule import Rule
from claimrag.tasks.validate.run_rules import RUN_RULES
from claimrag.tasks.validate.score_rules import SCORE_RULES

RULES: Mapping[type[Noun], tuple[Rule, ...]] = {
    **LAW_RULES,
    Act: (*LAW_RULES[Act], COVERS_ACT),
    **CHUNK_RULES,
    **QUESTION_RULES,
    **ITEM_RULES,
    **RETRIEVAL_RULES,
    **SCORE_RULES,
    **RUN_RULES,
}

KEY_COLUMN = "row_key"
VALID = "valid_for_schema"
UNIQUE = "unique_key"
# A context unit keeps its id from one version of an act to the next where its text is unchanged.
_KEYS: dict[type[Noun], tuple[str, ...]] = {
    ContextUnit: ("act_id", "id"),
    Occurrence: ("question_id", "act_id"),
    ScoredAnswer: ("run_id", "question_id"),
    Retrieval: ("run_id", "question_id", "rank"),
}
ITEMS: tuple[type[Noun], ...] = (Question, Claim)
"""Nouns whose rows may stand in the tables of several versions of a law, and count once."""
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


def rule_column(code: str) -> str:
    """The name of the column that holds the outcome of a rule."""
    return f"rule:{code}"


def expected_of(model: type[Noun]) -> list[Expected]:
    """What is expected of every row of `model`: its rules first, since people read them, then field by field."""
    expected = [expect_true(VALID, f"Every value, nested ones included, is valid for {model.__name__}")]
    if key_fields(model):
        expected.append(expect_true(UNIQUE, _unique(model)))
    expected.extend(expect_true(rule.code, rule.description, rule.severity) for rule in RULES.get(model, ()))
    for name in model.model_fields:
        expected.extend(_of_field(model, name))
    return expected


def _unique(model: type[Noun]) -> str:
    if model in ITEMS:
        return "No more rows have the same id than there are versions of its law"
    return f"No row before it has the same {' and '.join(key_fields(model))}"


def expect_true(code: str, description: str, severity: Severity = Severity.CRITICAL) -> Expected:
    """The expectation that a rule's column is nowhere false."""
    arguments = {"column": rule_column(code), "value_set": [True]}
    return Expected(code, description, severity, "ExpectColumnValuesToBeInSet", arguments)


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
        words, among = f"is one of {', '.join(allowed)}", {**column, "value_set": allowed}
        yield _on_field(name, "allowed", words, "ExpectColumnValuesToBeInSet", among)
    for constraint in field.metadata:
        pattern = getattr(constraint, "pattern", None)
        if pattern is not None:
            matching = {**column, "regex": str(pattern)}
            words = f"matches `{pattern}`"
            yield _on_field(name, "pattern", words, "ExpectColumnValuesToMatchRegex", matching)


def _on_field(name: str, kind: str, words: str, expectation: str, arguments: Mapping[str, Any]) -> Expected:
    return Expected(f"{name}.{kind}", f"`{name}` {words}", Severity.CRITICAL, expectation, arguments)


def _allowed_values(inner: Any) -> list[str]:
    if get_origin(inner) is Literal:
        return [str(value) for value in get_args(inner)]
    if isinstance(inner, type) and issubclass(inner, Enum):
        return [str(member.value) for member in inner]
    return []
