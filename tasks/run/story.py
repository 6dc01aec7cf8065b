"""The story of one thing in a workspace: what it rests on, what was made of it, where it was kept or rejected.

Promises: nothing is written or waited for; only the tables that may know of the thing are read. What cannot be read
is named in `damaged` and left out of the story.
"""

from __future__ import annotations

from collections import Counter

from claimrag.schemas.act import law_of
from claimrag.schemas.base import ActId, QuestionId
from claimrag.schemas.errors import InputError
from claimrag.schemas.question import Question
from claimrag.schemas.run import ScoreStatus
from claimrag.schemas.story import (
    BuildStory,
    ChunkStory,
    EvaluationStory,
    RejectedStory,
    Story,
    UnitStory,
)
from claimrag.tasks.chunk.step import CHUNKS
from claimrag.tasks.claims.step import CLAIMS
from claimrag.tasks.evaluate.average_step import RUNS
from claimrag.tasks.evaluate.step import SCORED_ANSWERS
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.generate.step import QUESTION_SHARDS
from claimrag.tasks.occurrences.step import OCCURRENCES
from claimrag.tasks.parse.step import UNITS
from claimrag.tasks.retrieve.step import RETRIEVALS
from claimrag.tasks.run.find import BUILDS, Named, find
from claimrag.tasks.run.past_runs import past_run
from claimrag.tasks.run.question_story import (
    HEADINGS,
    claim_story,
    place_of,
    question_story,
    the_row,
    title_of,
)
from claimrag.tasks.run.shelf import Shelf
from claimrag.tasks.run.versions import newest_first
from claimrag.tasks.segment.step import CONTEXT_UNITS
from claimrag.tasks.store import Workspace


def tell(workspace: Workspace, word: str) -> Story:
    """The story of what `word` names; InputError when it names nothing, or several things."""
    shelf = Shelf(workspace)
    try:
        story = _story(shelf, find(shelf, word))
    except InputError as error:
        if not shelf.damaged:
            raise
        raise InputError(f"{error}. It may be in what cannot be read: {'; '.join(shelf.damaged)}") from error
    return story.model_copy(update={"damaged": tuple(shelf.damaged)})


def _story(shelf: Shelf, named: Named) -> Story:
    kind, row_id = named
    if kind in (QUESTIONS.stage, QUESTION_SHARDS.stage):
        return question_story(shelf, row_id)
    if kind == CLAIMS.stage:
        return claim_story(shelf, row_id)
    if kind == UNITS.stage:
        return _unit(shelf, row_id)
    if kind == CONTEXT_UNITS.stage:
        return _context_unit(shelf, row_id)
    if kind == CHUNKS.stage:
        return _chunk(shelf, row_id)
    if kind == RUNS.stage:
        return _evaluation(shelf, row_id)
    if kind == BUILDS:
        return BuildStory(build=past_run(shelf.workspace, row_id))
    return RejectedStory(item=row_id, rejections=shelf.rejections([row_id]))


def _unit(shelf: Shelf, unit_id: str) -> UnitStory:
    act_id = ActId(unit_id.partition("#")[0])
    unit = the_row(shelf.rows(UNITS, "id", unit_id, [act_id]), unit_id)
    resting = {
        row.question_id
        for row in shelf.all_rows(OCCURRENCES, act_id)
        if any(f"{one.unit_id}.".startswith(f"{unit_id}.") for one in row.evidence)
    }
    return UnitStory(
        kind="unit",
        unit=unit,
        title=title_of(shelf, [act_id]),
        place=place_of(unit),
        questions=_questions(shelf, act_id, resting),
        rejections=shelf.rejections([unit_id]),
    )


def _questions(shelf: Shelf, act_id: ActId, question_ids: set[QuestionId]) -> tuple[Question, ...]:
    """Also those that were written for another version of the law."""
    of_law = [act for act in shelf.at_hand.acts if law_of(act) == law_of(act_id)]
    found = {
        row.id: row for act in of_law for row in shelf.all_rows(QUESTIONS, act) if row.id in question_ids
    }
    return tuple(found[question_id] for question_id in sorted(found))


def _context_unit(shelf: Shelf, context_id: str) -> UnitStory:
    found = {row.act_id: row for _, row in shelf.rows(CONTEXT_UNITS, "id", context_id)}
    act_id = the_row(((None, act) for act in newest_first(found)), context_id)
    questions = [row for act in found for row in shelf.all_rows(QUESTIONS, act)]
    resting = {row.id for row in questions if context_id in row.context_unit_ids}
    about = {item for item in shelf.rejected_items(context_id) if item.partition("/")[0] == context_id}
    return UnitStory(
        kind="context unit",
        unit=found[act_id],
        title=title_of(shelf, [act_id]),
        place=(found[act_id].heading,),
        questions=_questions(shelf, act_id, resting),
        rejections=shelf.rejections(about),
    )


def _chunk(shelf: Shelf, chunk_id: str) -> ChunkStory:
    chunk = the_row(shelf.rows(CHUNKS, "id", chunk_id), chunk_id)
    hits = [row for _, row in shelf.rows(RETRIEVALS, "chunk_id", chunk_id)]
    return ChunkStory(
        chunk=chunk,
        title=title_of(shelf, [chunk.act_id]),
        retrieved=len({row.question_id for row in hits}),
        with_evidence=len({row.question_id for row in hits if row.holds_evidence}),
    )


def _evaluation(shelf: Shelf, run_id: str) -> EvaluationStory:
    run = the_row(shelf.rows(RUNS, "id", run_id), run_id)
    answers: Counter[ScoreStatus] = Counter()
    lost = 0
    for act_id in run.acts:
        answers.update(row.status for row in shelf.all_rows(SCORED_ANSWERS, run_id, act_id))
        records = [r for r in shelf.at_hand.of(SCORED_ANSWERS.stage) if r.scope == f"{run_id}/{act_id}"]
        lost += sum(sum(record.counts.rejected.values()) for record in records)
    return EvaluationStory(
        run_id=run.id,
        system=run.system,
        language=run.language,
        acts=run.acts,
        questions=run.questions,
        scores={HEADINGS.get(mean.metric, mean.metric): mean for mean in run.scores},
        answers=dict(answers),
        rejections=lost,
    )
