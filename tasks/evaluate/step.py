"""Steps that score the RAG baselines: retrieve, answer and score per run and act, then the means of a run.

Tables `retrievals` and `scored_answers` (one per run and act) and `runs` (one per run).
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator

from claimrag.schemas.base import ActId, ChunkId, QuestionId, RunId
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.run import Retrieval, Run, ScoredAnswer
from claimrag.tasks.chunk.step import CHUNKS, chunker_name
from claimrag.tasks.claims.step import CLAIMS
from claimrag.tasks.evaluate.plan import EvaluationShard, PlannedRun, planned
from claimrag.tasks.occurrences.step import read_questions, written_for
from claimrag.tasks.parse.step import TEXTS
from claimrag.tasks.retrieve.hits import Retriever
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.step import Inputs, Table, make_table
from claimrag.tasks.store import Outcome, TableRef

RETRIEVALS = Table("retrievals", Retrieval, may_be_empty=True)
SCORED_ANSWERS = Table("scored_answers", ScoredAnswer, may_be_empty=True)
RUNS = Table("runs", Run)


async def retrieve_shard(runtime: Runtime, shard: EvaluationShard) -> TableRef:
    """Retrieve the chunks for the questions of one act, from the corpus of the run."""
    run = planned(runtime, shard.run_id)

    async def work(inputs: Inputs) -> Outcome[Retrieval]:
        from claimrag.tasks.evaluate.retrieval import retrieve_questions

        questions, occurrences = await read_questions(runtime, inputs, shard.act_id)
        chunks = await _corpus(runtime, run)
        retriever = await _retriever(runtime, inputs, run, chunks)
        return Outcome(
            await asyncio.to_thread(
                retrieve_questions, run.id, questions, occurrences, retriever, chunks, run.system.k
            )
        )

    scope = (run.id, shard.act_id)
    return await make_table(runtime, RETRIEVALS, scope, work, system=run.system.id, corpus=run.corpus)


async def score_shard(runtime: Runtime, shard: EvaluationShard) -> TableRef:
    """Answer the sampled questions of one act, and score them."""
    run = planned(runtime, shard.run_id)

    async def work(inputs: Inputs) -> Outcome[ScoredAnswer]:
        from claimrag.tasks.evaluate.scoring import score_questions

        questions, occurrences = await read_questions(runtime, inputs, shard.act_id)
        claims = [
            claim
            for ref in written_for(runtime, shard.act_id, CLAIMS)
            for claim in await inputs.rows(CLAIMS, ref.scope)
            if claim.question_id in occurrences
        ]
        chunks = await _corpus(runtime, run)
        retrieved: dict[QuestionId, list[Chunk]] = defaultdict(list)
        for row in await inputs.rows(RETRIEVALS, run.id, shard.act_id):
            retrieved[row.question_id].append(chunks[row.chunk_id])
        sampled = run.sampled if run.sampled is not None else frozenset(question.id for question in questions)
        settings = inputs.settings
        return await score_questions(
            run.id,
            run.system,
            questions,
            occurrences,
            claims,
            retrieved,
            sampled,
            inputs.llm,
            inputs.judge,
            settings.evaluate,
            settings.claims,
        )

    chosen = None if run.sampled is None else sorted(run.sampled)
    ref = await make_table(
        runtime,
        SCORED_ANSWERS,
        (run.id, shard.act_id),
        work,
        system=run.system.id,
        corpus=run.corpus,
        sampled=chosen,
    )
    runtime.progress.advance("evaluate")
    return ref


async def average_run(runtime: Runtime, run_id: RunId) -> TableRef:
    """The means of a run over the questions of all its acts."""
    run = planned(runtime, run_id)

    async def work(inputs: Inputs) -> Outcome[Run]:
        from claimrag.tasks.evaluate.means import run_of

        total = 0
        for act_id in run.acts:
            total += inputs.note(SCORED_ANSWERS, run.id, act_id).kept
        settings = inputs.settings.evaluate
        rows = _scored(runtime, run)
        return Outcome(
            [
                await asyncio.to_thread(
                    run_of,
                    run.id,
                    run.system,
                    run.language,
                    run.acts,
                    rows,
                    total,
                    settings.bootstrap,
                    settings.seed,
                )
            ]
        )

    return await make_table(runtime, RUNS, (run.id,), work, acts=list(run.acts))


def _scored(runtime: Runtime, run: PlannedRun) -> Iterator[ScoredAnswer]:
    for act_id in run.acts:
        for batch in runtime.workspace.iter_table(SCORED_ANSWERS.of(run.id, act_id), ScoredAnswer):
            yield from batch


async def _corpus(runtime: Runtime, run: PlannedRun) -> dict[ChunkId, Chunk]:
    """Every chunk of the run's acts, each held against its act's text; read once per corpus."""
    chunker = chunker_name(runtime.settings)

    def read() -> dict[ChunkId, Chunk]:
        from claimrag.tasks.evaluate.retrieval import check_chunks

        corpus: dict[ChunkId, Chunk] = {}
        for act_id in run.acts:
            chunks = runtime.workspace.read_table(CHUNKS.of(act_id, chunker), Chunk)
            check_chunks(chunks, {act_id: _text(runtime, act_id)})
            corpus.update((chunk.id, chunk) for chunk in chunks)
        return corpus

    return await runtime.once(f"corpus {run.corpus}", read)


async def _retriever(
    runtime: Runtime, inputs: Inputs, run: PlannedRun, corpus: dict[ChunkId, Chunk]
) -> Retriever:
    from claimrag.tasks.retrieve import build_retriever

    embedder = inputs.embedder() if run.system.embedder is not None else None
    chunks = list(corpus.values())
    return await runtime.once(
        f"retriever {run.system.retriever} {run.system.embedder} {run.corpus}",
        lambda: build_retriever(run.system.retriever, chunks, embedder=embedder),
    )


def _text(runtime: Runtime, act_id: ActId) -> str:
    return runtime.workspace.read_table(TEXTS.of(act_id), TEXTS.noun)[0].text
