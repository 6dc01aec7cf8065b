"""Evaluates one RAG system over the questions of one language.

Every question gets its retrieval scores, which need no model. A seeded sample of those with reference claims
gets an answer, its claims and the claim-level scores. A question without a score says why, and no mean
counts it as 0. Does not build indexes or chunks: they are given.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from claimrag import prompts
from claimrag.schemas.base import ActId, QuestionId, RunId
from claimrag.schemas.canonical import content_id
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.claim import Claim, ClaimOrigin
from claimrag.schemas.errors import InputError, ModelError, ValidationFailedError
from claimrag.schemas.question import Question, ReviewStatus
from claimrag.schemas.rejected import Rejected
from claimrag.schemas.run import RagSystem, Retrieval, Run, ScoredAnswer, ScoreStatus
from claimrag.schemas.settings import ClaimsSettings, EvaluateSettings
from claimrag.tasks.claims.extraction import rejected_triplets
from claimrag.tasks.evaluate.answers import PROMPT_ID, answer_question, chunks_that_fit
from claimrag.tasks.evaluate.judge import Judge
from claimrag.tasks.evaluate.means import mean_scores
from claimrag.tasks.evaluate.metrics import claim_metrics
from claimrag.tasks.evaluate.retrieval_metrics import holds_evidence, retrieval_scores
from claimrag.tasks.evaluate.sample import sample_questions
from claimrag.tasks.llm.errors import rejected_row
from claimrag.tasks.llm.gateway import Gateway
from claimrag.tasks.retrieve.hits import Hit, Retriever
from claimrag.tasks.store.outcome import Outcome
from claimrag.tasks.together import together

STAGE = "evaluate"


@dataclass(frozen=True)
class EvaluationOutcome:
    """What was retrieved, one scored row per question with the rejected material, and the run's means."""

    retrievals: list[Retrieval]
    scored: Outcome[ScoredAnswer]
    run: Run


@dataclass(frozen=True)
class _Evaluation:
    run_id: RunId
    settings: EvaluateSettings
    generator: Gateway
    judge: Judge
    claims: Mapping[QuestionId, Sequence[Claim]]
    sampled: frozenset[QuestionId]


async def evaluate_system(
    system: RagSystem,
    questions: Sequence[Question],
    claims: Sequence[Claim],
    chunks: Sequence[Chunk],
    act_texts: Mapping[ActId, str],
    retriever: Retriever,
    gateway: Gateway,
    judge_gateway: Gateway,
    settings: EvaluateSettings,
    claims_settings: ClaimsSettings,
) -> EvaluationOutcome:
    """Retrieve `system.k` chunks for every question, answer and judge the sample, score all.

    `claims` are the reference claims; `act_texts` are the texts that the chunks' offsets point into. Raises
    InputError for questions of several languages, ValidationFailedError for a chunk that is not its text,
    and the gateway's errors that concern more than one question.
    """
    language = _one_language(questions)
    _check_chunks(chunks, act_texts)
    by_question = _reference_claims(claims)
    run_id = _run_id(system, language, questions, settings, claims_settings)
    with_claims = [question.id for question in questions if question.id in by_question]
    sampled = sample_questions(with_claims, settings.questions_per_language, settings.seed)
    judge = Judge(judge_gateway, claims_settings)
    evaluation = _Evaluation(run_id, settings, gateway, judge, by_question, sampled)
    found = await asyncio.to_thread(retriever.search, [question.question for question in questions], system.k)
    chunk_by_id = {chunk.id: chunk for chunk in chunks}
    retrieved = [[chunk_by_id[hit.chunk_id] for hit in hits] for hits in found]
    scored = Outcome.joined(await together(map(partial(_score, evaluation), questions, retrieved)))
    means = mean_scores(scored.kept, total=len(questions), resamples=settings.bootstrap, seed=settings.seed)
    return EvaluationOutcome(
        retrievals=_retrieval_rows(run_id, questions, found, retrieved),
        scored=scored,
        run=Run(id=run_id, system=system, language=language, questions=len(questions), scores=means),
    )


