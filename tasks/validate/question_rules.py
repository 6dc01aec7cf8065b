"""Rules for what models write: questions with their quotations, and claims with their labels.

Temperatures are those of ClaimRAG-LAW (arXiv 2605.21071, generation setup). They are stated here apart
from the prompts on purpose: a prompt file with another rule must not pass its own check.
"""

from __future__ import annotations

from claimrag.schemas.base import Noun
from claimrag.schemas.claim import Claim, ClaimOrigin
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import Category, Hop, ModelTrace, Question, ReviewStatus
from claimrag.schemas.unit import Unit
from claimrag.schemas.validation import Severity
from claimrag.tasks.validate.rule import TEXT_IS_GIVEN, Rule, is_exact_slice
from claimrag.tasks.validate.tables import Build, question_key, triplet_key

TEMPERATURES: dict[Category, tuple[float, float]] = {
    Category.FACTUAL_RECALL: (0.0, 0.0),
    Category.GENERAL_RESEARCH: (0.3, 0.5),
    Category.JURISDICTION_TIME: (0.3, 0.5),
    Category.FALSE_PREMISE: (0.7, 0.7),
}


def _within(trace: ModelTrace, low: float, high: float) -> bool:
    if trace.temperature is None:
        return trace.temperature_note == "unsupported"
    return low - 1e-9 <= trace.temperature <= high + 1e-9


def _quotations_are_exact(row: Question, build: Build) -> bool | None:
    exact = [is_exact_slice(build, row.act_id, e.start, e.end, e.quotation) for e in row.evidence]
    return None if None in exact else all(exact)


def _has_a_quotation(row: Question, build: Build) -> bool:
    del build
    return bool(row.evidence) and all(evidence.quotation.strip() for evidence in row.evidence)


def _quotations_lie_in_context(row: Question, build: Build) -> bool:
    for evidence in row.evidence:
        unit = build.context_units.get((row.act_id, evidence.context_unit_id))
        if unit is None or evidence.context_unit_id not in row.context_unit_ids:
            return False
        if not unit.start <= evidence.start <= evidence.end <= unit.end:
            return False
    return True


def _quotations_name_units(row: Question, build: Build) -> bool:
    return all(evidence.unit_id in build.units for evidence in row.evidence)


def _context_exists(row: Question, build: Build) -> bool:
    named = [(row.act_id, unit_id) for unit_id in row.context_unit_ids]
    return bool(named) and all(key in build.context_units for key in named)


def _hop_fits_evidence(row: Question, build: Build) -> bool:
    del build
    quoted = {evidence.context_unit_id for evidence in row.evidence}
    return len(quoted) >= 2 if row.hop is Hop.MULTI else len(set(row.context_unit_ids)) == 1


def _temperature_fits_category(row: Question, build: Build) -> bool:
    del build
    return _within(row.generated_by, *TEMPERATURES[row.category])


def _question_is_written(row: Question, build: Build) -> bool:
    del build
    return bool(row.question.strip() and row.answer.strip())


def _has_rationale(row: Question, build: Build) -> bool:
    del build
    return bool(row.rationale.strip())


def _language_is_of_act(row: Question | Claim, build: Build) -> bool:
    del build
    return row.language == row.act_id.rpartition("/")[2]


def _question_is_asked_once(row: Question, build: Build) -> bool:
    return build.question_texts[question_key(row)] == 1


def _expert_stands_behind(row: Question | Claim, build: Build) -> bool | None:
    if row.review is ReviewStatus.UNREVIEWED:
        return None
    return row.id in build.decided_items


def _question_exists(row: Claim, build: Build) -> bool:
    question = build.questions.get(row.question_id)
    return question is not None and (question.act_id, question.language) == (row.act_id, row.language)


def _claim_is_written(row: Claim, build: Build) -> bool:
    del build
    return bool(row.sentence.strip())


def _triplet_is_whole(row: Claim, build: Build) -> bool:
    del build
    return all(part.strip() for part in (row.subject, row.predicate, row.object))


def _claim_temperature_is_zero(row: Claim, build: Build) -> bool | None:
    del build
    if row.origin is not ClaimOrigin.EXTRACTED:
        return None
    return _within(row.extracted_by, 0.0, 0.0) and _within(row.labelled_by, 0.0, 0.0)


def _claim_is_made_once(row: Claim, build: Build) -> bool:
    return build.triplets[triplet_key(row)] == 1


_EXPERT = Rule(
    "expert_stands_behind",
    "A row said to be reviewed has a decision of an expert among the decisions given",
    _expert_stands_behind,
)
_LANGUAGE = Rule(
    "language_is_of_act", "The language is that of the act", _language_is_of_act, Severity.WARNING
)

QUESTION_RULES: dict[type[Noun], tuple[Rule, ...]] = {
    Question: (
        TEXT_IS_GIVEN,
        Rule("quotations_are_exact", "Every quotation equals act_text[start:end]", _quotations_are_exact),
        Rule("has_quotation", "At least one quotation supports it, and none is blank", _has_a_quotation),
        Rule(
            "quotations_in_context",
            "Every quotation lies inside its context unit, which is one of the question's",
            _quotations_lie_in_context,
            needs=(ContextUnit,),
        ),
        Rule(
            "quotations_name_units",
            "Every quotation names a unit that is in the table of units",
            _quotations_name_units,
            needs=(Unit,),
        ),
        Rule(
            "context_exists",
            "Every context unit of the question exists in its act",
            _context_exists,
            needs=(ContextUnit,),
        ),
        Rule(
            "hop_fits_evidence",
            "A multi-hop question quotes at least two context units; a single-hop one has exactly one",
            _hop_fits_evidence,
        ),
        Rule(
            "temperature_fits_category",
            "The temperature is the category's (0; 0.3-0.5; 0.7), or recorded as unsupported by the model",
            _temperature_fits_category,
        ),
        Rule("is_written", "Neither question nor answer is blank", _question_is_written),
        Rule("has_rationale", "The rationale is not blank", _has_rationale, Severity.WARNING),
        _LANGUAGE,
        Rule(
            "asked_once",
            "No other question of the same act has the same text",
            _question_is_asked_once,
            Severity.WARNING,
        ),
        _EXPERT,
    ),
    Claim: (
        Rule(
            "question_exists",
            "Its question exists, and has the same act and language",
            _question_exists,
            needs=(Question,),
        ),
        Rule("is_written", "The sentence is not blank", _claim_is_written),
        Rule(
            "triplet_is_whole",
            "Subject, predicate and object are not blank",
            _triplet_is_whole,
            Severity.WARNING,
        ),
        Rule(
            "temperature_is_zero",
            "An extracted claim was extracted and labelled at temperature 0, or recorded as unsupported",
            _claim_temperature_is_zero,
        ),
        _LANGUAGE,
        Rule(
            "made_once",
            "No other claim of the same question has the same triplet",
            _claim_is_made_once,
            Severity.WARNING,
        ),
        _EXPERT,
    ),
}
