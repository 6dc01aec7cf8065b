"""Step that cuts an act into chunks for retrieval: the table `chunks`, one per act and chunker."""

from __future__ import annotations

import asyncio

from claimrag.schemas.base import ActId
from claimrag.schemas.chunk import Chunk
from claimrag.tasks.parse.step import read_act
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.step import Inputs, Table, make_table
from claimrag.tasks.store import Outcome, TableRef

CHUNKS = Table("chunks", Chunk)


async def chunk_law(runtime: Runtime, act_id: ActId) -> TableRef:
    """Cut an act into the chunks of the settings' chunker."""
    chunker = runtime.settings.evaluate.chunker_name

    async def work(inputs: Inputs) -> Outcome[Chunk]:
        from claimrag.tasks.chunk.registry import chunk_act

        act, units, text = await read_act(inputs, act_id)
        return Outcome(kept=await asyncio.to_thread(chunk_act, act, text, units, chunker))

    return await make_table(runtime, CHUNKS, (act_id, chunker), work, chunker=chunker)
