"""The steps as Prefect tasks: names, tags, timeouts and retries, and nothing else.

Tables say themselves whether they are current (tasks.build.stage), and each model reply is in the request
cache, so Prefect's own result cache stays off: it would know less than the tables do. Model errors are
retried in the gateway, one call at a time; a task is retried only for what may pass by itself.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE

from claimrag.schemas.base import ActId
from claimrag.schemas.release import Release
from claimrag.tasks.acquire.naming import NamedLaw
from claimrag.tasks.build import claims, evaluation, publication, questions, sources
from claimrag.tasks.build.runtime import current_runtime
from claimrag.tasks.build.validation import ValidationOutcome
from claimrag.tasks.store import TableRef

_OPTIONS: dict[str, Any] = {"cache_policy": NO_CACHE, "persist_result": False}
_HOUR = timedelta(hours=1).total_seconds()


@task(name="acquire", task_run_name="acquire {source.name} {source.language}", tags=["acquire"], **_OPTIONS)
async def acquire(source: NamedLaw) -> sources.SnapshotRef:
    """Keep the raw bytes of a law."""
    return await sources.acquire_law(current_runtime(), source)


@task(name="parse", task_run_name="parse {snapshot.name}", timeout_seconds=_HOUR, tags=["parse"], **_OPTIONS)
async def parse(snapshot: sources.SnapshotRef) -> ActId:
    """Parse a law into its tree of units."""
    return await sources.parse_law(current_runtime(), snapshot)


@task(name="segment", task_run_name="segment {act_id}", timeout_seconds=_HOUR, tags=["segment"], **_OPTIONS)
async def segment(act_id: ActId) -> TableRef:
    """Cut an act into context units."""
    return await sources.segment_law(current_runtime(), act_id)


@task(
    name="generate",
    task_run_name="generate {shard.act_id} {shard.hop}-{shard.number}",
    tags=["generate", "llm"],
    **_OPTIONS,
)
async def generate(shard: questions.QuestionShard) -> TableRef:
    """Generate the questions of one shard of an act."""
    return await questions.generate_shard(current_runtime(), shard)


@task(name="join-questions", task_run_name="join questions {act_id}", tags=["generate"], **_OPTIONS)
async def join_questions(act_id: ActId, shards: list[TableRef]) -> TableRef:
    """Join the shards of an act, without duplicates."""
    return await questions.join_questions(current_runtime(), act_id, shards)


@task(name="claims", task_run_name="claims {act_id}", tags=["claims", "llm"], **_OPTIONS)
async def extract_claims(act_id: ActId) -> TableRef:
    """Extract and label the claims of an act's answers."""
    return await claims.extract_act_claims(current_runtime(), act_id)


@task(name="chunk", task_run_name="chunk {act_id}", timeout_seconds=_HOUR, tags=["chunk"], **_OPTIONS)
async def chunk(act_id: ActId) -> TableRef:
    """Cut an act into chunks for retrieval."""
    return await evaluation.chunk_law(current_runtime(), act_id)


@task(
    name="evaluate",
    task_run_name="evaluate {shard.language} {shard.retriever}",
    tags=["evaluate", "llm"],
    **_OPTIONS,
)
async def evaluate(shard: evaluation.EvaluationShard) -> TableRef:
    """Answer and score with one RAG system."""
    return await evaluation.evaluate_shard(current_runtime(), shard)


@task(name="validate", timeout_seconds=_HOUR, tags=["validate"], **_OPTIONS)
async def validate(act_ids: list[ActId]) -> ValidationOutcome:
    """Check every table with Great Expectations."""
    from claimrag.tasks.build import validation

    return await validation.validate_build(current_runtime(), act_ids)


@task(name="release", timeout_seconds=_HOUR, tags=["release"], **_OPTIONS)
async def release(act_ids: list[ActId]) -> tuple[Release, str]:
    """Write the release folder; returns the release and its path."""
    return await publication.make_build_release(current_runtime(), act_ids)
