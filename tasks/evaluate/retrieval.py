"""Retrieves chunks for the questions of one act: which chunk at which rank, and whether it holds evidence.

Needs no model but the retriever's own. Does not build indexes: the retriever is given, and searches every act
of its language, not only that of the questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from claimrag.schemas.base import ActId, ChunkId, QuestionId, RunId
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.errors import InputError, ValidationFailedError
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.question import Question
from claimrag.schemas.run import Retrieval
from claimrag.tasks.evaluate.retrieval_metrics import holds_evidence
from claimrag.tasks.retrieve.hits import Retriever


def retrieve_questions(
    run_id: RunId,
    questions: Sequence[Question],
    occurrences: Mapping[QuestionId, Occurrence],
    retriever: Retriever,
    chunks_by_id: Mapping[ChunkId, Chunk],
    k: int,
) -> list[Retrieval]:
    """At most `k` rows per question, in the order of the questions, ranks from 1.

    `occurrences` binds each question to the act whose chunks hold its evidence; `chunks_by_id` has every
    chunk that the retriever indexes. Raises InputError where a question has no occurrence.
    """
    bound = [occurrence_of(question, occurrences) for question in questions]
    found = retriever.search([question.question for question in questions], k)
    return [
        Retrieval(
            run_id=run_id,
            question_id=occurrence.question_id,
            rank=rank,
            chunk_id=hit.chunk_id,
            score=hit.score,
            holds_evidence=holds_evidence(chunks_by_id[hit.chunk_id], occurrence),
        )
        for occurrence, hits in zip(bound, found, strict=True)
        for rank, hit in enumerate(hits, start=1)
    ]


def occurrence_of(question: Question, occurrences: Mapping[QuestionId, Occurrence]) -> Occurrence:
    """The act version that the question is scored in. Raises InputError where it is not given."""
    occurrence = occurrences.get(question.id)
    if occurrence is None:
        raise InputError(f"question {question.id}: its occurrence in the act is not given; generate it again")
    return occurrence


def check_chunks(chunks: Iterable[Chunk], act_texts: Mapping[ActId, str]) -> None:
    """Hold every chunk against the text that its offsets point into.

    Raises InputError for an act whose text is not given, ValidationFailedError for a chunk that is not its
    text.
    """
    for chunk in chunks:
        if chunk.act_id not in act_texts:
            raise InputError(f"chunk {chunk.id}: the text of act {chunk.act_id} is not given")
        if act_texts[chunk.act_id][chunk.start : chunk.end] != chunk.body:
            raise ValidationFailedError(
                f"chunk {chunk.id} is not characters {chunk.start}-{chunk.end} of {chunk.act_id}; chunk again"
            )
