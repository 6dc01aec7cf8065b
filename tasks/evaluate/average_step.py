"""Step that averages the scores of a run over all its acts: the table `runs`, one per run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from claimrag.schemas.base import RunId
from claimrag.schemas.run import Run, ScoredAnswer
from claimrag.tasks.evaluate.plan import PlannedRun, planned
from claimrag.tasks.evaluate.step import SCORED_ANSWERS
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.step import Inputs, Table, make_table
from claimrag.tasks.store import Outcome, TableRef

RUNS = Table("runs", Run)


async def average_run(runtime: Runtime, run_id: RunId) -> TableRef:
    """The means of a run over the questions of all its acts; its rows are read act by act."""
    run = planned(runtime, run_id)

    async def work(inputs: Inputs) -> Outcome[Run]:
        from claimrag.tasks.evaluate.means import run_of

        total = sum(inputs.note(SCORED_ANSWERS, run.id, act_id).kept for act_id in run.acts)
        bootstrap, seed = inputs.settings.evaluate.bootstrap, inputs.settings.evaluate.seed
        rows = _scored(runtime, run)
        averaged = await asyncio.to_thread(
            run_of, run.id, run.system, run.language, run.acts, rows, total, bootstrap, seed
        )
        return Outcome([averaged])

    return await make_table(runtime, RUNS, (run.id,), work, acts=list(run.acts))


def _scored(runtime: Runtime, run: PlannedRun) -> Iterator[ScoredAnswer]:
    for act_id in run.acts:
        for batch in runtime.workspace.iter_table(SCORED_ANSWERS.of(run.id, act_id), ScoredAnswer):
            yield from batch
