"""A rehearsal: the build over a copy of the workspace, with the replies that are at hand and without asking for any.

Every step is the real one. What the request cache answers costs nothing and is done; where it does not, the request
is noted with the item that it is for, and the item is left. So the plan knows exactly which context units, questions
and answers must be asked about, and estimates only what follows from replies that nobody has seen yet.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claimrag.schemas.base import ActId
from claimrag.schemas.build import BuildRequest
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.errors import EmptyStageError, ModelError
from claimrag.tasks.acquire.naming import NamedLaw
from claimrag.tasks.acquire.step import acquire_law, plan_laws
from claimrag.tasks.chunk.step import chunk_law
from claimrag.tasks.claims.step import extract_act_claims
from claimrag.tasks.evaluate.average_step import average_run
from claimrag.tasks.evaluate.plan import PlannedRun, plan_evaluation
from claimrag.tasks.evaluate.step import score_shard
from claimrag.tasks.generate.join_step import join_questions, refuse_narrower
from claimrag.tasks.generate.step import generate_shard, plan_shards
from claimrag.tasks.llm import AttemptsExhaustedError, ModelRequest, RequestCache
from claimrag.tasks.llm.asked import Asked, WorkItem, counted_in, item_at_work
from claimrag.tasks.llm.request import prompt_bytes
from claimrag.tasks.occurrences.step import OCCURRENCES, bind_act
from claimrag.tasks.parse.step import parse_law
from claimrag.tasks.plan.shadow import copy_of
from claimrag.tasks.progress import Pace
from claimrag.tasks.retrieve.embedding_cache import NotEmbeddedError
from claimrag.tasks.retrieve.step import retrieve_shard
from claimrag.tasks.run.failures import each_law
from claimrag.tasks.run.runtime import Runtime, cache_path, effective_settings, open_rehearsal
from claimrag.tasks.run.versions import expression_of
from claimrag.tasks.segment.step import segment_law
from claimrag.tasks.store import Workspace

EMBEDDED_MOST = 64
"""So many texts the local embedder may embed for a rehearsal: an article or two. Their vectors are kept."""


@dataclass(frozen=True)
class Missing:
    """A request that the cache does not answer."""

    purpose: str
    model: str
    bytes: int


class Noted(Asked):
    """What a rehearsal found: per item the requests that must be asked, and those that are answered already."""

    def __init__(self) -> None:
        super().__init__()
        self.missing: defaultdict[WorkItem, list[Missing]] = defaultdict(list)
        self.answered: defaultdict[WorkItem, Counter[str]] = defaultdict(Counter)

    def reply(
        self, key: str, request: ModelRequest, model: str, prompt_tokens: int, completion_tokens: int
    ) -> None:
        """Count a reply that is at hand."""
        super().reply(key, request, model, prompt_tokens, completion_tokens)
        item = item_at_work()
        if item is not None:
            self.answered[item][request.purpose] += 1

    def refuse(self, model: str, request: ModelRequest) -> ModelError:
        """Note a request that the cache does not answer; the error ends the work on its item."""
        item = item_at_work()
        if item is None:
            raise RuntimeError(f"a request ({request.purpose}) was made for no item of work")
        self.missing[item].append(Missing(request.purpose, model, prompt_bytes(request)))
        return AttemptsExhaustedError("not asked: this is a rehearsal", per_request=True)


@dataclass
class Chunks:
    """The chunks of the laws of one language. Retrieval prefers long ones: sizes are means over characters."""

    number: int = 0
    characters: int = 0
    squares: int = 0
    tokens: int = 0

    def add(self, chunk: Chunk) -> None:
        """One chunk more."""
        self.number += 1
        self.characters += len(chunk.body)
        self.squares += len(chunk.body) ** 2
        self.tokens += chunk.tokens

    @property
    def characters_retrieved(self) -> float:
        """The characters of a chunk that is retrieved, on average."""
        return self.squares / max(1, self.characters)

    @property
    def tokens_retrieved(self) -> float:
        """The tokens of such a chunk."""
        return max(1.0, self.characters_retrieved * self.tokens / max(1, self.characters))


@dataclass
class Rehearsal:
    """How far the build comes without asking: the copy that it worked in, what it noted, and what it left open.

    `unretrieved` counts, by language, the questions whose chunks cannot be known before texts are embedded.
    """

    runtime: Runtime
    noted: Noted
    acts: list[ActId] = field(default_factory=list)
    runs: list[PlannedRun] = field(default_factory=list)
    unretrieved: Counter[str] = field(default_factory=Counter)
    chunks: defaultdict[str, Chunks] = field(default_factory=lambda: defaultdict(Chunks))


@asynccontextmanager
async def rehearsed(request: BuildRequest, base: Workspace | None, folder: Path) -> AsyncIterator[Rehearsal]:
    """The rehearsal of a build of `request` over the workspace `base` (None: a new one), in `folder`."""
    settings = effective_settings(request)
    noted = Noted()
    shadow = await asyncio.to_thread(copy_of, base, folder / "workspace")
    at_hand = None if base is None else cache_path(base)
    cache = RequestCache(at_hand if at_hand is not None and at_hand.exists() else folder / "requests.sqlite")
    try:
        async with open_rehearsal(request, settings, shadow, cache, noted.refuse) as runtime:
            runtime.progress = Pace(runtime.progress)
            runtime.most_new_texts = EMBEDDED_MOST if settings.embeddings.model is None else 0
            rehearsal = Rehearsal(runtime, noted)
            with counted_in(noted):
                await _rehearse(rehearsal)
            yield rehearsal
    finally:
        cache.close()


async def _rehearse(rehearsal: Rehearsal) -> None:
    runtime = rehearsal.runtime

    async def prepare(law: NamedLaw) -> ActId:
        act_id = await parse_law(runtime, await acquire_law(runtime, law))
        await segment_law(runtime, act_id)
        return act_id

    prepared = await each_law(runtime, plan_laws(runtime), prepare, lambda law: law.label)
    rehearsal.acts = sorted(set(prepared.values()))
    for act_id in rehearsal.acts:
        await _questions(runtime, act_id)
    for act_id in rehearsal.acts:
        await bind_act(runtime, act_id)
    for act_id in rehearsal.acts:
        await _unless_empty(extract_act_claims(runtime, act_id))
    if runtime.request.evaluate:
        await _evaluate(rehearsal)


async def _questions(runtime: Runtime, act_id: ActId) -> None:
    shards = plan_shards(runtime, act_id)
    await asyncio.to_thread(refuse_narrower, runtime, act_id, shards)
    for shard in shards:
        await generate_shard(runtime, shard)
    await _unless_empty(join_questions(runtime, act_id, shards))


async def _evaluate(rehearsal: Rehearsal) -> None:
    runtime = rehearsal.runtime
    for act_id in rehearsal.acts:
        ref = await chunk_law(runtime, act_id)
        for chunk in await asyncio.to_thread(runtime.rows, ref, Chunk):
            rehearsal.chunks[expression_of(act_id)[1]].add(chunk)
    rehearsal.runs = await plan_evaluation(runtime, rehearsal.acts)
    for run in rehearsal.runs:
        try:
            for shard in run.shards:
                await retrieve_shard(runtime, shard)
        except NotEmbeddedError:
            rehearsal.unretrieved[run.language] += _questions_of(runtime, run)
            continue
        for shard in run.shards:
            await score_shard(runtime, shard)
        await average_run(runtime, run.id)


def _questions_of(runtime: Runtime, run: PlannedRun) -> int:
    """How many questions the system will answer."""
    if run.sampled is not None:
        return len(run.sampled)
    return sum(runtime.workspace.read_counts(OCCURRENCES.of(act_id)).kept for act_id in run.acts)


async def _unless_empty(step: Coroutine[Any, Any, object]) -> None:
    """A table that kept nothing yet is no failure: its rows are still to be asked for."""
    try:
        await step
    except EmptyStageError:
        return
