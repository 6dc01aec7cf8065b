"""Step that binds questions to a version of their act: the table `occurrences`.

The questions of every version of the law in the workspace are tried, so that a question written for one version
is known to hold, or not, in another.
"""

from __future__ import annotations

import asyncio
from typing import Any

from claimrag.schemas.base import ActId, QuestionId
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.question import Question
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.parse.step import ACTS
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.step import Inputs, Table, make_table
from claimrag.tasks.segment.step import CONTEXT_UNITS
from claimrag.tasks.store import Outcome, TableRef

OCCURRENCES = Table("occurrences", Occurrence, may_be_empty=True)


async def bind_act(runtime: Runtime, act_id: ActId) -> TableRef:
    """Find the questions that hold in this version of the act."""
    scopes = [ref.scope for ref in written_for(runtime, act_id, QUESTIONS)]

    async def work(inputs: Inputs) -> Outcome[Occurrence]:
        from claimrag.tasks.occurrences.bind import bind_questions

        act = (await inputs.rows(ACTS, act_id))[0]
        units = await inputs.rows(CONTEXT_UNITS, act_id)
        questions = [question for scope in scopes for question in await inputs.rows(QUESTIONS, scope)]
        return await asyncio.to_thread(bind_questions, questions, act, units)

    return await make_table(runtime, OCCURRENCES, (act_id,), work, written_for=scopes)


def written_for(runtime: Runtime, act_id: ActId, table: Table[Any]) -> list[TableRef]:
    """The tables of items (questions, claims) that were written for any version of the act's law.

    This version's own table comes first, then the others, the newest first.
    """
    others = [other for other in runtime.versions_of(act_id) if other != act_id]
    refs = [table.of(other) for other in (act_id, *others)]
    return [ref for ref in refs if runtime.workspace.has_table(ref)]


async def read_questions(
    runtime: Runtime, inputs: Inputs, act_id: ActId
) -> tuple[list[Question], dict[QuestionId, Occurrence]]:
    """The questions that hold in this version of the act, each once, and their occurrences by question."""
    occurrences = {row.question_id: row for row in await inputs.rows(OCCURRENCES, act_id)}
    items: dict[QuestionId, Question] = {}
    for ref in written_for(runtime, act_id, QUESTIONS):
        for question in await inputs.rows(QUESTIONS, ref.scope):
            if question.id in occurrences:
                items.setdefault(question.id, question)
    return [items[question_id] for question_id in occurrences], occurrences
