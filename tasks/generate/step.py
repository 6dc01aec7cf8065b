"""Step from context units to questions: the table `question_shards`, one per act and shard of single- or multi-hop."""

from __future__ import annotations

import asyncio
from typing import Literal

from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import Question
from claimrag.tasks.parse.step import read_act
from claimrag.tasks.progress import Part
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.step import Inputs, Table, make_table
from claimrag.tasks.segment.step import CONTEXT_UNITS
from claimrag.tasks.store import Outcome, TableRef

QUESTION_SHARDS = Table("question_shards", Question, may_be_empty=True)
SHARD_UNITS = 25


class QuestionShard(Noun):
    """Some context units of one act, by position among those chosen, and the hop to generate."""

    act_id: ActId
    hop: Literal["single", "multi"]
    number: int
    first: int
    last: int

    @property
    def name(self) -> str:
        """The shard's part of its table's scope."""
        return f"{self.hop}-{self.number:04d}"

    @property
    def units(self) -> int:
        """What it counts for in the progress of the stage: its units, or one until its windows are known."""
        return self.last - self.first if self.hop == "single" else 1


def plan_shards(runtime: Runtime, act_id: ActId) -> list[QuestionShard]:
    """The shards of an act: single-hop in tens of units, multi-hop windows in one.

    The number of units is limited by `generate.units_per_act`, chosen over all of the act, so that a small
    sample is not only its first articles.
    """
    from claimrag.tasks.generate.selection import choose_units

    units = runtime.rows(CONTEXT_UNITS.of(act_id), ContextUnit)
    count = len(choose_units(units, runtime.settings.generate.units_per_act))
    shards = [
        QuestionShard(
            act_id=act_id, hop="single", number=index, first=start, last=min(start + SHARD_UNITS, count)
        )
        for index, start in enumerate(range(0, count, SHARD_UNITS))
    ]
    if runtime.settings.generate.multi_hop and len(units) > 1:
        shards.append(QuestionShard(act_id=act_id, hop="multi", number=0, first=0, last=len(units)))
    runtime.progress.begin("generate", sum(shard.units for shard in shards))
    return shards


async def generate_shard(runtime: Runtime, shard: QuestionShard) -> TableRef:
    """Generate the questions of a shard."""
    part = Part(runtime.progress, "generate", shard.units, announced=True)

    async def work(inputs: Inputs) -> Outcome[Question]:
        from claimrag.tasks.generate.multi_hop import generate_multi_hop
        from claimrag.tasks.generate.selection import choose_units
        from claimrag.tasks.generate.single_hop import generate_single_hop
        from claimrag.tasks.local.language import identify

        act, _, text = await read_act(inputs, shard.act_id)
        units = await inputs.rows(CONTEXT_UNITS, shard.act_id)
        if shard.hop == "single":
            units = choose_units(units, inputs.settings.generate.units_per_act)
        # Loaded before the first request: loading would hold up the replies that come meanwhile.
        await asyncio.to_thread(identify, act.title)
        generate = generate_multi_hop if shard.hop == "multi" else generate_single_hop
        chosen = units[shard.first : shard.last]
        return await generate(act, text, chosen, inputs.llm, inputs.settings.generate, identify, part)

    span = [shard.hop, shard.first, shard.last]
    room = {"context_tokens": runtime.llm.context_tokens} if shard.hop == "multi" else {}
    ref = await make_table(runtime, QUESTION_SHARDS, (shard.act_id, shard.name), work, shard=span, **room)
    part.finish()
    return ref
