"""The RAGChecker metrics as pure functions of the four verdict matrices of one answer.

Formulas as in RAGChecker 0.1.9: only Entailment counts. A metric whose denominator is empty is None ("not
scored"); `compat_metrics` gives it RAGChecker's 0 instead, to compare with published figures. Values are
fractions 0..1. Does not average: tasks/evaluate/means.py does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from claimrag.schemas.claim import Label
from claimrag.schemas.errors import InputError

CLAIM_METRICS = (
    "precision",
    "recall",
    "f1",
    "claim_recall",
    "context_precision",
    "context_utilization",
    "noise_sensitivity_in_relevant",
    "noise_sensitivity_in_irrelevant",
    "hallucination",
    "self_knowledge",
    "faithfulness",
)

Metrics = dict[str, float | None]


@dataclass(frozen=True)
class Verdicts:
    """The labels of one answer, over `chunks` retrieved chunks.

    `answer2response[i]`: is response claim i entailed by the reference answer; `response2answer[j]`: is
    reference claim j entailed by the response; `retrieved2response[i][k]` and `retrieved2answer[j][k]`: by
    chunk k. Raises InputError when the sizes do not fit together.
    """

    chunks: int
    answer2response: Sequence[Label]
    response2answer: Sequence[Label]
    retrieved2response: Sequence[Sequence[Label]]
    retrieved2answer: Sequence[Sequence[Label]]

    def __post_init__(self) -> None:
        fits = len(self.retrieved2response) == len(self.answer2response)
        fits = fits and len(self.retrieved2answer) == len(self.response2answer)
        rows = (*self.retrieved2response, *self.retrieved2answer)
        if not fits or any(len(row) != self.chunks for row in rows):
            raise InputError(
                "verdict matrices do not fit: one row per claim, one column per chunk are needed"
            )


def claim_metrics(verdicts: Verdicts) -> Metrics:
    """All eleven metrics, None where not defined for these claims and chunks."""
    correct = _entailed(verdicts.answer2response)
    stated = _entailed(verdicts.response2answer)
    by_response_claim = [_entailed(row) for row in verdicts.retrieved2response]
    by_answer_claim = [_entailed(row) for row in verdicts.retrieved2answer]
    relevant = [any(row[k] for row in by_answer_claim) for k in range(verdicts.chunks)]
    recalled = [any(row) for row in by_answer_claim]
    precision, recall = _share(correct), _share(stated)
    return {
        "precision": precision,
        "recall": recall,
        "f1": _f1(precision, recall),
        "claim_recall": _share(recalled) if verdicts.chunks else None,
        "context_precision": _share(relevant) if by_answer_claim else None,
        "context_utilization": _share([used for used, found in zip(stated, recalled, strict=True) if found]),
        **_noise_sensitivity(correct, by_response_claim, relevant, scored=bool(by_answer_claim)),
        **_faithfulness(correct, by_response_claim, scored=bool(verdicts.chunks)),
    }


def compat_metrics(verdicts: Verdicts) -> dict[str, float]:
    """As RAGChecker reports them: every metric that is not defined is 0."""
    return {name: value or 0.0 for name, value in claim_metrics(verdicts).items()}


def compat_aggregate(examples: Sequence[Verdicts]) -> dict[str, float]:
    """RAGChecker's aggregate in percent: `round(100 * mean, 1)` over all examples, its zeros included."""
    if not examples:
        raise InputError("an aggregate needs at least one example")
    scores = [compat_metrics(verdicts) for verdicts in examples]
    return {
        name: round(sum(score[name] for score in scores) / len(scores) * 100, 1) for name in CLAIM_METRICS
    }


def _noise_sensitivity(
    correct: Sequence[bool],
    by_response_claim: Sequence[Sequence[bool]],
    relevant: Sequence[bool],
    *,
    scored: bool,
) -> Metrics:
    """Wrong claims that a relevant chunk supports; and wrong claims that only irrelevant chunks support."""
    names = ("noise_sensitivity_in_relevant", "noise_sensitivity_in_irrelevant")
    if not scored or not relevant:
        return dict.fromkeys(names)
    in_relevant = [any(f and r for f, r in zip(row, relevant, strict=True)) for row in by_response_claim]
    supported = [any(row) for row in by_response_claim]
    wrong = [not ok for ok in correct]
    from_relevant = [w and r for w, r in zip(wrong, in_relevant, strict=True)]
    from_irrelevant = [w and s and not r for w, s, r in zip(wrong, supported, in_relevant, strict=True)]
    return dict(zip(names, (_share(from_relevant), _share(from_irrelevant)), strict=True))


def _faithfulness(
    correct: Sequence[bool], by_response_claim: Sequence[Sequence[bool]], *, scored: bool
) -> Metrics:
    """Supported by a chunk; or not, and then right (self-knowledge) or wrong (hallucination)."""
    if not scored:
        return dict.fromkeys(("hallucination", "self_knowledge", "faithfulness"))
    supported = [any(row) for row in by_response_claim]
    return {
        "hallucination": _share([not s and not c for s, c in zip(supported, correct, strict=True)]),
        "self_knowledge": _share([not s and c for s, c in zip(supported, correct, strict=True)]),
        "faithfulness": _share(supported),
    }


def _entailed(labels: Sequence[Label]) -> list[bool]:
    return [label == Label.ENTAILMENT for label in labels]


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def _f1(precision: float | None, recall: float | None) -> float | None:
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
