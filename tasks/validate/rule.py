"""Rule: one thing that must be true of every row of a noun, beyond what its schema says.

A rule is a sentence a lawyer can read, a severity, and a function of the row and the build. It does not
know Great Expectations: tasks/validate/suites.py turns rules into expectations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.validation import Severity
from claimrag.tasks.validate.tables import Build

Check = Callable[[Any, Build], bool | None]
"""True: the row keeps the rule; False: it breaks it; None: the rule does not apply to this row."""


@dataclass(frozen=True)
class Rule:
    """`needs` lists the nouns whose tables the check looks into; without them it is not evaluated."""

    code: str
    description: str
    check: Check
    severity: Severity = Severity.CRITICAL
    needs: tuple[type[Noun], ...] = ()


def text_is_given(row: Any, build: Build) -> bool:
    """Whether the row's claim to quote its act can be checked at all."""
    return row.act_id in build.act_texts


def is_exact_slice(build: Build, act_id: ActId, start: int, end: int, text: str) -> bool | None:
    """Whether `act_text[start:end] == text`, byte for byte; None when the act's text was not given."""
    if act_id not in build.act_texts:
        return None
    return build.slice(act_id, start, end) == text


TEXT_IS_GIVEN = Rule(
    "act_text_is_given",
    "The text of the row's act was given to the validation, so that its offsets can be checked",
    text_is_given,
)
