"""Rows of a release on its baselines: the systems, and what each answered, was given and scored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from claimrag.schemas.act import Act
from claimrag.schemas.base import QuestionId, RunId
from claimrag.schemas.errors import StoreError
from claimrag.schemas.run import Run
from claimrag.tasks.release.rows import columns
from claimrag.tasks.release.source import ReleaseSource
from claimrag.tasks.release.system_rows import AnswerRow, RetrievedChunk, RunRow


def run_row(run: Run) -> RunRow:
    """The row of a run."""
    return RunRow(**columns(RunRow, run, name=run.system.name))


def answer_rows(source: ReleaseSource, act: Act) -> Iterator[AnswerRow]:
    """What every system answered to the questions of an act; StoreError for an answer of a run that is not there."""
    names = {run.id: run.system.name for run in source.runs}
    retrieved: dict[tuple[RunId, QuestionId], list[RetrievedChunk]] = defaultdict(list)
    for row in source.retrievals(act.id):
        chunk = RetrievedChunk(**columns(RetrievedChunk, row))
        retrieved[row.run_id, row.question_id].append(chunk)
    for answer in sorted(source.answers(act.id), key=lambda answer: (answer.run_id, answer.question_id)):
        if answer.run_id not in names:
            raise StoreError(
                f"an answer to {answer.question_id} is of {answer.run_id}, which is no run of the release"
            )
        chunks = sorted(retrieved[answer.run_id, answer.question_id], key=lambda chunk: chunk.rank)
        yield AnswerRow(**columns(AnswerRow, answer, system=names[answer.run_id], retrieved=tuple(chunks)))
