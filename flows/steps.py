"""The steps as Prefect tasks: names, tags, timeouts and retries, and nothing else.

Tables say themselves whether they are current (tasks.run.step), and each model reply is in the request cache, so
Prefect's own result cache stays off: it would know less than the tables do. Model errors are retried in the
gateway, one call at a time; a task is retried only for what may pass by itself.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE

from claimrag.schemas.base import ActId, RunId
from claimrag.schemas.release import Release
from claimrag.tasks.acquire import step as acquisition
from claimrag.tasks.acquire.naming import NamedLaw
from claimrag.tasks.chunk import step as chunking
from claimrag.tasks.claims import step as claims
from claimrag.tasks.evaluate import average_step as averaging
from claimrag.tasks.evaluate import plan as evaluation_plan
from claimrag.tasks.evaluate import step as evaluation
from claimrag.tasks.generate import join_step as joining
from claimrag.tasks.generate import step as generation
from claimrag.tasks.occurrences import step as occurrences
from claimrag.tasks.parse import step as parsing
from claimrag.tasks.release import step as releasing
from claimrag.tasks.retrieve import step as retrieval
from claimrag.tasks.run.runtime import current_runtime
from claimrag.tasks.segment import step as segmentation
from claimrag.tasks.store import TableRef
from claimrag.tasks.validate import step as validation

_OPTIONS: dict[str, Any] = {"cache_policy": NO_CACHE, "persist_result": False}
_HOUR = timedelta(hours=1).total_seconds()


@task(name="acquire", task_run_name="acquire {law.name} {law.language}", tags=["acquire"], **_OPTIONS)
async def acquire(law: NamedLaw) -> acquisition.SnapshotRef:
    """Keep the raw bytes of a law."""
    return await acquisition.acquire_law(current_runtime(), law)


@task(name="parse", task_run_name="parse {snapshot.name}", timeout_seconds=_HOUR, tags=["parse"], **_OPTIONS)
async def parse(snapshot: acquisition.SnapshotRef) -> ActId:
    """Parse a law into its tree of units."""
    return await parsing.parse_law(current_runtime(), snapshot)


@task(name="segment", task_run_name="segment {act_id}", timeout_seconds=_HOUR, tags=["segment"], **_OPTIONS)
async def segment(act_id: ActId) -> TableRef:
    """Cut an act into context units."""
    return await segmentation.segment_law(current_runtime(), act_id)


@task(
    name="generate",
    task_run_name="generate {shard.act_id} {shard.hop}-{shard.number}",
    tags=["generate", "llm"],
    **_OPTIONS,
)
async def generate(shard: generation.QuestionShard) -> TableRef:
    """Generate the questions of one shard of an act."""
    return await generation.generate_shard(current_runtime(), shard)


@task(name="join-questions", task_run_name="join questions {act_id}", tags=["generate"], **_OPTIONS)
async def join_questions(act_id: ActId, shards: list[generation.QuestionShard]) -> TableRef:
    """Join the shards of an act, without duplicates."""
    return await joining.join_questions(current_runtime(), act_id, shards)


@task(name="occurrences", task_run_name="occurrences {act_id}", tags=["generate"], **_OPTIONS)
async def bind_questions(act_id: ActId) -> TableRef:
    """Find the questions that hold in this version of the act."""
    return await occurrences.bind_act(current_runtime(), act_id)


@task(name="claims", task_run_name="claims {act_id}", tags=["claims", "llm"], **_OPTIONS)
async def extract_claims(act_id: ActId) -> TableRef:
    """Extract and label the claims of an act's answers."""
    return await claims.extract_act_claims(current_runtime(), act_id)


@task(name="chunk", task_run_name="chunk {act_id}", timeout_seconds=_HOUR, tags=["chunk"], **_OPTIONS)
async def chunk(act_id: ActId) -> TableRef:
    """Cut an act into chunks for retrieval."""
    return await chunking.chunk_law(current_runtime(), act_id)


@task(name="retrieve", task_run_name="retrieve {shard.label} {shard.act_id}", tags=["evaluate"], **_OPTIONS)
async def retrieve(shard: evaluation_plan.EvaluationShard) -> TableRef:
    """Retrieve the chunks for the questions of one act."""
    return await retrieval.retrieve_shard(current_runtime(), shard)


@task(name="score", task_run_name="score {shard.label} {shard.act_id}", tags=["evaluate", "llm"], **_OPTIONS)
async def score(shard: evaluation_plan.EvaluationShard) -> TableRef:
    """Answer and score the questions of one act with one RAG system."""
    return await evaluation.score_shard(current_runtime(), shard)


@task(name="average", task_run_name="average {run_id}", tags=["evaluate"], **_OPTIONS)
async def average(run_id: RunId) -> TableRef:
    """The means of one RAG system over all its questions."""
    return await averaging.average_run(current_runtime(), run_id)


@task(name="validate", timeout_seconds=_HOUR, tags=["validate"], **_OPTIONS)
async def validate(act_ids: list[ActId]) -> validation.ValidationOutcome:
    """Check every table with Great Expectations."""
    return await validation.validate_acts(current_runtime(), act_ids)


@task(name="release", timeout_seconds=_HOUR, tags=["release"], **_OPTIONS)
async def release(act_ids: list[ActId]) -> tuple[Release, str]:
    """Write the release folder; returns the release and its path."""
    return await releasing.release_acts(current_runtime(), act_ids)
