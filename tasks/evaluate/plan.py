"""Plans an evaluation: which system on which corpus, and which questions of it are answered and scored.

The corpus of a run is the current version of each law, so that a superseded text competes with none. One run per
language and retriever of the settings. Everything that a shard must know, and that is too large to pass from flow
to task, is looked up in the runtime by the run's id. What a plan decides (system, corpus, sample) is an argument of
the steps, so that its own code is not part of what their tables are made from.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from claimrag.schemas.base import ActId, ChunkId, Noun, QuestionId, RunId
from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.run import RagSystem
from claimrag.schemas.text import ActText
from claimrag.tasks.chunk.step import CHUNKS
from claimrag.tasks.claims.step import CLAIMS
from claimrag.tasks.occurrences.step import OCCURRENCES, written_for
from claimrag.tasks.parse.step import TEXTS
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.versions import current_acts, expression_of


class EvaluationShard(Noun):
    """The questions of one act under one run; `label` is what people read."""

    run_id: RunId
    act_id: ActId
    label: str


@dataclass(frozen=True)
class PlannedRun:
    """One system over the questions of one language. `corpus` is a hash over the chunks of its acts."""

    id: RunId
    system: RagSystem
    language: str
    acts: tuple[ActId, ...]
    corpus: str
    sampled: frozenset[QuestionId] | None

    @property
    def shards(self) -> list[EvaluationShard]:
        """One per act, in order."""
        label = f"{self.language} {self.system.retriever}"
        return [EvaluationShard(run_id=self.id, act_id=act_id, label=label) for act_id in self.acts]


async def plan_evaluation(runtime: Runtime, act_ids: list[ActId]) -> list[PlannedRun]:
    """One run per language and retriever, in order; empty where no question holds in a current version.

    Raises InputError for a retriever that is not known.
    """
    runs = await asyncio.to_thread(_plan, runtime, act_ids)
    runtime.plans.update({run.id: run for run in runs})
    return runs


def planned(runtime: Runtime, run_id: RunId) -> PlannedRun:
    """The run with that id, as it was planned in this process."""
    run: PlannedRun = runtime.plans[run_id]
    return run


def _plan(runtime: Runtime, act_ids: list[ActId]) -> list[PlannedRun]:
    by_language: dict[str, list[ActId]] = defaultdict(list)
    held = {
        act_id: runtime.workspace.read_counts(OCCURRENCES.of(act_id)).kept for act_id in current_acts(act_ids)
    }
    for act_id, questions in held.items():
        if questions:
            by_language[expression_of(act_id)[1]].append(act_id)
    runs = []
    for language, acts in sorted(by_language.items()):
        corpus = _corpus_sha256(runtime, acts)
        sampled = _sample(runtime, acts)
        for retriever in runtime.settings.evaluate.retrievers:
            system = _system(runtime, language, retriever)
            runs.append(_run(runtime, system, language, acts, corpus, sampled))
    runtime.progress.begin("evaluate", sum(held[act_id] for run in runs for act_id in run.acts))
    return runs


def _run(
    runtime: Runtime,
    system: RagSystem,
    language: str,
    acts: list[ActId],
    corpus: str,
    sampled: frozenset[QuestionId] | None,
) -> PlannedRun:
    from claimrag.tasks.evaluate.system import run_id_of

    run_id = run_id_of(system, language, acts, runtime.settings.evaluate)
    return PlannedRun(run_id, system, language, tuple(acts), corpus, sampled)


def _system(runtime: Runtime, language: str, retriever: str) -> RagSystem:
    from claimrag.tasks.evaluate.system import system_for
    from claimrag.tasks.retrieve import find_retriever

    embeds = find_retriever(retriever).needs_embedder
    return system_for(
        language,
        retriever,
        runtime.settings.evaluate.chunker_name,
        _spelled(runtime.identity("embedder")) if embeds else None,
        runtime.identity("llm"),
        runtime.identity("judge"),
        runtime.settings.evaluate,
        runtime.settings.claims,
    )


def _spelled(identity: Mapping[str, str]) -> str:
    rest = ", ".join(f"{name} {value}" for name, value in sorted(identity.items()) if name != "model")
    return f"{identity['model']} ({rest})" if rest else identity["model"]


def _corpus_sha256(runtime: Runtime, acts: list[ActId]) -> str:
    chunker = runtime.settings.evaluate.chunker_name
    rows = {act_id: runtime.workspace.rows_sha256(CHUNKS.of(act_id, chunker)) for act_id in acts}
    return sha256_text(canonical_json(rows))


def _sample(runtime: Runtime, acts: list[ActId]) -> frozenset[QuestionId] | None:
    """The questions to answer; None where all of those with reference claims are."""
    from claimrag.tasks.evaluate.sample import reference_claims, sample_questions

    settings = runtime.settings.evaluate
    if settings.questions_per_language is None:
        return None
    candidates: list[QuestionId] = []
    for act_id in acts:
        holding = {row.question_id for row in runtime.rows(OCCURRENCES.of(act_id), OCCURRENCES.noun)}
        claims = [
            row for ref in written_for(runtime, act_id, CLAIMS) for row in runtime.rows(ref, CLAIMS.noun)
        ]
        candidates += sorted(holding & reference_claims(claims).keys())
    return sample_questions(candidates, settings.questions_per_language, settings.seed)


async def read_corpus(runtime: Runtime, run: PlannedRun) -> dict[ChunkId, Chunk]:
    """Every chunk of the run's acts, each held against its act's text; read once per corpus."""

    def read() -> dict[ChunkId, Chunk]:
        from claimrag.tasks.evaluate.retrieval import check_chunks

        corpus: dict[ChunkId, Chunk] = {}
        for act_id in run.acts:
            chunks = runtime.workspace.read_table(CHUNKS.of(act_id, run.system.chunker), Chunk)
            text = runtime.workspace.read_table(TEXTS.of(act_id), ActText)[0].text
            check_chunks(chunks, {act_id: text})
            corpus.update((chunk.id, chunk) for chunk in chunks)
        return corpus

    return await runtime.once(f"corpus {run.corpus}", read)
