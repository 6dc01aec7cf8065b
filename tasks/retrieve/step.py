"""Step that retrieves chunks for questions: the table `retrievals`, one per run and act."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from claimrag.schemas.base import ChunkId
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.run import Retrieval
from claimrag.tasks.evaluate.plan import EvaluationShard, PlannedRun, planned, read_corpus
from claimrag.tasks.occurrences.step import read_questions
from claimrag.tasks.retrieve.hits import Retriever
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.step import Inputs, Table, make_table
from claimrag.tasks.store import Outcome, TableRef

RETRIEVALS = Table("retrievals", Retrieval, may_be_empty=True)


async def retrieve_shard(runtime: Runtime, shard: EvaluationShard) -> TableRef:
    """Retrieve the chunks for the questions of one act, from the corpus of the run."""
    run = planned(runtime, shard.run_id)

    async def work(inputs: Inputs) -> Outcome[Retrieval]:
        from claimrag.tasks.evaluate.retrieval import retrieve_questions

        questions, occurrences = await read_questions(runtime, inputs, shard.act_id)
        chunks = await read_corpus(runtime, run)
        retriever = await _retriever(runtime, inputs, run, chunks)
        k = run.system.k
        return Outcome(
            await asyncio.to_thread(retrieve_questions, run.id, questions, occurrences, retriever, chunks, k)
        )

    scope = (run.id, shard.act_id)
    return await make_table(runtime, RETRIEVALS, scope, work, system=run.system.id, corpus=run.corpus)


async def _retriever(
    runtime: Runtime, inputs: Inputs, run: PlannedRun, corpus: Mapping[ChunkId, Chunk]
) -> Retriever:
    """The index over the corpus of the run, built once."""
    from claimrag.tasks.retrieve.registry import build_retriever

    embedder = inputs.embedder() if run.system.embedder is not None else None
    chunks = list(corpus.values())
    return await runtime.once(
        f"retriever {run.system.retriever} {run.system.embedder} {run.corpus}",
        lambda: build_retriever(run.system.retriever, chunks, embedder=embedder),
    )
