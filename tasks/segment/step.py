"""Step from an act to its context units: the table `context_units`."""

from __future__ import annotations

import asyncio

from claimrag.schemas.base import ActId
from claimrag.schemas.context import ContextUnit
from claimrag.tasks.parse.step import read_act
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.step import Inputs, Table, make_table
from claimrag.tasks.store import Outcome, TableRef

CONTEXT_UNITS = Table("context_units", ContextUnit)


async def segment_law(runtime: Runtime, act_id: ActId) -> TableRef:
    """Cut an act into context units with numbered sentences."""

    async def work(inputs: Inputs) -> Outcome[ContextUnit]:
        from claimrag.tasks.local.tokens import count_tokens
        from claimrag.tasks.segment.segmentation import segment_act

        act, units, text = await read_act(inputs, act_id)
        strategy = inputs.settings.generate.strategy
        return await asyncio.to_thread(segment_act, act, units, text, strategy, count_tokens)

    ref = await make_table(runtime, CONTEXT_UNITS, (act_id,), work)
    runtime.progress.advance("segment")
    return ref
