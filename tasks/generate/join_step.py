"""Step that joins the shards of an act, without duplicates: the table `questions`, one per act."""

from __future__ import annotations

import asyncio

from claimrag.schemas.base import ActId
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.errors import InputError
from claimrag.schemas.question import IMPORTED, Question
from claimrag.tasks.generate.step import QUESTION_SHARDS, QuestionShard
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.step import Inputs, Table, make_table
from claimrag.tasks.segment.step import CONTEXT_UNITS
from claimrag.tasks.store import Outcome, TableRef

QUESTIONS = Table("questions", Question)
_WINDOWS = "generate.windows_per_act"


def refuse_narrower(runtime: Runtime, act_id: ActId, shards: list[QuestionShard]) -> None:
    """Raise InputError where these shards are about fewer units or windows than the workspace holds questions on.

    A smaller sample would replace what a larger one has paid for, and leave claims and scores without their questions.
    Called before anything is paid. Nothing is narrower than all units of an act.
    """
    record = runtime.workspace.record(QUESTIONS.of(act_id))
    if record is None:
        return
    if IMPORTED in record.made_from.get("arguments", {}):
        raise InputError(
            f"{act_id}: the workspace holds imported questions, which generated ones never replace; give another "
            "--workspace"
        )
    names = record.made_from.get("arguments", {}).get("shards", ())
    before = [runtime.workspace.record(QUESTION_SHARDS.of(act_id, str(name))) for name in names]
    held = [each.made_from for each in before if each is not None]
    spans = [made_from.get("arguments", {}).get("shard", ("", 0, 0)) for made_from in held]
    units_held = max((int(last) for hop, _, last in spans if hop == "single"), default=0)
    units = max((shard.last for shard in shards if shard.hop == "single"), default=0)
    if units < units_held and units < len(runtime.rows(CONTEXT_UNITS.of(act_id), ContextUnit)):
        raise InputError(_narrower(act_id, "context units", units_held, units, f"--units {units_held}"))
    windows = runtime.settings.generate.windows_per_act
    for (hop, _, _), made_from in zip(spans, held, strict=True):
        held_windows = made_from.get("settings", {}).get(_WINDOWS, windows)
        if hop == "multi" and windows is not None and (held_windows is None or held_windows > windows):
            number = "all" if held_windows is None else held_windows
            remedy = "--full" if held_windows is None else f"--windows {held_windows}"
            raise InputError(_narrower(act_id, "windows", number, windows, remedy))


def _narrower(act_id: ActId, what: str, held: int | str, asked: int, remedy: str) -> str:
    return (
        f"{act_id}: the workspace holds questions on {held} {what}, and {asked} were asked for; fewer never replace "
        f"more. Give {remedy} or more, or another --workspace"
    )


async def join_questions(runtime: Runtime, act_id: ActId, shards: list[QuestionShard]) -> TableRef:
    """Join an act's shards, without duplicates; at least one row must be kept."""

    async def work(inputs: Inputs) -> Outcome[Question]:
        from claimrag.tasks.generate.duplicates import drop_duplicates

        joined = Outcome.joined(
            [
                Outcome(
                    await inputs.rows(QUESTION_SHARDS, act_id, shard.name),
                    await inputs.rejected(QUESTION_SHARDS, act_id, shard.name),
                )
                for shard in shards
            ]
        )
        distinct = await asyncio.to_thread(drop_duplicates, joined.kept)
        return Outcome(distinct.kept, [*joined.rejected, *distinct.rejected])

    return await make_table(runtime, QUESTIONS, (act_id,), work, shards=[shard.name for shard in shards])