async def _score(
    evaluation: _Evaluation, question: Question, retrieved: Sequence[Chunk]
) -> Outcome[ScoredAnswer]:
    """The row of one question, with whatever of its answer could not be used."""
    row: dict[str, Any] = {
        "run_id": evaluation.run_id,
        "question_id": question.id,
        "act_id": question.act_id,
        "language": question.language,
        "response": None,
        **asdict(retrieval_scores(question, retrieved)),
    }
    shown = chunks_that_fit(retrieved, evaluation.settings)
    status = _without_a_model(evaluation, question, shown)
    if status is not None:
        return Outcome([ScoredAnswer(**row, status=status)])
    try:
        response = await answer_question(question, shown, evaluation.generator, evaluation.settings)
        row["response"] = response
        fields, rejected = await _judge(evaluation, question, response, shown)
    except ModelError as error:
        failed = rejected_row(STAGE, question.id, error)
        if failed is None:
            raise
        return Outcome([ScoredAnswer(**row, status=ScoreStatus.FAILED)], [failed])
    return Outcome([ScoredAnswer(**(row | fields))], rejected)


async def _judge(
    evaluation: _Evaluation, question: Question, response: str, shown: Sequence[Chunk]
) -> tuple[dict[str, Any], list[Rejected]]:
    """The claims, verdicts, metrics and status of an answer."""
    extraction = await evaluation.judge.claims_of(question, response)
    rejected = rejected_triplets(question.id, extraction, STAGE)
    if not extraction.triplets:
        return {"status": ScoreStatus.NO_RESPONSE_CLAIMS}, rejected
    verdicts = await evaluation.judge.verdicts(
        question, response, extraction.triplets, evaluation.claims[question.id], shown
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


def _without_a_model(
    evaluation: _Evaluation, question: Question, shown: Sequence[Chunk]
) -> ScoreStatus | None:
    """Why this question needs no answer, or None when it does."""
    if question.id not in evaluation.claims:
        return ScoreStatus.NO_ANSWER_CLAIMS
    if question.id not in evaluation.sampled:
        return ScoreStatus.NOT_SAMPLED
    return None if shown else ScoreStatus.NO_CHUNKS


def _retrieval_rows(
    run_id: RunId,
    questions: Sequence[Question],
    found: Sequence[Sequence[Hit]],
    retrieved: Sequence[Sequence[Chunk]],
) -> list[Retrieval]:
    return [
        Retrieval(
            run_id=run_id,
            question_id=question.id,
            rank=rank,
            chunk_id=hit.chunk_id,
            score=hit.score,
            holds_evidence=holds_evidence(chunk, question),
        )
        for question, hits, chunks in zip(questions, found, retrieved, strict=True)
        for rank, (hit, chunk) in enumerate(zip(hits, chunks, strict=True), start=1)
    ]


def _reference_claims(claims: Sequence[Claim]) -> dict[QuestionId, list[Claim]]:
    """The claims of the reference answers; not the edited ones, nor those that an expert rejected."""
    by_question: defaultdict[QuestionId, list[Claim]] = defaultdict(list)
    for claim in sorted(claims, key=lambda claim: (claim.question_id, claim.order, claim.id)):
        if claim.origin is ClaimOrigin.EXTRACTED and claim.review is not ReviewStatus.EXPERT_REJECTED:
            by_question[claim.question_id].append(claim)
    return dict(by_question)


def _one_language(questions: Sequence[Question]) -> str:
    languages = sorted({question.language for question in questions})
    if len(languages) != 1:
        raise InputError(
            f"a run covers the questions of one language, not of {languages or 'none'}: make one run each"
        )
    return languages[0]


def _check_chunks(chunks: Sequence[Chunk], act_texts: Mapping[ActId, str]) -> None:
    for chunk in chunks:
        if chunk.act_id not in act_texts:
            raise InputError(f"chunk {chunk.id}: the text of act {chunk.act_id} is not given")
        if act_texts[chunk.act_id][chunk.start : chunk.end] != chunk.body:
            raise ValidationFailedError(
                f"chunk {chunk.id} is not characters {chunk.start}-{chunk.end} of {chunk.act_id}; chunk again"
            )


def _run_id(
    system: RagSystem,
    language: str,
    questions: Sequence[Question],
    settings: EvaluateSettings,
    claims_settings: ClaimsSettings,
) -> RunId:
    """A hash of what was set and asked, never of results or of limits on speed."""
    return RunId(
        content_id(
            "run",
            {
                "system": system.model_dump(mode="json"),
                "language": language,
                "acts": sorted({question.act_id for question in questions}),
                "answer_prompt": prompts.load(PROMPT_ID, language).hash,
                "evaluate": settings.model_dump(mode="json", exclude={"k", "retrievers"}),
                "claims": claims_settings.model_dump(mode="json"),
            },
        )
    )
