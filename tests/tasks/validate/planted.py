"""For every rule a row that breaks it: `PLANTED[table, code]` spoils a sound set.

`BY_NATURE` lists what else such a row must break, and why. Everything that follows from a row is made to follow, so
that nothing else is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.tasks.validate.tables import TableInput
from tests.tasks.validate import planted_items, planted_law, planted_questions, planted_scores
from tests.tasks.validate.planting import PLANTED, planted
from tests.tasks.validate.sound import MODELS, SoundBuild

# What a stage says of itself


def counts(code: str, change: Callable[[StageCounts], dict[str, Any]]) -> None:
    @planted("claims", code)
    def plant(build: SoundBuild) -> None:
        sound = StageCounts.of(len(build.claims), build.rejected["claims"])
        build.counts["claims"] = sound.model_copy(update=change(sound))


counts("counts_add_up", lambda sound: {"considered": sound.considered + 1})
counts("rows_equal_kept", lambda sound: {"considered": sound.considered + 1, "kept": sound.kept + 1})
counts("rejected_rows_equal_counts", lambda sound: {"rejected": {"unsuitable": 1}})


@planted("claims", "rejected_is_valid")
def _(build: SoundBuild) -> None:
    row = build.rejected["claims"][0]
    build.rejected["claims"].append(Rejected.model_construct(**(dict(row) | {"detail": None})))


@planted("claims", "rejected_names_its_row")
def _(build: SoundBuild) -> None:
    row = build.rejected["claims"][0]
    build.rejected["claims"].append(row.model_copy(update={"item": "q_gone"}))


@planted("empty", "has_rows")
def _(build: SoundBuild) -> None:
    build.more["empty"] = TableInput(MODELS["decisions"], [], StageCounts.of(0, []), [])


OF_AN_ACT_THAT_IS_NOT_THERE = "a row of an act that was not given cannot refer to anything in it"
SEEN_FROM_BOTH_SIDES = "question and occurrence hold the same words; one of them alone cannot be wrong"
MATHEMATICS = (
    "the identities and limits follow from the formulas: where they fail, the formulas were not used"
)
BY_NATURE: dict[tuple[str, str], tuple[str, set[tuple[str, str]]]] = {
    ("units", "act_text_is_given"): (OF_AN_ACT_THAT_IS_NOT_THERE, {("units", "belongs_to_act")}),
    ("context_units", "act_text_is_given"): (
        OF_AN_ACT_THAT_IS_NOT_THERE,
        {("context_units", "units_exist")},
    ),
    ("occurrences", "act_text_is_given"): (
        OF_AN_ACT_THAT_IS_NOT_THERE,
        {
            ("occurrences", "context_stands_in_act"),
            ("occurrences", "evidence_in_unit"),
            ("occurrences", "evidence_in_sentence"),
        },
    ),
    ("scored_answers", "act_text_is_given"): (
        OF_AN_ACT_THAT_IS_NOT_THERE,
        {("scored_answers", "run_exists")},
    ),
    ("questions", "quotations_are_exact"): (
        SEEN_FROM_BOTH_SIDES,
        {("occurrences", "evidence_is_of_question")},
    ),
    ("occurrences", "evidence_is_exact"): (
        SEEN_FROM_BOTH_SIDES,
        {("occurrences", "evidence_is_of_question")},
    ),
    ("questions", "context_exists"): (
        "bound to either version, half of its context is not there",
        {("occurrences", "context_stands_in_act"), ("occurrences", "evidence_is_of_question")},
    ),
    ("scored_answers", "identity_a"): (MATHEMATICS, {("scored_answers", "metrics_follow_from_matrices")}),
    ("scored_answers", "identity_b"): (MATHEMATICS, {("scored_answers", "metrics_follow_from_matrices")}),
    ("scored_answers", "metrics_are_fractions"): (
        MATHEMATICS,
        {("scored_answers", "metrics_follow_from_matrices")},
    ),
    ("runs", "means_are_honest"): (
        "an interval that leaves its mean out is not that of the rows",
        {("runs", "intervals_follow_from_rows")},
    ),
}
"""By planted row: why it must break more than its rule, and what."""
VARIANTS = {"chunk_is_of_run_elsewhere": "chunk_is_of_run"}
VARIANTS |= {"means_follow_from_rows_in_number": "means_follow_from_rows"}
"""Planted rows that break a rule in another way."""

_READ = (planted_law, planted_questions, planted_items, planted_scores)
"""Importing them registers their plants."""

__all__ = ["BY_NATURE", "PLANTED", "VARIANTS"]
