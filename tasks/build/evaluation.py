"""Steps that score the RAG baselines: chunk each act, then answer and score per language and retriever."""

from __future__ import annotations

import asyncio
from typing import Literal, TypeVar

from claimrag.schemas import Act, Chunk, Claim, Question, RagSystem, Retrieval, Run, ScoredAnswer
from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.schemas.text import ActText
from claimrag.tasks.build.code import code_sha256
from claimrag.tasks.build.runtime import Runtime
from claimrag.tasks.build.sources import read_act
from claimrag.tasks.build.stage import run_stage
from claimrag.tasks.store import Outcome, TableRef

T = TypeVar("T", bound=Noun)


class EvaluationShard(Noun):
    """One RAG system over the acts of one language."""

    language: str
    retriever: Literal["bm25", "dense"]
    act_ids: tuple[ActId, ...]

    @property
    def scope(self) -> str:
        """The scope of the shard's tables."""
        return f"{self.language}/{self.retriever}"


def plan_evaluation(runtime: Runtime, act_ids: list[ActId]) -> list[EvaluationShard]:
    """One shard per language and retriever, in order."""
    by_language: dict[str, list[ActId]] = {}
    for act_id in act_ids:
        act = runtime.workspace.read_table(TableRef(stage="acts", scope=act_id), Act)[0]
        by_language.setdefault(act.language, []).append(act_id)
    shards = [
        EvaluationShard(language=language, retriever=retriever, act_ids=tuple(sorted(ids)))
        for language, ids in sorted(by_language.items())
        for retriever in runtime.settings.evaluate.retrievers
    ]
    runtime.progress.begin("evaluate", len(shards))
    return shards


def chunker_name(runtime: Runtime) -> str:
    """The fixed-size chunker that the settings ask for."""
    settings = runtime.settings.evaluate
    return f"fixed-{settings.chunk_tokens}-{settings.chunk_overlap}"


async def chunk_law(runtime: Runtime, act_id: ActId) -> TableRef:
    """Cut an act into chunks: the table `chunks`."""
    from claimrag.tasks.chunk import chunk_act

    chunker = chunker_name(runtime)
    units_ref = TableRef(stage="units", scope=act_id)
    made_from = {
        "units": runtime.workspace.rows_sha256(units_ref),
        "chunker": chunker,
        "code": code_sha256("claimrag.tasks.chunk"),
    }

    async def work() -> Outcome[Chunk]:
        act, units, text = read_act(runtime, act_id)
        return Outcome(kept=await asyncio.to_thread(chunk_act, act, text, units, chunker))

    return await run_stage(runtime, TableRef(stage="chunks", scope=act_id), Chunk, made_from, work)


async def evaluate_shard(runtime: Runtime, shard: EvaluationShard) -> TableRef:
    """Score one system: the tables `retrievals`, `scored_answers` and, last, `runs`."""
    from claimrag.tasks.evaluate import evaluate_system
    from claimrag.tasks.retrieve import build_retriever

    settings = runtime.settings
    system = RagSystem(
        chunker=chunker_name(runtime),
        retriever=shard.retriever,
        generator=runtime.llm.model_name,
        judge=runtime.judge.model_name,
        k=settings.evaluate.k,
    )
    made_from = _inputs(runtime, shard) | {
        "code": code_sha256(
            "claimrag.tasks.evaluate", "claimrag.tasks.retrieve", "claimrag.tasks.claims", "claimrag.prompts"
        ),
        "system": sha256_text(canonical_json(system.model_dump(mode="json"))),
        "settings": sha256_text(
            canonical_json(
                [settings.evaluate.model_dump(mode="json"), settings.claims.model_dump(mode="json")]
            )
        ),
    }
    runs_ref = TableRef(stage="runs", scope=shard.scope)

    async def score() -> Outcome[Run]:
        chunks = _rows(runtime, "chunks", shard, Chunk)
        embedder = runtime.embedder() if shard.retriever == "dense" else None
        retriever = await asyncio.to_thread(build_retriever, shard.retriever, chunks, embedder=embedder)
        made = await evaluate_system(
            system,
            _rows(runtime, "questions", shard, Question),
            _rows(runtime, "claims", shard, Claim),
            chunks,
            {row.act_id: row.text for row in _rows(runtime, "texts", shard, ActText)},
            retriever,
            runtime.llm,
            runtime.judge,
            settings.evaluate,
            settings.claims,
        )
        await _keep(runtime, "retrievals", shard, Retrieval, Outcome(made.retrievals), made_from)
        await _keep(runtime, "scored_answers", shard, ScoredAnswer, made.scored, made_from)
        return Outcome(kept=[made.run])

    await run_stage(runtime, runs_ref, Run, made_from, score)
    runtime.evaluated.append(shard.scope)
    runtime.progress.advance("evaluate")
    return runs_ref


async def _keep(
    runtime: Runtime,
    stage: str,
    shard: EvaluationShard,
    model: type[T],
    outcome: Outcome[T],
    made_from: dict[str, str],
) -> None:
    async def rows() -> Outcome[T]:
        return outcome

    await run_stage(runtime, TableRef(stage=stage, scope=shard.scope), model, made_from, rows)


def _inputs(runtime: Runtime, shard: EvaluationShard) -> dict[str, str]:
    return {
        f"{stage} {act_id}": runtime.workspace.rows_sha256(TableRef(stage=stage, scope=act_id))
        for act_id in shard.act_ids
        for stage in ("chunks", "questions", "claims")
    }


def _rows(runtime: Runtime, stage: str, shard: EvaluationShard, model: type[T]) -> list[T]:
    return [
        row
        for act_id in shard.act_ids
        for row in runtime.workspace.read_table(TableRef(stage=stage, scope=act_id), model)
    ]
