"""Rule: one thing that must be true of every row of a noun, beyond what its schema says.

A rule is a sentence a lawyer can read, a severity, and a function of the row and its group. It does not know Great
Expectations: tasks/validate/suites.py turns rules into expectations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.validation import Severity
from claimrag.tasks.validate.lookup import Lookup
from claimrag.tasks.validate.seen import Seen


@dataclass(frozen=True)
class Later:
    """What a rule must know of a row once every group has been seen: kept small, since all are kept until then."""

    fact: Any


Check = Callable[[Any, Lookup], bool | Later | None]
"""True: the row keeps the rule; False: it breaks it; None: the rule does not apply; Later: judged at the end."""
LateCheck = Callable[[Any, Seen], bool | None]
"""The same for what a check left for later: given its fact, and what was seen of all groups."""


@dataclass(frozen=True)
class Rule:
    """`needs` lists the nouns whose tables the check looks into; without them it is not evaluated."""

    code: str
    description: str
    check: Check
    severity: Severity = Severity.CRITICAL
    needs: tuple[type[Noun], ...] = ()
    late_check: LateCheck | None = None


def text_is_given(row: Any, group: Lookup) -> bool:
    """Whether the row's claim to quote its act can be checked at all."""
    return row.act_id in group.act_texts


def is_exact_slice(group: Lookup, act_id: ActId, start: int, end: int, text: str) -> bool | None:
    """Whether `act_text[start:end] == text`, byte for byte; None when the act's text was not given."""
    if act_id not in group.act_texts:
        return None
    return group.slice(act_id, start, end) == text


def language_of(act_id: ActId) -> str:
    """The language that the act's id ends with."""
    return act_id.rpartition("/")[2]


def language_is_of_act(row: Any, group: Lookup) -> bool:
    """Whether a row that belongs to one act has its language."""
    del group
    return bool(row.language == language_of(row.act_id))


TEXT_IS_GIVEN = Rule(
    "act_text_is_given",
    "The text of its act was given, so that its offsets can be checked",
    text_is_given,
)
LANGUAGE_IS_OF_ACT = Rule("language_is_of_act", "Its language is that of its act", language_is_of_act)
