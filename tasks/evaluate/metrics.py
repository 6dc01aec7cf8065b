"""The RAGChecker metrics as functions of the four verdict matrices of one answer.

Formulas as in RAGChecker 0.1.9: only Entailment counts. A metric whose denominator is empty is None ("not
scored"), where RAGChecker reports 0. Values are fractions 0..1. Does not average: tasks/evaluate/means.py
does. A metric is one row of CLAIM_METRICS and a field of ScoredAnswer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from claimrag.schemas.claim import Label
from claimrag.schemas.errors import InputError
from claimrag.tasks.evaluate.metric import Metric

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

    @cached_property
    def correct(self) -> list[bool]:
        """By response claim: the reference answer entails it."""
        return _entailed(self.answer2response)

    @cached_property
    def answered(self) -> list[bool]:
        """By reference claim: the response entails it."""
        return _entailed(self.response2answer)

    @cached_property
    def retrieved(self) -> list[bool]:
        """By reference claim: some chunk entails it."""
        return [any(_entailed(row)) for row in self.retrieved2answer]

    @cached_property
    def supported(self) -> list[bool]:
        """By response claim: some chunk entails it."""
        return [any(_entailed(row)) for row in self.retrieved2response]

    @cached_property
    def relevant(self) -> list[bool]:
        """By chunk: it entails some reference claim."""
        return [any(row[k] == Label.ENTAILMENT for row in self.retrieved2answer) for k in range(self.chunks)]

    @cached_property
    def supported_by_relevant(self) -> list[bool]:
        """By response claim: some relevant chunk entails it."""
        return [
            any(
                entailed and relevant
                for entailed, relevant in zip(_entailed(row), self.relevant, strict=True)
            )
            for row in self.retrieved2response
        ]


def claim_metrics(verdicts: Verdicts) -> Metrics:
    """Every claim-level metric by name, None where not defined for these claims and chunks."""
    return {metric.name: metric.value(verdicts) for metric in CLAIM_METRICS}


def _precision(verdicts: Verdicts) -> float | None:
    return _share(verdicts.correct)


def _recall(verdicts: Verdicts) -> float | None:
    return _share(verdicts.answered)


def _f1(verdicts: Verdicts) -> float | None:
    precision, recall = _precision(verdicts), _recall(verdicts)
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _claim_recall(verdicts: Verdicts) -> float | None:
    return _share(verdicts.retrieved) if verdicts.chunks else None


def _context_precision(verdicts: Verdicts) -> float | None:
    return _share(verdicts.relevant) if verdicts.response2answer else None


def _context_utilization(verdicts: Verdicts) -> float | None:
    pairs = zip(verdicts.answered, verdicts.retrieved, strict=True)
    return _share([answered for answered, retrieved in pairs if retrieved])


def _noise_in_relevant(verdicts: Verdicts) -> float | None:
    """Wrong claims that a relevant chunk supports."""
    if not verdicts.response2answer or not verdicts.chunks:
        return None
    pairs = zip(verdicts.correct, verdicts.supported_by_relevant, strict=True)
    return _share([relevant and not correct for correct, relevant in pairs])


def _noise_in_irrelevant(verdicts: Verdicts) -> float | None:
    """Wrong claims that only irrelevant chunks support."""
    if not verdicts.response2answer or not verdicts.chunks:
        return None
    triples = zip(verdicts.correct, verdicts.supported, verdicts.supported_by_relevant, strict=True)
    return _share([supported and not relevant and not correct for correct, supported, relevant in triples])


def _hallucination(verdicts: Verdicts) -> float | None:
    pairs = zip(verdicts.correct, verdicts.supported, strict=True)
    return (
        _share([not supported and not correct for correct, supported in pairs]) if verdicts.chunks else None
    )


def _self_knowledge(verdicts: Verdicts) -> float | None:
    pairs = zip(verdicts.correct, verdicts.supported, strict=True)
    return _share([not supported and correct for correct, supported in pairs]) if verdicts.chunks else None


def _faithfulness(verdicts: Verdicts) -> float | None:
    return _share(verdicts.supported) if verdicts.chunks else None


def _entailed(labels: Sequence[Label]) -> list[bool]:
    return [label == Label.ENTAILMENT for label in labels]


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


# In the order of Table 2 of ClaimRAG-LAW, with its abbreviations.
CLAIM_METRICS: tuple[Metric[Verdicts], ...] = (
    Metric(
        "precision", "P", "The share of the response's claims that the reference answer entails.", _precision
    ),
    Metric("recall", "R", "The share of the reference answer's claims that the response entails.", _recall),
    Metric("f1", "F1", "The harmonic mean of precision and recall.", _f1),
    Metric(
        "claim_recall",
        "CR",
        "The share of the reference answer's claims that some chunk entails.",
        _claim_recall,
    ),
    Metric(
        "context_precision",
        "CP",
        "The share of the chunks that entail some claim of the reference answer.",
        _context_precision,
    ),
    Metric(
        "context_utilization",
        "CU",
        "Of the reference answer's claims that some chunk entails, the share that the response entails.",
        _context_utilization,
    ),
    Metric(
        "noise_sensitivity_in_relevant",
        "NSr",
        "The share of the response's claims that are wrong and that a relevant chunk entails.",
        _noise_in_relevant,
        lower_is_better=True,
    ),
    Metric(
        "noise_sensitivity_in_irrelevant",
        "NSir",
        "The share of the response's claims that are wrong and that only irrelevant chunks entail.",
        _noise_in_irrelevant,
        lower_is_better=True,
    ),
    Metric(
        "hallucination",
        "HL",
        "The share of the response's claims that are wrong and that no chunk entails.",
        _hallucination,
        lower_is_better=True,
    ),
    Metric(
        "self_knowledge",
        "SK",
        "The share of the response's claims that are right and that no chunk entails.",
        _self_knowledge,
    ),
    Metric(
        "faithfulness", "FT", "The share of the response's claims that some chunk entails.", _faithfulness
    ),
)
