"""Step that answers and scores: the table `scored_answers`, one per run and act."""

from __future__ import annotations

from collections import defaultdict

from claimrag.schemas.base import ClaimId, QuestionId
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.claim import Claim
from claimrag.schemas.run import ScoredAnswer
from claimrag.tasks.claims.step import CLAIMS
from claimrag.tasks.evaluate.plan import EvaluationShard, planned, read_corpus
from claimrag.tasks.occurrences.step import OCCURRENCES, read_questions, written_for
from claimrag.tasks.progress import Part
from claimrag.tasks.retrieve.step import RETRIEVALS
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.step import Inputs, Table, make_table
from claimrag.tasks.store import Outcome, TableRef

SCORED_ANSWERS = Table("scored_answers", ScoredAnswer, may_be_empty=True)


async def score_shard(runtime: Runtime, shard: EvaluationShard) -> TableRef:
    """Answer the sampled questions of one act, and score them."""
    run = planned(runtime, shard.run_id)
    questions_held = runtime.workspace.read_counts(OCCURRENCES.of(shard.act_id)).kept
    part = Part(runtime.progress, "evaluate", questions_held, announced=True)

    async def work(inputs: Inputs) -> Outcome[ScoredAnswer]:
        from claimrag.tasks.evaluate.scoring import score_questions

        questions, occurrences = await read_questions(runtime, inputs, shard.act_id)
        claims: dict[ClaimId, Claim] = {}  # a claim may stand in the tables of several versions
        for ref in written_for(runtime, shard.act_id, CLAIMS):
            for claim in await inputs.rows(CLAIMS, ref.scope):
                if claim.question_id in occurrences:
                    claims.setdefault(claim.id, claim)
        chunks = await read_corpus(runtime, run)
        retrieved: dict[QuestionId, list[Chunk]] = defaultdict(list)
        for row in await inputs.rows(RETRIEVALS, run.id, shard.act_id):
            retrieved[row.question_id].append(chunks[row.chunk_id])
        return await score_questions(
            run.id,
            run.system,
            questions,
            occurrences,
            claims.values(),
            retrieved,
            frozenset(occurrences) if run.sampled is None else run.sampled,
            inputs.llm,
            inputs.judge,
            inputs.settings.evaluate,
            inputs.settings.claims,
            part,
        )

    ref = await make_table(
        runtime,
        SCORED_ANSWERS,
        (run.id, shard.act_id),
        work,
        system=run.system.id,
        corpus=run.corpus,
        sampled=None if run.sampled is None else sorted(run.sampled),
    )
    part.finish()
    return ref
