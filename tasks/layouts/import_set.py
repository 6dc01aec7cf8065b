"""Brings a published question set into a workspace: the table `questions` of one act, and where each question holds.

The act is one that the workspace holds, or any law that a build takes; it is then fetched, parsed and segmented. A
table of other questions is never replaced: questions that a model wrote were paid for, and claims and scores hang on
them. The same files again change nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.build import BuildRequest
from claimrag.schemas.errors import InputError
from claimrag.schemas.question import IMPORTED, Question
from claimrag.schemas.rejected import StageCounts
from claimrag.tasks.acquire.step import acquire_law, plan_laws
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.layouts.question_set import QuestionSet, read_question_set
from claimrag.tasks.occurrences.step import bind_act
from claimrag.tasks.parse.step import parse_law, read_act
from claimrag.tasks.run.runtime import Runtime, open_runtime
from claimrag.tasks.run.step import Inputs, make_table
from claimrag.tasks.segment.step import CONTEXT_UNITS, segment_law
from claimrag.tasks.store import Outcome, TableRef

_ARGUMENT = IMPORTED
"""In what a table was made from: the SHA-256 of each file that its questions were imported from."""


class Import(Noun):
    """What was imported: `counts` are those of the act's questions, `occurrences` how many hold in the act."""

    act_id: ActId
    files: tuple[str, ...]
    counts: StageCounts
    occurrences: int
    warnings: tuple[str, ...]


async def import_set(request: BuildRequest, act: str, files: Sequence[Path]) -> Import:
    """Import the questions of `files`, which are about `act`, into the workspace of the request.

    Raises InputError for a file that is no question set, for a name that means no law or several, and where the
    workspace holds other questions on the act; EmptyStageError where no question could be placed in it.
    """
    read = read_question_set(files)
    async with open_runtime(request, purpose="import", models=False) as runtime:
        act_id = await _prepared(runtime, act)
        _refuse_other_questions(runtime, act_id, read)
        questions = await _make_questions(runtime, act_id, read)
        occurrences = await bind_act(runtime, act_id)
        return Import(
            act_id=act_id,
            files=tuple(read.files),
            counts=runtime.workspace.read_counts(questions),
            occurrences=runtime.workspace.read_counts(occurrences).kept,
            warnings=runtime.all_warnings(),
        )


async def _prepared(runtime: Runtime, act: str) -> ActId:
    """The act with its context units in the workspace."""
    if runtime.workspace.has_table(CONTEXT_UNITS.of(act)):
        return ActId(act)
    laws = plan_laws(runtime)
    if len(laws) > 1:
        languages = ", ".join(str(law.language) for law in laws)
        raise InputError(f"{act} is a law in {languages}; say with --language which the questions are about")
    act_id = await parse_law(runtime, await acquire_law(runtime, laws[0]))
    await segment_law(runtime, act_id)
    return act_id


def _refuse_other_questions(runtime: Runtime, act_id: ActId, read: QuestionSet) -> None:
    record = runtime.workspace.record(QUESTIONS.of(act_id))
    if record is None or not record.counts.kept:
        return
    imported = record.made_from.get("arguments", {}).get(_ARGUMENT)
    if imported == list(read.files.values()):
        return
    what = "questions that were generated" if imported is None else "questions imported from other files"
    remedy = (
        "Give another --workspace" if imported is None else "Give all files at once, and another --workspace"
    )
    raise InputError(f"{act_id}: workspace {runtime.workspace.shown} holds {what}, which are kept. {remedy}")


async def _make_questions(runtime: Runtime, act_id: ActId, read: QuestionSet) -> TableRef:
    async def work(inputs: Inputs) -> Outcome[Question]:
        from claimrag.tasks.layouts.imported import import_into

        act, units, text = await read_act(inputs, act_id)
        contexts = await inputs.rows(CONTEXT_UNITS, act_id)
        return await asyncio.to_thread(import_into, act, units, text, contexts, read.questions)

    return await make_table(runtime, QUESTIONS, (act_id,), work, **{_ARGUMENT: list(read.files.values())})
