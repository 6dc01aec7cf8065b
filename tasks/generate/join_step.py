"""Step that joins the shards of an act, without duplicates: the table `questions`, one per act."""

from __future__ import annotations

import asyncio

from claimrag.schemas.base import ActId
from claimrag.schemas.question import Question
from claimrag.tasks.generate.step import QUESTION_SHARDS, QuestionShard
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.step import Inputs, Table, make_table
from claimrag.tasks.store import Outcome, TableRef

QUESTIONS = Table("questions", Question)


async def join_questions(runtime: Runtime, act_id: ActId, shards: list[QuestionShard]) -> TableRef:
    """Join an act's shards, without duplicates; at least one row must be kept."""

    async def work(inputs: Inputs) -> Outcome[Question]:
        from claimrag.tasks.generate.duplicates import drop_duplicates

        joined = Outcome.joined(
            [
                Outcome(
                    await inputs.rows(QUESTION_SHARDS, act_id, shard.name),
                    await inputs.rejected(QUESTION_SHARDS, act_id, shard.name),
                )
                for shard in shards
            ]
        )
        distinct = await asyncio.to_thread(drop_duplicates, joined.kept)
        return Outcome(distinct.kept, [*joined.rejected, *distinct.rejected])

    return await make_table(runtime, QUESTIONS, (act_id,), work, shards=[shard.name for shard in shards])
