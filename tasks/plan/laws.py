"""What a build would make of each law: which articles differ from the version at hand, which questions hold on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from claimrag.schemas.base import ActId, ContextUnitId, Noun, QuestionId
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.plan import LawPlan, Withdrawn
from claimrag.tasks.acquire.changes import compare
from claimrag.tasks.occurrences.step import OCCURRENCES
from claimrag.tasks.parse.step import UNITS
from claimrag.tasks.plan.rehearsal import Rehearsal
from claimrag.tasks.run.step import Table
from claimrag.tasks.run.versions import expression_of, newest_first
from claimrag.tasks.segment.step import CONTEXT_UNITS
from claimrag.tasks.store import Workspace

N = TypeVar("N", bound=Noun)


def law_plans(rehearsal: Rehearsal, base: Workspace | None) -> tuple[LawPlan, ...]:
    """One plan per act of the rehearsal, in order; `base` is the workspace as it is."""
    return tuple(_law_plan(rehearsal.runtime.workspace, base, act_id) for act_id in rehearsal.acts)


def _law_plan(shadow: Workspace, base: Workspace | None, act_id: ActId) -> LawPlan:
    units = _rows(shadow, CONTEXT_UNITS, act_id)
    before = None if base is None else _version_at_hand(base, act_id)
    if base is None or before is None:
        return LawPlan(
            act_id=act_id, compared_with=None, context_units=len(units), new_context_units=len(units)
        )
    changes = compare(_rows(base, UNITS, before), _rows(shadow, UNITS, act_id))
    held = {unit.id: unit for unit in _rows(base, CONTEXT_UNITS, before)}
    now = {row.question_id for row in _rows(shadow, OCCURRENCES, act_id)}
    earlier = _rows(base, OCCURRENCES, before) if base.has_table(OCCURRENCES.of(before)) else []
    return LawPlan(
        act_id=act_id,
        compared_with=before,
        added=changes.added,
        changed=changes.changed,
        removed=changes.removed,
        unchanged=changes.unchanged,
        context_units=len(units),
        new_context_units=sum(unit.id not in held for unit in units),
        questions_kept=sum(row.question_id in now for row in earlier),
        withdrawn=tuple(_withdrawn(earlier, now, held, {unit.id for unit in units})),
    )


def _version_at_hand(base: Workspace, act_id: ActId) -> ActId | None:
    """The same act as it is now, else the newest version of its law in its language."""
    acts = [ActId(ref.scope) for ref in base.tables(CONTEXT_UNITS.stage)]
    versions = [one for one in acts if expression_of(one) == expression_of(act_id)]
    return act_id if act_id in versions else next(iter(newest_first(versions)), None)


def _withdrawn(
    earlier: list[Occurrence],
    now: set[QuestionId],
    held: dict[ContextUnitId, ContextUnit],
    standing: set[ContextUnitId],
) -> Iterator[Withdrawn]:
    for row in earlier:
        if row.question_id in now:
            continue
        rests_on = dict.fromkeys(one.context_unit_id for one in row.evidence)
        gone = [held[one] for one in rests_on if one not in standing and one in held]
        places = [str(unit.unit_ids[0]).rpartition("#")[2] for unit in gone]
        because = f"amended: {', '.join(places)}" if places else "its question would not be made again"
        yield Withdrawn(question_id=row.question_id, because=because)


def _rows(workspace: Workspace, table: Table[N], act_id: ActId) -> list[N]:
    ref = table.of(act_id)
    return workspace.read_table(ref, table.noun) if workspace.has_table(ref) else []
