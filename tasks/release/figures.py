"""Figures: every number that a dataset card states, counted from the rows that the release publishes.

The table by language has the columns of ClaimRAG-LAW's Table 1 (arXiv 2605.21071). Nothing is typed in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from claimrag.schemas.base import Noun
from claimrag.schemas.claim import Label
from claimrag.schemas.question import Category, Hop, Persona, ReviewStatus
from claimrag.tasks.release.content import ReleaseContent, Rows
from claimrag.tasks.release.rows import ClaimRow, QaRow

TOTAL = "total"


class LanguageFigures(Noun):
    """Counts of one language, or of all of them; every value of an enumeration is there, 0 included."""

    language: str
    questions: int
    personas: dict[str, int]
    categories: dict[str, int]
    hops: dict[str, int]
    answers_with_claims: int
    claims: int
    labels: dict[str, int]


class ReviewFigures(Noun):
    """Who vouches for the rows: only experts' decisions count as validation."""

    questions: int
    questions_validated: int
    questions_rejected: int
    claims: int
    claims_validated: int


class ModelFigures(Noun):
    """Which models made, labelled, answered and judged, and which of them did more than one of these."""

    generators: tuple[str, ...]
    extractors: tuple[str, ...]
    labellers: tuple[str, ...]
    tested: tuple[str, ...]
    judges: tuple[str, ...]
    overlaps: tuple[str, ...]


def language_figures(rows: Rows) -> list[LanguageFigures]:
    """One entry per language in order, then the total."""
    questions, claims = qa_rows(rows), claim_rows(rows)
    languages = sorted({row.language for row in questions} | {row.language for row in claims})
    by_language = [
        _count(
            language,
            [row for row in questions if row.language == language],
            [row for row in claims if row.language == language],
        )
        for language in languages
    ]
    return [*by_language, _count(TOTAL, questions, claims)]


def review_figures(content: ReleaseContent, rows: Rows) -> ReviewFigures:
    """Released rows by review status, and how many questions experts rejected."""
    questions, claims = qa_rows(rows), claim_rows(rows)
    validated = ReviewStatus.EXPERT_VALIDATED
    return ReviewFigures(
        questions=len(questions),
        questions_validated=sum(row.review is validated for row in questions),
        questions_rejected=len(content.questions) - len(questions),
        claims=len(claims),
        claims_validated=sum(row.review is validated for row in claims),
    )


def model_figures(content: ReleaseContent, rows: Rows) -> ModelFigures:
    """Models by role; an overlap is a sentence naming a model and its roles."""
    claims = claim_rows(rows)
    roles = {
        "generated questions": {row.model for row in qa_rows(rows)},
        "extracted claims": {row.extracted_by for row in claims},
        "labelled claims": {row.labelled_by for row in claims},
        "was tested": {run.system.generator for run in content.runs},
        "judged": {run.system.judge for run in content.runs},
    }
    overlaps = []
    for model in sorted(set().union(*roles.values())):
        held = [role for role, models in roles.items() if model in models]
        if len(held) > 1:
            overlaps.append(f"{model} {', '.join(held[:-1])} and {held[-1]}")
    ordered = [tuple(sorted(models)) for models in roles.values()]
    return ModelFigures(
        generators=ordered[0],
        extractors=ordered[1],
        labellers=ordered[2],
        tested=ordered[3],
        judges=ordered[4],
        overlaps=tuple(overlaps),
    )


def qa_rows(rows: Rows) -> list[QaRow]:
    """The rows of `qa`, typed."""
    return [row for row in rows["qa"] if isinstance(row, QaRow)]


def claim_rows(rows: Rows) -> list[ClaimRow]:
    """The rows of `claims`, typed."""
    return [row for row in rows["claims"] if isinstance(row, ClaimRow)]


def _count(language: str, questions: list[QaRow], claims: list[ClaimRow]) -> LanguageFigures:
    return LanguageFigures(
        language=language,
        questions=len(questions),
        personas=_by_value([p.value for p in Persona], (row.persona.value for row in questions)),
        categories=_by_value([c.value for c in Category], (row.category.value for row in questions)),
        hops=_by_value([h.value for h in Hop], (row.hop.value for row in questions)),
        answers_with_claims=len({row.question_id for row in claims}),
        claims=len(claims),
        labels=_by_value([label.value for label in Label], (row.label.value for row in claims)),
    )


def _by_value(values: Iterable[str], found: Iterable[str]) -> dict[str, int]:
    counted = Counter(found)
    return {value: counted[value] for value in values}
