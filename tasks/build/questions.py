"""Steps from context units to questions: shards of single-hop and multi-hop, joined per act."""

from __future__ import annotations

import asyncio
from typing import Literal

from claimrag.schemas import ContextUnit, Question
from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.tasks.build.code import code_sha256
from claimrag.tasks.build.runtime import Runtime
from claimrag.tasks.build.sources import read_act
from claimrag.tasks.build.stage import run_stage
from claimrag.tasks.store import Outcome, TableRef

SHARD_UNITS = 25


class QuestionShard(Noun):
    """Some context units of one act, by position, and the hop to generate."""

    act_id: ActId
    hop: Literal["single", "multi"]
    number: int
    first: int
    last: int

    @property
    def ref(self) -> TableRef:
        """The table that holds the shard's questions."""
        return TableRef(stage="question_shards", scope=f"{self.act_id}/{self.hop}-{self.number:04d}")


def plan_shards(runtime: Runtime, act_id: ActId) -> list[QuestionShard]:
    """The shards of an act: single-hop in tens of units, multi-hop windows in one.

    The number of units is limited by `generate.units_per_act`, chosen over the whole act, so that a small
    sample is not only its first articles.
    """
    count = len(chosen_units(runtime, act_id))
    shards = [
        QuestionShard(
            act_id=act_id, hop="single", number=index, first=start, last=min(start + SHARD_UNITS, count)
        )
        for index, start in enumerate(range(0, count, SHARD_UNITS))
    ]
    if runtime.settings.generate.multi_hop:
        total = len(context_units(runtime, act_id))
        if total > 1:
            shards.append(QuestionShard(act_id=act_id, hop="multi", number=0, first=0, last=total))
    runtime.progress.begin("question_shards", len(shards))
    return shards


async def generate_shard(runtime: Runtime, shard: QuestionShard) -> TableRef:
    """Generate the questions of a shard: the table `question_shards`."""
    from claimrag.tasks.generate import generate_multi_hop, generate_single_hop, prompt_hashes
    from claimrag.tasks.local.language import identify

    act, _, text = read_act(runtime, shard.act_id)
    multi = shard.hop == "multi"
    units = (context_units if multi else chosen_units)(runtime, shard.act_id)[shard.first : shard.last]
    hashes = prompt_hashes(act.language)
    runtime.prompt_hashes.update(hashes)
    made_from = {
        "context_units": sha256_text(canonical_json([u.id for u in units])),
        "text": act.text_sha256,
        "prompts": sha256_text(canonical_json(hashes)),
        "settings": sha256_text(canonical_json(runtime.settings.generate.model_dump(mode="json"))),
        "code": code_sha256("claimrag.tasks.generate"),
        "model": runtime.llm.model_name,
        "temperature": runtime.settings.llm.temperature,
    }
    work = generate_multi_hop if multi else generate_single_hop

    async def generate() -> Outcome[Question]:
        # Loaded here, before the first request: loading would hold up the replies that come meanwhile.
        await asyncio.to_thread(identify, act.title)
        return await work(act, text, units, runtime.llm, runtime.settings.generate, identify)

    await run_stage(runtime, shard.ref, Question, made_from, generate, may_be_empty=True)
    runtime.progress.advance("question_shards")
    return shard.ref


async def join_questions(runtime: Runtime, act_id: ActId, shards: list[TableRef]) -> TableRef:
    """Join an act's shards into `questions`, without exact duplicates; at least one row must be kept."""
    from claimrag.tasks.generate import drop_duplicates

    workspace = runtime.workspace
    made_from = {ref.scope: workspace.rows_sha256(ref) for ref in shards}

    async def join() -> Outcome[Question]:
        joined = Outcome.joined(
            Outcome(workspace.read_table(ref, Question), workspace.read_rejected(ref)) for ref in shards
        )
        distinct = drop_duplicates(joined.kept)
        return Outcome(distinct.kept, [*joined.rejected, *distinct.rejected])

    return await run_stage(runtime, TableRef(stage="questions", scope=act_id), Question, made_from, join)


def context_units(runtime: Runtime, act_id: ActId) -> list[ContextUnit]:
    """Every context unit of an act, in order."""
    return runtime.rows(TableRef(stage="context_units", scope=act_id), ContextUnit)


def chosen_units(runtime: Runtime, act_id: ActId) -> list[ContextUnit]:
    """The context units that get single-hop questions: all, or as many as the settings allow."""
    units = context_units(runtime, act_id)
    from claimrag.tasks.generate import choose_units

    return choose_units(units, runtime.settings.generate.units_per_act)
