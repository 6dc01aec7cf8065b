"""Step from questions to claims: the table `claims`, one per act."""

from __future__ import annotations

from claimrag.schemas import Claim, Question
from claimrag.schemas.base import ActId
from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.tasks.build.code import code_sha256
from claimrag.tasks.build.questions import context_units
from claimrag.tasks.build.runtime import Runtime
from claimrag.tasks.build.stage import run_stage
from claimrag.tasks.store import Outcome, TableRef


async def extract_act_claims(runtime: Runtime, act_id: ActId) -> TableRef:
    """Extract and label the claims of an act's reference answers."""
    from claimrag.tasks.claims import extract_claims

    workspace, settings = runtime.workspace, runtime.settings.claims
    questions_ref = TableRef(stage="questions", scope=act_id)
    made_from = {
        "questions": workspace.rows_sha256(questions_ref),
        "context_units": workspace.rows_sha256(TableRef(stage="context_units", scope=act_id)),
        "settings": sha256_text(canonical_json(settings.model_dump(mode="json"))),
        "model": runtime.judge.model_name,
        "code": code_sha256("claimrag.tasks.claims", "claimrag.prompts"),
    }

    async def extract() -> Outcome[Claim]:
        questions = workspace.read_table(questions_ref, Question)
        contexts = {unit.id: unit for unit in context_units(runtime, act_id)}
        return await extract_claims(questions, contexts, runtime.judge, settings)

    ref = TableRef(stage="claims", scope=act_id)
    await run_stage(runtime, ref, Claim, made_from, extract)
    runtime.progress.advance("claims")
    return ref
