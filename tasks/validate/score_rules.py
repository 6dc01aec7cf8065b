"""Rules for scored answers: a status that fits, matrices that fit, and metrics recomputed from both.

The identities follow from RAGChecker's definitions: every claim of a response is faithful, self-knowledge or
hallucination (A), and is correct, or wrong with relevant chunks, wrong with irrelevant chunks, or wrong without
support (B). A scorer that breaks one is not RAGChecker's.
"""

from __future__ import annotations

import math

from claimrag.schemas.base import Noun
from claimrag.schemas.claim import Claim
from claimrag.schemas.errors import InputError
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.run import Run, ScoredAnswer, ScoreStatus
from claimrag.tasks.evaluate import metrics
from claimrag.tasks.evaluate.means import METRICS
from claimrag.tasks.validate.lookup import Lookup
from claimrag.tasks.validate.rule import LANGUAGE_IS_OF_ACT, TEXT_IS_GIVEN, Rule
from claimrag.tasks.validate.shown_rules import SHOWN_RULES, TOLERANCE, is_close

CLAIM_METRICS = tuple(metric.name for metric in metrics.CLAIM_METRICS)
"""Those that need an answer's claims; retrieval is scored without an answer too."""
_WITHOUT_ANSWER = (ScoreStatus.NO_ANSWER_CLAIMS, ScoreStatus.NO_CHUNKS, ScoreStatus.NOT_SAMPLED)


def _run_exists(row: ScoredAnswer, group: Lookup) -> bool:
    return row.run_id in group.runs


def _occurs_in_act_of_run(row: ScoredAnswer, group: Lookup) -> bool | None:
    run = group.runs.get(row.run_id)
    if run is None:
        return None
    return row.act_id in group.acts_of_run(run) and row.act_id in group.occurrences.get(row.question_id, {})


def _sum_to_one(*parts: float | None) -> bool | None:
    known = [part for part in parts if part is not None]
    return None if len(known) < len(parts) else math.isclose(sum(known), 1.0, abs_tol=TOLERANCE)


def _identity_a(row: ScoredAnswer, group: Lookup) -> bool | None:
    del group
    return _sum_to_one(row.faithfulness, row.hallucination, row.self_knowledge)


def _identity_b(row: ScoredAnswer, group: Lookup) -> bool | None:
    del group
    return _sum_to_one(
        row.precision,
        row.noise_sensitivity_in_relevant,
        row.noise_sensitivity_in_irrelevant,
        row.hallucination,
    )


def _given(row: ScoredAnswer, names: tuple[str, ...]) -> list[float]:
    values = (getattr(row, name) for name in names)
    return [value for value in values if value is not None]


def _metrics_are_fractions(row: ScoredAnswer, group: Lookup) -> bool:
    del group
    return all(-TOLERANCE <= value <= 1 + TOLERANCE for value in _given(row, METRICS))


def _metrics_follow_from_matrices(row: ScoredAnswer, group: Lookup) -> bool | None:
    """None where the matrices do not fit together: that is another rule's."""
    del group
    if row.status is not ScoreStatus.OK or not row.retrieved2answer:
        return None
    try:
        verdicts = metrics.Verdicts(
            len(row.retrieved2answer[0]),
            row.answer2response,
            row.response2answer,
            row.retrieved2response,
            row.retrieved2answer,
        )
    except InputError:
        return None
    expected = metrics.claim_metrics(verdicts)
    return all(is_close(expected[name], getattr(row, name)) for name in CLAIM_METRICS)


def _unscored_has_no_score(row: ScoredAnswer, group: Lookup) -> bool | None:
    del group
    if row.status is ScoreStatus.OK:
        return None
    judged = (row.response_claims, row.answer2response, row.response2answer)
    return not _given(row, CLAIM_METRICS) and not any((*judged, row.retrieved2response, row.retrieved2answer))


def _has_the_response_of_its_status(row: ScoredAnswer, group: Lookup) -> bool | None:
    """A failed one may have been answered, and not judged."""
    del group
    if row.status is ScoreStatus.FAILED:
        return None
    if row.status in _WITHOUT_ANSWER:
        return row.response is None
    return bool(row.response and row.response.strip())


def _matrices_fit_response(row: ScoredAnswer, group: Lookup) -> bool | None:
    del group
    if row.status is not ScoreStatus.OK:
        return None
    claims = len(row.response_claims)
    return claims > 0 and len(row.answer2response) == len(row.retrieved2response) == claims


def _matrices_fit_reference(row: ScoredAnswer, group: Lookup) -> bool | None:
    if row.status is not ScoreStatus.OK:
        return None
    claims = group.reference_claims[row.question_id]
    return claims > 0 and len(row.response2answer) == len(row.retrieved2answer) == claims


def _status_fits_claims(row: ScoredAnswer, group: Lookup) -> bool:
    has_claims = group.reference_claims[row.question_id] > 0
    return has_claims is (row.status is not ScoreStatus.NO_ANSWER_CLAIMS)


def _failure_has_its_reason(row: ScoredAnswer, group: Lookup) -> bool | None:
    rejected = group.rejected_of(ScoredAnswer)
    if row.status is not ScoreStatus.FAILED or rejected is None:
        return None
    return row.question_id in rejected


SCORE_RULES: dict[type[Noun], tuple[Rule, ...]] = {
    ScoredAnswer: (
        TEXT_IS_GIVEN,
        LANGUAGE_IS_OF_ACT,
        Rule("run_exists", "Its run exists", _run_exists, needs=(Run,)),
        Rule(
            "question_is_of_run",
            "Its question occurs in its act, an act of the run",
            _occurs_in_act_of_run,
            needs=(Run, Occurrence),
        ),
        Rule("identity_a", "Faithfulness + hallucination + self-knowledge = 1 where defined", _identity_a),
        Rule(
            "identity_b",
            "Precision + both noise sensitivities + hallucination = 1 where defined",
            _identity_b,
        ),
        Rule("metrics_are_fractions", "Every metric lies between 0 and 1", _metrics_are_fractions),
        Rule(
            "metrics_follow_from_matrices",
            "Every claim-level metric is what its verdict matrices give",
            _metrics_follow_from_matrices,
        ),
        Rule(
            "unscored_has_no_score",
            "An answer that is not scored has no claims, verdicts or claim-level metrics",
            _unscored_has_no_score,
        ),
        Rule(
            "response_fits_status",
            "A judged answer has a response; a question that was not asked has none",
            _has_the_response_of_its_status,
        ),
        Rule(
            "matrices_fit_response",
            "The verdict matrices have one row per claim of the response, and there is one",
            _matrices_fit_response,
        ),
        Rule(
            "matrices_fit_reference",
            "The verdict matrices have one row per claim of the reference answer, and there is one",
            _matrices_fit_reference,
            needs=(Claim,),
        ),
        Rule(
            "status_fits_claims",
            "It lacks reference claims when, and only when, its status says so",
            _status_fits_claims,
            needs=(Claim,),
        ),
        Rule(
            "failure_has_its_reason",
            "An answer that failed has a rejected row that says why",
            _failure_has_its_reason,
        ),
        *SHOWN_RULES,
    ),
}
