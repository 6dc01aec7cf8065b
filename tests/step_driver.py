"""Runs every step of a build up to the scores, without Prefect: for tests of what is made again, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from claimrag.schemas.build import BuildRequest, StageSummary, Usage
from claimrag.schemas.run import Run
from claimrag.tasks.acquire.step import acquire_law, plan_laws
from claimrag.tasks.chunk.step import chunk_law
from claimrag.tasks.claims.step import extract_act_claims
from claimrag.tasks.evaluate.average_step import average_run
from claimrag.tasks.evaluate.plan import plan_evaluation
from claimrag.tasks.evaluate.step import score_shard
from claimrag.tasks.generate.join_step import join_questions, refuse_narrower
from claimrag.tasks.generate.step import generate_shard, plan_shards
from claimrag.tasks.occurrences.step import bind_act
from claimrag.tasks.parse.step import parse_law
from claimrag.tasks.retrieve.step import retrieve_shard
from claimrag.tasks.run.runtime import Runtime, open_runtime
from claimrag.tasks.run.summary import judge_build, summarise, write_progress
from claimrag.tasks.run.tables import TABLES, select
from claimrag.tasks.segment.step import segment_law


@dataclass(frozen=True)
class Outcome:
    """What a run made: `remade` names stages, each once; `tables` the single tables; `why` what had changed.

    `exit_code` and `verdict` are those with which a build would end.
    """

    acts: tuple[str, ...]
    tables: tuple[str, ...]
    why: dict[str, list[str]]
    runs: tuple[Run, ...]
    stale: tuple[Run, ...]
    usage: tuple[Usage, ...]
    stages: tuple[StageSummary, ...]
    exit_code: int
    verdict: str

    @property
    def remade(self) -> set[str]:
        """The stages of which a table was made."""
        return {name.partition(" ")[0] for name in self.tables}


async def run_steps(
    workspace: str, laws: Iterable[str], *, units: int = 3, windows: int = 1, manifest: bool = False
) -> Outcome:
    """Every step from the laws to the scores of the settings' systems; with `manifest`, what was asked is kept."""
    request = BuildRequest(laws=tuple(laws), workspace=workspace, units=units, windows=windows)
    async with open_runtime(request) as runtime:
        acts = sorted({await _prepare(runtime, law) for law in plan_laws(runtime)})
        for act_id in acts:
            shards = plan_shards(runtime, act_id)
            refuse_narrower(runtime, act_id, shards)
            for shard in shards:
                await generate_shard(runtime, shard)
            await join_questions(runtime, act_id, shards)
        for act_id in acts:
            await bind_act(runtime, act_id)
            await extract_act_claims(runtime, act_id)
            await chunk_law(runtime, act_id)
        for run in await plan_evaluation(runtime, acts):
            for evaluated in run.shards:
                await retrieve_shard(runtime, evaluated)
                await score_shard(runtime, evaluated)
            await average_run(runtime, run.id)
        selection = select(runtime, acts)
        if manifest:
            write_progress(runtime)
        stages = summarise(runtime, selection, TABLES)
        exit_code, verdict = judge_build(stages, selection.runs, runtime.settings.allowed_rejected_share)
        return Outcome(
            acts=tuple(acts),
            tables=tuple(f"{ref.stage} {ref.scope}" for ref in runtime.remade),
            why=dict(runtime.changed),
            runs=selection.runs,
            stale=selection.stale_runs,
            usage=runtime.usage(),
            stages=stages,
            exit_code=exit_code,
            verdict=verdict,
        )


async def _prepare(runtime: Runtime, law: object) -> str:
    act_id = await parse_law(runtime, await acquire_law(runtime, law))  # type: ignore[arg-type]
    await segment_law(runtime, act_id)
    return act_id
