"""What a validation is given: tables by stage, in groups of acts that nothing outside them refers to.

A group holds all versions of its laws, so that questions, claims and occurrences refer to rows of their group only.
Runs span groups: each group may hold them again, and a run's chunks may lie in any group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import ValidationError

from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.rejected import Rejected, StageCounts


@dataclass(frozen=True)
class TableInput:
    """One table: the noun of its rows, the rows, what its stage counted and rejected; None where that is not known."""

    model: type[Noun]
    rows: Sequence[Noun]
    counts: StageCounts | None = None
    rejected: Sequence[Rejected] | None = None


@dataclass(frozen=True)
class Group:
    """Tables by name, and the canonical text of each of their acts."""

    tables: Mapping[str, TableInput]
    act_texts: Mapping[ActId, str] = field(default_factory=dict)


def is_valid(model: type[Noun], row: Noun) -> bool:
    """Whether `row` is a `model` whose every value, nested ones included, its schema allows."""
    if not isinstance(row, model):
        return False
    try:
        model.model_validate(row.model_dump(warnings=False))
    except ValidationError:
        return False
    return True
