"""Scores one RAG system over the questions of one act: answers, their claims, verdicts and metrics.

Promises one row per question. Every row has its retrieval scores, which need no model. A question of the
sample gets an answer, its claims and the claim-level scores; a question without a score says why in its
status, and no mean counts it as 0. Does not retrieve: the chunks of each question are given.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from claimrag.schemas.asked import Work
from claimrag.schemas.base import QuestionId, RunId
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.claim import Claim
from claimrag.schemas.errors import InputError, ModelError
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.question import Question
from claimrag.schemas.rejected import Rejected
from claimrag.schemas.run import RagSystem, ScoredAnswer, ScoreStatus
from claimrag.schemas.settings import ClaimsSettings, EvaluateSettings
from claimrag.tasks.claims.extraction import rejected_triplets
from claimrag.tasks.evaluate.answers import answer_question, chunks_that_fit
from claimrag.tasks.evaluate.judge import Judge
from claimrag.tasks.evaluate.metrics import claim_metrics
from claimrag.tasks.evaluate.retrieval import occurrence_of
from claimrag.tasks.evaluate.retrieval_metrics import retrieval_scores
from claimrag.tasks.evaluate.sample import reference_claims
from claimrag.tasks.llm.asked import WorkItem, working_on
from claimrag.tasks.llm.errors import rejected_row
from claimrag.tasks.llm.gateway import Gateway
from claimrag.tasks.store.outcome import Outcome
from claimrag.tasks.together import together

STAGE = "evaluate"


@dataclass(frozen=True)
class _Item:
    """A question, what the generator is shown, what its answer is held against, and its row so far."""

    question: Question
    shown: Sequence[Chunk]
    reference: Sequence[Claim]
    row: Mapping[str, Any]


@dataclass(frozen=True)
class _Scorer:
    generator: Gateway
    judge: Judge
    settings: EvaluateSettings

    async def score(self, item: _Item) -> Outcome[ScoredAnswer]:
        """The row of one question of the sample, with whatever of its answer could not be used."""
        name = f"{item.row['run_id']} {item.question.id}"
        pieces = tuple(chunk.body for chunk in item.shown)
        with working_on(WorkItem(Work.SCORES, item.question.language, name, len(pieces), pieces)):
            return await self._scored(item)

    async def _scored(self, item: _Item) -> Outcome[ScoredAnswer]:
        row = dict(item.row)
        try:
            response = await answer_question(item.question, item.shown, self.generator, self.settings)
            row["response"] = response
            fields, rejected = await self._judged(item, response)
        except ModelError as error:
            failed = rejected_row(STAGE, item.question.id, error)
            if failed is None:
                raise
            return Outcome([ScoredAnswer(**row, status=ScoreStatus.FAILED)], [failed])
        return Outcome([ScoredAnswer(**(row | fields))], rejected)

    async def _judged(self, item: _Item, response: str) -> tuple[dict[str, Any], list[Rejected]]:
        """The claims, verdicts, metrics and status of an answer."""
        extraction = await self.judge.claims_of(item.question, response)
        rejected = rejected_triplets(item.question.id, extraction, STAGE)
        if not extraction.triplets:
            return {"status": ScoreStatus.NO_RESPONSE_CLAIMS}, rejected
        verdicts = await self.judge.verdicts(
            item.question, response, extraction.triplets, item.reference, item.shown
        )
        return {
            "status": ScoreStatus.OK,
            "response_claims": extraction.triplets,
            "answer2response": tuple(verdicts.answer2response),
            "response2answer": tuple(verdicts.response2answer),
            "retrieved2response": tuple(map(tuple, verdicts.retrieved2response)),
            "retrieved2answer": tuple(map(tuple, verdicts.retrieved2answer)),
            **claim_metrics(verdicts),
        }, rejected


async def score_questions(
    run_id: RunId,
    system: RagSystem,
    questions: Sequence[Question],
    occurrences: Mapping[QuestionId, Occurrence],
    claims: Iterable[Claim],
    retrieved: Mapping[QuestionId, Sequence[Chunk]],
    sampled: frozenset[QuestionId],
    generator: Gateway,
    judge: Gateway,
    settings: EvaluateSettings,
    claims_settings: ClaimsSettings,
    on_progress: Callable[[int, int], None] | None = None,
) -> Outcome[ScoredAnswer]:
    """One row per question, in their order; rejected material beside them.

    `on_progress` gets the number of answers that were judged and of those to be.
    `claims` are those of the questions, `retrieved` their chunks, best first (none where the key is missing).
    Raises InputError where an occurrence is missing or a gateway is not the model that `system` names, and
    the gateways' errors that concern more than one question.
    """
    _check_model("generator", system.generator, generator)
    _check_model("judge", system.judge, judge)
    reference = reference_claims(claims)
    items = await asyncio.to_thread(
        _items, run_id, questions, occurrences, reference, retrieved, sampled, settings
    )
    scorer = _Scorer(generator, Judge(judge, claims_settings), settings)
    asked = [item for item in items if isinstance(item, _Item)]
    at_once = generator.max_in_flight + judge.max_in_flight
    scored = iter(await together((scorer.score(item) for item in asked), at_once, on_progress))
    return Outcome.joined(next(scored) if isinstance(item, _Item) else Outcome([item]) for item in items)


def _items(
    run_id: RunId,
    questions: Sequence[Question],
    occurrences: Mapping[QuestionId, Occurrence],
    reference: Mapping[QuestionId, Sequence[Claim]],
    retrieved: Mapping[QuestionId, Sequence[Chunk]],
    sampled: frozenset[QuestionId],
    settings: EvaluateSettings,
) -> list[_Item | ScoredAnswer]:
    """For each question what a model must be asked about, or the row where none need be asked."""
    items: list[_Item | ScoredAnswer] = []
    for question in questions:
        occurrence = occurrence_of(question, occurrences)
        chunks = retrieved.get(question.id, ())
        shown = chunks_that_fit(chunks, settings)
        row = {
            "run_id": run_id,
            "question_id": question.id,
            "act_id": occurrence.act_id,
            "language": question.language,
            "response": None,
            **retrieval_scores(occurrence, chunks),
        }
        status = _status_without_answer(question, reference, sampled, shown)
        if status is None:
            items.append(_Item(question, shown, reference[question.id], row))
        else:
            items.append(ScoredAnswer(**row, status=status))
    return items


def _status_without_answer(
    question: Question,
    reference: Mapping[QuestionId, Sequence[Claim]],
    sampled: frozenset[QuestionId],
    shown: Sequence[Chunk],
) -> ScoreStatus | None:
    """Why this question needs no answer, or None when it does."""
    if question.id not in reference:
        return ScoreStatus.NO_ANSWER_CLAIMS
    if question.id not in sampled:
        return ScoreStatus.NOT_SAMPLED
    return None if shown else ScoreStatus.NO_CHUNKS


def _check_model(role: str, named: str, gateway: Gateway) -> None:
    if gateway.model_name != named:
        raise InputError(
            f"the system names {named!r} as its {role}, and the gateway asks {gateway.model_name!r}: "
            "name the system after the gateways that are used"
        )
