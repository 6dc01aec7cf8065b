"""Figures: every number that a dataset card states, counted from the rows as they are written.

The table by language has the columns of ClaimRAG-LAW's Table 1 (arXiv 2605.21071). Nothing is typed in, and no row
is kept but the first, as an example.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from claimrag.schemas.base import ActId
from claimrag.schemas.claim import Label
from claimrag.schemas.question import Category, Hop, Persona, ReviewStatus
from claimrag.schemas.release import ChangeReason
from claimrag.schemas.run import Run
from claimrag.tasks.release.history_rows import ChangeRow, RejectionRow
from claimrag.tasks.release.law import LeftOut
from claimrag.tasks.release.law_rows import ClaimRow, QaRow

TOTAL = "total"
_VALIDATED = ReviewStatus.EXPERT_VALIDATED


@dataclass
class LanguageFigures:
    """Counts of one language, or of all of them; every value of an enumeration is there, 0 included."""

    language: str
    questions: int = 0
    answers_with_claims: int = 0
    claims: int = 0
    personas: dict[str, int] = field(default_factory=lambda: dict.fromkeys(map(str, Persona), 0))
    categories: dict[str, int] = field(default_factory=lambda: dict.fromkeys(map(str, Category), 0))
    hops: dict[str, int] = field(default_factory=lambda: dict.fromkeys(map(str, Hop), 0))
    labels: dict[str, int] = field(default_factory=lambda: dict.fromkeys(map(str, Label), 0))

    def add(self, question: QaRow, claims: Sequence[ClaimRow]) -> None:
        """Count a question and the claims of its answer."""
        self.questions += 1
        self.answers_with_claims += bool(claims)
        self.claims += len(claims)
        self.personas[question.persona] += 1
        self.categories[question.category] += 1
        self.hops[question.hop] += 1
        for claim in claims:
            self.labels[claim.label] += 1


@dataclass
class ModelFigures:
    """Which models wrote and labelled the rows, and with which prompt each label was asked for."""

    generators: set[str] = field(default_factory=set)
    extractors: set[str] = field(default_factory=set)
    labellers: set[str] = field(default_factory=set)
    label_prompts: Counter[str] = field(default_factory=Counter)

    def add(self, question: QaRow, claims: Sequence[ClaimRow]) -> None:
        """Note the models behind a question and the claims of its answer."""
        self.generators.add(question.model)
        for claim in claims:
            self.extractors.add(claim.extracted_by)
            self.labellers.add(claim.labelled_by)
            self.label_prompts[claim.label_prompt_id] += 1

    def overlaps(self, runs: Iterable[Run]) -> list[str]:
        """A sentence for each model that held several roles, those in `runs` included; by name."""
        systems = [run.system for run in runs]
        roles = {
            "generated questions": self.generators,
            "extracted claims": self.extractors,
            "labelled claims": self.labellers,
            "was tested": {system.generator for system in systems},
            "judged": {system.judge for system in systems},
        }
        sentences = []
        for model in sorted(set().union(*roles.values())):
            held = [role for role, models in roles.items() if model in models]
            if len(held) > 1:
                sentences.append(f"{model} {', '.join(held[:-1])} and {held[-1]}")
        return sentences


@dataclass
class Figures:
    """What the card says of the rows. `holding` counts by act the questions that hold in it."""

    total: LanguageFigures = field(default_factory=lambda: LanguageFigures(TOTAL))
    by_language: dict[str, LanguageFigures] = field(default_factory=dict)
    models: ModelFigures = field(default_factory=ModelFigures)
    holding: Counter[ActId] = field(default_factory=Counter)
    in_several_versions: int = 0
    superseded: int = 0
    questions_validated: int = 0
    claims_validated: int = 0
    left_out: LeftOut = field(default_factory=LeftOut)
    rows: Counter[str] = field(default_factory=Counter)
    """How many rows each configuration has."""
    example: QaRow | None = None
    """The first question."""
    rejected: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How many rows were rejected, by stage and reason."""
    change_reasons: Counter[tuple[str, ChangeReason]] = field(default_factory=Counter)
    """How many rows were removed or changed for a known reason, by configuration and reason."""

    @property
    def languages(self) -> list[LanguageFigures]:
        """One entry per language, in order."""
        return [self.by_language[language] for language in sorted(self.by_language)]

    def add(self, question: QaRow, claims: Sequence[ClaimRow]) -> None:
        """Count a question and the claims of its answer."""
        self.example = self.example or question
        of_language = self.by_language.setdefault(question.language, LanguageFigures(question.language))
        for counted in (self.total, of_language, self.models):
            counted.add(question, claims)
        self.holding.update(question.versions)
        self.in_several_versions += len(question.versions) > 1
        self.superseded += not question.in_force
        self.questions_validated += question.review is _VALIDATED
        self.claims_validated += sum(claim.review is _VALIDATED for claim in claims)

    def add_rejected(self, rows: Iterable[RejectionRow]) -> None:
        """Count rejected rows."""
        self.rejected.update((row.stage, row.reason.value) for row in rows)

    def add_changes(self, rows: Iterable[ChangeRow]) -> None:
        """Count the rows that changed for a known reason."""
        self.change_reasons.update((row.configuration, row.reason) for row in rows if row.reason is not None)


def counted(number: int, noun: str) -> str:
    """`1 question`, `2 questions`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
