"""What the evaluated systems answered, with the questions and the texts that they were given: for layouts of runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from claimrag.schemas.base import ChunkId, QuestionId
from claimrag.schemas.errors import StoreError
from claimrag.tasks.layouts.folder import ExportFolder, Framing
from claimrag.tasks.layouts.naming import plain_name
from claimrag.tasks.layouts.source import ReleaseRows
from claimrag.tasks.release.law_rows import ClaimRow, QaRow
from claimrag.tasks.release.system_rows import AnswerRow, ChunkRow, RunRow

OF_RUNS = (RunRow, AnswerRow, ChunkRow, QaRow, ClaimRow)
UNANSWERED = "answers that a system was not asked for, or did not give"


@dataclass(frozen=True)
class Answered:
    """One answer: its question, the claims of the reference answer in their order, and the texts given, by rank."""

    answer: AnswerRow
    question: QaRow
    claims: tuple[ClaimRow, ...]
    texts: tuple[tuple[ChunkId, str], ...]


def write_runs(
    source: ReleaseRows,
    folder: ExportFolder,
    ending: str,
    framing: Framing,
    row_of: Callable[[Answered], Mapping[str, Any]],
) -> None:
    """One file per run, with a row per answer; a question that the system did not answer is left out and counted."""
    with ExitStack() as open_files:
        files = {
            run.id: open_files.enter_context(
                folder.file(f"{plain_name(run.name)}-{run.language}-{run.id}{ending}", framing)
            )
            for run in source.rows(RunRow)
        }
        for answered in _answers(source):
            if answered.answer.response is None:
                folder.left_out[UNANSWERED] += 1
            else:
                files[answered.answer.run_id].add(row_of(answered))


def _answers(source: ReleaseRows) -> Iterator[Answered]:
    questions, claims = source.by_act(source.rows(QaRow)), source.by_act(source.rows(ClaimRow))
    chunks, answers = source.by_act(source.rows(ChunkRow)), source.by_act(source.rows(AnswerRow))
    for act_id in source.acts:
        asked = {row.id: row for row in questions.of(act_id)}
        claimed: defaultdict[QuestionId, list[ClaimRow]] = defaultdict(list)
        for claim in claims.of(act_id):
            claimed[claim.question_id].append(claim)
        texts = {row.id: row.body for row in chunks.of(act_id)}
        for answer in answers.of(act_id):
            try:
                yield Answered(
                    answer,
                    asked[answer.question_id],
                    tuple(sorted(claimed[answer.question_id], key=lambda claim: claim.order)),
                    tuple((one.chunk_id, texts[one.chunk_id]) for one in answer.retrieved),
                )
            except KeyError as error:
                raise StoreError(
                    f"an answer to {answer.question_id} names {error.args[0]}, which the release does not hold; "
                    "make the release again"
                ) from error
