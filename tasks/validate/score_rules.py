"""Rules for evaluation results: retrievals, scored answers, runs, and experts' decisions.

The identities of scored answers follow from RAGChecker's definitions: every claim of a response is
faithful, self-knowledge or hallucination (A), and is correct, or wrong with relevant chunks, wrong with
irrelevant chunks, or wrong without support (B). A scorer that breaks one is not RAGChecker's.
"""

from __future__ import annotations

import math

from claimrag.schemas.base import Noun
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.decision import Decision
from claimrag.schemas.question import Question
from claimrag.schemas.run import MeanScore, Retrieval, Run, ScoredAnswer, ScoreStatus
from claimrag.tasks.validate.rule import Rule
from claimrag.tasks.validate.tables import Build

TOLERANCE = 1e-6
METRICS = tuple(name for name, field in ScoredAnswer.model_fields.items() if field.annotation == float | None)
"""Every metric of a scored answer, in the order of the schema."""
CLAIM_METRICS = tuple(name for name in METRICS if not name.startswith(("unit_", "character_")))
"""Those that need an answer's claims; retrieval is scored without an answer too."""


def _sum_to_one(*parts: float | None) -> bool | None:
    known = [part for part in parts if part is not None]
    return None if len(known) < len(parts) else math.isclose(sum(known), 1.0, abs_tol=TOLERANCE)


def _identity_a(row: ScoredAnswer, build: Build) -> bool | None:
    del build
    return _sum_to_one(row.faithfulness, row.hallucination, row.self_knowledge)


def _identity_b(row: ScoredAnswer, build: Build) -> bool | None:
    del build
    return _sum_to_one(
        row.precision,
        row.noise_sensitivity_in_relevant,
        row.noise_sensitivity_in_irrelevant,
        row.hallucination,
    )


def _given(row: ScoredAnswer, names: tuple[str, ...]) -> list[float]:
    values = (getattr(row, name) for name in names)
    return [value for value in values if value is not None]


def _metrics_are_fractions(row: ScoredAnswer, build: Build) -> bool:
    del build
    return all(-TOLERANCE <= value <= 1 + TOLERANCE for value in _given(row, METRICS))


def _unscored_has_no_score(row: ScoredAnswer, build: Build) -> bool | None:
    del build
    return None if row.status is ScoreStatus.OK else not _given(row, CLAIM_METRICS)


def _scored_has_a_response(row: ScoredAnswer, build: Build) -> bool | None:
    del build
    return None if row.status is not ScoreStatus.OK else bool(row.response and row.response_claims)


def _matrices_fit(row: ScoredAnswer, build: Build) -> bool | None:
    del build
    if row.status is not ScoreStatus.OK:
        return None
    claims, widths = len(row.response_claims), {len(line) for line in row.retrieved2response}
    widths |= {len(line) for line in row.retrieved2answer}
    return (
        len(row.answer2response) == claims
        and len(row.retrieved2response) in (0, claims)
        and len(row.retrieved2answer) in (0, len(row.response2answer))
        and len(widths) <= 1
    )


def _question_exists(row: ScoredAnswer | Retrieval, build: Build) -> bool:
    return row.question_id in build.questions


def _run_exists(row: ScoredAnswer | Retrieval, build: Build) -> bool:
    return row.run_id in build.runs


def _chunk_exists(row: Retrieval, build: Build) -> bool:
    return row.chunk_id in build.chunks


def _ranks_from_one(row: Retrieval, build: Build) -> bool:
    del build
    return row.rank >= 1


def _mean_is_honest(cell: MeanScore) -> bool:
    if not 0 <= cell.scored <= cell.total or (cell.mean is None) != (cell.scored == 0):
        return False
    if cell.mean is None or cell.low is None or cell.high is None:
        return cell.low is None and cell.high is None
    return -TOLERANCE <= cell.low <= cell.mean + TOLERANCE and cell.mean <= cell.high + TOLERANCE


def _means_are_honest(row: Run, build: Build) -> bool:
    del build
    return all(_mean_is_honest(cell) for cell in row.scores)


def _decision_is_signed(row: Decision, build: Build) -> bool:
    del build
    return all(part.strip() for part in (row.annotator, row.item_id, row.field, row.guideline_version))


_QUESTION = Rule("question_exists", "Its question exists", _question_exists, needs=(Question,))
_RUN = Rule("run_exists", "Its run exists", _run_exists, needs=(Run,))

SCORE_RULES: dict[type[Noun], tuple[Rule, ...]] = {
    ScoredAnswer: (
        _RUN,
        _QUESTION,
        Rule("identity_a", "Faithfulness + hallucination + self-knowledge = 1 where defined", _identity_a),
        Rule(
            "identity_b",
            "Precision + both noise sensitivities + hallucination = 1 where defined",
            _identity_b,
        ),
        Rule("metrics_are_fractions", "Every metric lies between 0 and 1", _metrics_are_fractions),
        Rule(
            "unscored_has_no_score",
            "An answer that is not scored has no claim-level metric",
            _unscored_has_no_score,
        ),
        Rule("scored_has_response", "A scored answer has a response and claims", _scored_has_a_response),
        Rule("matrices_fit", "The verdict matrices have one line per claim, of equal width", _matrices_fit),
    ),
    Retrieval: (
        _RUN,
        _QUESTION,
        Rule("chunk_exists", "Its chunk exists", _chunk_exists, needs=(Chunk,)),
        Rule("rank_from_one", "Ranks count from 1", _ranks_from_one),
    ),
    Run: (
        Rule(
            "means_are_honest",
            "Each mean lies in its interval, says over how many, and is absent where nothing was scored",
            _means_are_honest,
        ),
    ),
    Decision: (Rule("is_signed", "It names item, field, annotator and guideline", _decision_is_signed),),
}
