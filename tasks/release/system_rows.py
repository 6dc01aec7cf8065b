"""Rows on the evaluated systems: what each was, what it was given and answered, and what its scores follow from."""

from __future__ import annotations

from pydantic import Field

from claimrag.schemas.base import ActId, ChunkId, Noun, QuestionId, RunId, UnitId
from claimrag.schemas.claim import Label
from claimrag.schemas.run import MeanScore, RagSystem, ScoreStatus


class RunRow(Noun):
    """One evaluated system over the questions of one language: what it was, and its means in percent."""

    id: RunId = Field(description="a hash of system, language, acts and sampling")
    name: str = Field(description="retriever and generator")
    language: str = Field(description="of the questions")
    acts: tuple[ActId, ...] = Field(description="the versions of the laws it was asked about")
    questions: int = Field(description="how many questions it was asked")
    system: RagSystem = Field(description="everything that decides a score besides questions and corpus")
    scores: tuple[MeanScore, ...] = Field(
        description="per metric the mean in percent, its 95 % interval, and over how many of how many"
    )


class RetrievedChunk(Noun):
    """One chunk that a system was given, by its rank from 1; the text is in the configuration `chunks`."""

    rank: int
    chunk_id: ChunkId
    score: float
    holds_evidence: bool


class AnswerRow(Noun):
    """What one system answered to one question, and everything that its scores are computed from.

    Metrics have the meaning of the metric of their name (tasks/evaluate): fractions 0..1, null where they are not
    defined, and where `status` is not `ok`.
    """

    run_id: RunId = Field(description="the system, in the configuration `runs`")
    system: str = Field(description="its retriever and generator")
    question_id: QuestionId = Field(description="the question, in the configuration `qa`")
    act_id: ActId = Field(description="the version of the law it was asked about")
    language: str = Field(description="of the question")
    status: ScoreStatus = Field(description="why there is, or is no, score; only `ok` enters a mean")
    response: str | None = Field(description="the system's answer")
    retrieved: tuple[RetrievedChunk, ...] = Field(description="the chunks it was given, by their rank from 1")
    response_claims: tuple[tuple[str, str, str], ...] = Field(
        description="the triplets taken from `response`"
    )
    answer2response: tuple[Label, ...] = Field(
        description="by response claim: is it entailed by the reference answer"
    )
    response2answer: tuple[Label, ...] = Field(
        description="by reference claim, in its `order`: is it entailed by the response"
    )
    retrieved2response: tuple[tuple[Label, ...], ...] = Field(
        description="by response claim, then by chunk of `retrieved`: is it entailed by the chunk"
    )
    retrieved2answer: tuple[tuple[Label, ...], ...] = Field(
        description="by reference claim, then by chunk of `retrieved`: is it entailed by the chunk"
    )
    precision: float | None
    recall: float | None
    f1: float | None
    claim_recall: float | None
    context_precision: float | None
    context_utilization: float | None
    noise_sensitivity_in_relevant: float | None
    noise_sensitivity_in_irrelevant: float | None
    hallucination: float | None
    self_knowledge: float | None
    faithfulness: float | None
    unit_recall: float | None
    unit_mrr: float | None
    character_recall: float | None
    character_precision: float | None


class ChunkRow(Noun):
    """A piece of the newest version of a law, as the retrievers indexed it: prefix, body, references."""

    id: ChunkId = Field(description="names the chunk in `retrieved` of the configuration `answers`")
    act_id: ActId = Field(description="the version of the law")
    chunker: str = Field(description="how the law was cut")
    language: str = Field(description="of the law")
    order: int = Field(description="its place in the act")
    unit_ids: tuple[UnitId, ...] = Field(description="the articles, recitals and annexes that it touches")
    start: int = Field(description="where its body begins in the act")
    end: int = Field(description="where its body ends in the act")
    tokens: int = Field(description="its length in tokens")
    prefix: str = Field(description="what stands before the body: where in the law it is")
    body: str = Field(description="the words of the law")
    references: tuple[str, ...] = Field(description="texts that the body refers to, added behind it")
