"""Rules for what a stage says of itself: its counts against its rows, and what its rejected rows name."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from claimrag.schemas.base import Noun
from claimrag.schemas.claim import Claim
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.question import Question
from claimrag.schemas.rejected import Rejected
from claimrag.schemas.run import ScoredAnswer
from claimrag.tasks.validate.lookup import Lookup
from claimrag.tasks.validate.rule import Rule
from claimrag.tasks.validate.tables import TableInput, is_valid


class RejectedOf(NamedTuple):
    """A rejected row, and the noun that it did not become."""

    model: type[Noun]
    row: Rejected


def _counts_add_up(table: TableInput, group: Lookup) -> bool | None:
    del group
    counts = table.counts
    if counts is None:
        return None
    return counts.considered == counts.kept + sum(counts.rejected.values())


def _rows_equal_kept(table: TableInput, group: Lookup) -> bool | None:
    del group
    return None if table.counts is None else table.counts.kept == len(table.rows)


def _rejected_rows_equal_counts(table: TableInput, group: Lookup) -> bool | None:
    del group
    if table.counts is None or table.rejected is None:
        return None
    found = Counter(str(getattr(row.reason, "value", row.reason)) for row in table.rejected)
    return dict(found) == {reason: count for reason, count in table.counts.rejected.items() if count}


def _rejected_is_valid(given: RejectedOf, group: Lookup) -> bool:
    del group
    return is_valid(Rejected, given.row)


def _rejected_names_its_row(given: RejectedOf, group: Lookup) -> bool | None:
    """A question that was not kept as a duplicate is named by its own id, which no table has.

    A question that does not hold in a version may be of another version, whose tables are not given.
    """
    item = given.row.item
    if given.model is ContextUnit:
        return item in group.units
    if given.model is Question:
        named = str(item).split("/")[0].split("+")
        return str(item).startswith("q_") or all(unit_id in group.context_by_id for unit_id in named)
    if given.model is Occurrence:
        return str(item).startswith("q_")
    if given.model in (Claim, ScoredAnswer):
        return item in group.questions
    return None


COUNT_RULES = (
    Rule("counts_add_up", "As many were considered as were kept and rejected", _counts_add_up),
    Rule("rows_equal_kept", "It has as many rows as its stage counts as kept", _rows_equal_kept),
    Rule(
        "rejected_rows_equal_counts",
        "It has as many rejected rows as its stage counts, for each reason",
        _rejected_rows_equal_counts,
    ),
)
REJECTED_RULES = (
    Rule("rejected_is_valid", "Every value of a rejected row is valid for it", _rejected_is_valid),
    Rule(
        "rejected_names_its_row",
        "A rejected row names the unit, context units or question that it is about",
        _rejected_names_its_row,
    ),
)
