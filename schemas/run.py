"""Run: one evaluated RAG system, its answers, its verdict matrices and its scores."""

from __future__ import annotations

from enum import StrEnum

from claimrag.schemas.base import ActId, ChunkId, Noun, QuestionId, RunId, SystemId
from claimrag.schemas.canonical import content_id
from claimrag.schemas.claim import Label


class RagSystem(Noun):
    """What was evaluated, and by what: everything that decides a score besides the questions and the corpus.

    `embedder` is None where nothing is embedded. `answer_prompt` is the prompt's id and content hash. The
    `..._mode` fields say how the endpoint was asked (temperature, schema, seed), as the gateway names it.
    """

    chunker: str
    retriever: str
    embedder: str | None
    generator: str
    generator_mode: str
    answer_prompt: str
    k: int
    context_tokens: int
    reserved_tokens: int
    max_answer_tokens: int
    seed: int
    judge: str
    judge_mode: str
    checker: str
    claim_parser: str
    joint: int
    max_claim_tokens: int

    @property
    def id(self) -> SystemId:
        """A hash of every field: another embedder, prompt or judge is another system."""
        return SystemId(content_id("sys", self.model_dump(mode="json")))

    @property
    def name(self) -> str:
        """The short name that tables show."""
        return f"{self.retriever} + {self.generator}"


class ScoreStatus(StrEnum):
    """Why a question has, or has not, a score. Only `ok` enters a mean."""

    OK = "ok"
    NO_RESPONSE_CLAIMS = "no_response_claims"
    NO_ANSWER_CLAIMS = "no_answer_claims"
    NO_CHUNKS = "no_chunks"
    FAILED = "failed"
    NOT_SAMPLED = "not_sampled"


class Retrieval(Noun):
    """One retrieved chunk for one question: rank from 1, the engine's score, and whether it holds evidence."""

    run_id: RunId
    question_id: QuestionId
    rank: int
    chunk_id: ChunkId
    score: float
    holds_evidence: bool


class ScoredAnswer(Noun):
    """A system's answer to one question, its claims, and the verdict matrices that RAGChecker scores.

    Axes: `answer2response[i]`, is response claim i entailed by the reference answer; `response2answer[j]`,
    is reference claim j entailed by the response; `retrieved2response[i][k]` and `retrieved2answer[j][k]`
    against chunk k. Metrics are fractions 0..1, None where they are not defined.
    """

    run_id: RunId
    question_id: QuestionId
    act_id: ActId
    language: str
    status: ScoreStatus
    response: str | None
    response_claims: tuple[tuple[str, str, str], ...] = ()
    answer2response: tuple[Label, ...] = ()
    response2answer: tuple[Label, ...] = ()
    retrieved2response: tuple[tuple[Label, ...], ...] = ()
    retrieved2answer: tuple[tuple[Label, ...], ...] = ()
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    claim_recall: float | None = None
    context_precision: float | None = None
    context_utilization: float | None = None
    noise_sensitivity_in_relevant: float | None = None
    noise_sensitivity_in_irrelevant: float | None = None
    hallucination: float | None = None
    self_knowledge: float | None = None
    faithfulness: float | None = None
    unit_recall: float | None = None
    unit_mrr: float | None = None
    character_recall: float | None = None
    character_precision: float | None = None


class MeanScore(Noun):
    """One cell of a score table: the mean in percent, over how many, and its 95 % bootstrap interval."""

    metric: str
    mean: float | None
    low: float | None
    high: float | None
    scored: int
    total: int


class Run(Noun):
    """One system over the questions of one language on one corpus: the current version of each law.

    The id hashes system, language, acts and the sampling, never results.
    """

    id: RunId
    system: RagSystem
    language: str
    acts: tuple[ActId, ...]
    questions: int
    scores: tuple[MeanScore, ...]
