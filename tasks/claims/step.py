"""Step from questions to claims: the table `claims`, one per act."""

from __future__ import annotations

import asyncio

from claimrag.schemas.base import ActId
from claimrag.schemas.claim import Claim
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.progress import Part
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.step import Inputs, Table, make_table
from claimrag.tasks.segment.step import CONTEXT_UNITS
from claimrag.tasks.store import Outcome, TableRef

CLAIMS = Table("claims", Claim)


async def extract_act_claims(runtime: Runtime, act_id: ActId) -> TableRef:
    """Extract and label the claims of an act's reference answers."""
    part = Part(runtime.progress, "claims", runtime.workspace.read_counts(QUESTIONS.of(act_id)).kept)

    async def work(inputs: Inputs) -> Outcome[Claim]:
        from claimrag.tasks.claims.extraction import extract_claims

        await asyncio.to_thread(load_what_is_slow)
        questions = await inputs.rows(QUESTIONS, act_id)
        contexts = {unit.id: unit for unit in await inputs.rows(CONTEXT_UNITS, act_id)}
        return await extract_claims(questions, contexts, inputs.judge, inputs.settings.claims, part)

    ref = await make_table(runtime, CLAIMS, (act_id,), work)
    part.finish()
    return ref


def load_what_is_slow() -> None:
    """RefChecker and the language identifier, before the first request: loading would hold up the event loop."""
    from claimrag.tasks.claims.refchecker_import import refchecker_modules
    from claimrag.tasks.local.language import identify

    refchecker_modules()
    identify("the law")
