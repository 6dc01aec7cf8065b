"""Rules for questions: their quotations are the law's words, their ids hash their content, none of them gets lost.

Temperatures are those of ClaimRAG-LAW (arXiv 2605.21071, generation setup). They are stated here apart from the
prompts on purpose: a prompt file with another rule must not pass its own check. So are the forms of ids.
"""

from __future__ import annotations

from claimrag.schemas.base import Noun
from claimrag.schemas.canonical import canonical_json, content_id, sha256_text
from claimrag.schemas.claim import Claim
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.decision import Decision
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.question import Category, Hop, ModelTrace, Question, ReviewStatus
from claimrag.schemas.validation import Severity
from claimrag.tasks.validate.lookup import Lookup, asked_words
from claimrag.tasks.validate.premise_rules import PREMISE_RULES
from claimrag.tasks.validate.rule import Rule

TEMPERATURES: dict[Category, tuple[float, float]] = {
    Category.FACTUAL_RECALL: (0.0, 0.0),
    Category.GENERAL_RESEARCH: (0.3, 0.5),
    Category.JURISDICTION_TIME: (0.3, 0.5),
    Category.FALSE_PREMISE: (0.7, 0.7),
}
_MADE_BY_A_STEP = {"generated_by", "review", "extracted_by", "labelled_by"}


def is_within(trace: ModelTrace, low: float, high: float) -> bool:
    """Whether the temperature lies between the two, or is recorded as unsupported by the model, or as imported."""
    if trace.is_imported:
        return trace.temperature is None
    if trace.temperature is None:
        return trace.temperature_note == "unsupported"
    return low - 1e-9 <= trace.temperature <= high + 1e-9


def is_complete(trace: ModelTrace) -> bool:
    """Whether the trace names model, prompt and request."""
    return all(part.strip() for part in (trace.model, trace.prompt_id, trace.prompt_hash, trace.request_key))


def expert_stands_behind(row: Question | Claim, group: Lookup) -> bool | None:
    """Whether an expert decided on a row that is said to be reviewed."""
    return None if row.review is ReviewStatus.UNREVIEWED else row.id in group.decided_items


def is_same_item(row: Question | Claim, other: Question | Claim) -> bool:
    """Whether two rows of one id say the same, whatever request wrote them and whoever reviewed them."""
    return row.model_dump(exclude=_MADE_BY_A_STEP) == other.model_dump(exclude=_MADE_BY_A_STEP)


def _has_a_quotation(row: Question, group: Lookup) -> bool:
    del group
    return bool(row.quotations) and all(one.text.strip() for one in row.quotations)


def _quotations_are_exact(row: Question, group: Lookup) -> bool:
    for one in row.quotations:
        context = group.context_by_id.get(one.context_unit_id)
        if context is None:
            continue
        if not 0 <= one.start < one.end <= len(context.text) or context.text[one.start : one.end] != one.text:
            return False
    return True


def _quotations_are_of_its_context(row: Question, group: Lookup) -> bool:
    del group
    return all(one.context_unit_id in row.context_unit_ids for one in row.quotations)


def _context_exists(row: Question, group: Lookup) -> bool:
    """In one act, all of them: a question on context units of two versions rests on no law that ever was."""
    return bool(row.context_unit_ids) and any(
        all((act_id, unit_id) in group.context_units for unit_id in row.context_unit_ids)
        for act_id in group.versions.get((row.law_id, row.language), ())
    )


def _context_hash_matches(row: Question, group: Lookup) -> bool | None:
    contexts = [group.context_by_id.get(unit_id) for unit_id in row.context_unit_ids]
    hashes = [sha256_text(context.text) for context in contexts if context is not None]
    if not hashes or len(hashes) < len(contexts):
        return None
    return row.context_sha256 == (hashes[0] if len(hashes) == 1 else sha256_text(canonical_json(hashes)))


def _id_is_its_content(row: Question, group: Lookup) -> bool:
    del group
    content = [*row.context_unit_ids, row.hop.value, row.category.value, row.question, row.answer]
    return row.id == content_id("q", content)


def _is_one_item(row: Question, group: Lookup) -> bool:
    return is_same_item(row, group.questions[row.id][0])


def _hop_fits_quotations(row: Question, group: Lookup) -> bool:
    del group
    quoted = {one.context_unit_id for one in row.quotations}
    return len(quoted) >= 2 if row.hop is Hop.MULTI else len(set(row.context_unit_ids)) == 1


def _temperature_fits_category(row: Question, group: Lookup) -> bool:
    del group
    return is_within(row.generated_by, *TEMPERATURES[row.category])


def _trace_is_complete(row: Question, group: Lookup) -> bool:
    del group
    return is_complete(row.generated_by)


def _is_written(row: Question, group: Lookup) -> bool:
    del group
    return bool(row.question.strip() and row.answer.strip())


def _has_rationale(row: Question, group: Lookup) -> bool:
    del group
    return bool(row.rationale.strip())


def _is_asked_once(row: Question, group: Lookup) -> bool:
    return group.question_texts[asked_words(row)] == 1


def _occurs_where_it_holds(row: Question, group: Lookup) -> bool | None:
    """In every act whose questions were bound, and that has all its context units; in one act at least."""
    acts = group.versions.get((row.law_id, row.language), ())
    holding = {
        act_id
        for act_id in acts
        if act_id in group.bound_acts
        and all((act_id, unit_id) in group.context_units for unit_id in row.context_unit_ids)
    }
    found = group.occurrences.get(row.id, {}).keys()
    return bool(found) and holding <= found


def _has_claims_or_a_reason(row: Question, group: Lookup) -> bool | None:
    rejected = group.rejected_of(Claim)
    if rejected is None:
        return None
    return row.id in group.claims or row.id in rejected


EXPERT = Rule(
    "expert_stands_behind",
    "A row that is marked as reviewed has a decision of an expert among the decisions given",
    expert_stands_behind,
)

QUESTION_RULES: dict[type[Noun], tuple[Rule, ...]] = {
    Question: (
        Rule("id_is_its_content", "The id is the hash of what the question consists of", _id_is_its_content),
        Rule("is_one_item", "Rows with the same id say the same", _is_one_item, Severity.WARNING),
        Rule("has_quotation", "At least one quotation supports it, and none is blank", _has_a_quotation),
        Rule(
            "quotations_are_exact",
            "Every quotation is the text of its context unit between its offsets",
            _quotations_are_exact,
            needs=(ContextUnit,),
        ),
        Rule(
            "quotations_in_context",
            "Every quotation is taken from one of its own context units",
            _quotations_are_of_its_context,
        ),
        Rule(
            "context_exists",
            "All its context units stand together in one act of its law and language",
            _context_exists,
            needs=(ContextUnit,),
        ),
        Rule(
            "context_matches_hash",
            "The recorded SHA-256 is that of its context units' text",
            _context_hash_matches,
            needs=(ContextUnit,),
        ),
        Rule(
            "hop_fits_quotations",
            "A multi-hop question quotes at least two context units; a single-hop one rests on one",
            _hop_fits_quotations,
        ),
        *PREMISE_RULES,
        Rule(
            "temperature_fits_category",
            "The temperature is the category's (0; 0.3-0.5; 0.7), or recorded as unsupported by the model",
            _temperature_fits_category,
        ),
        Rule("trace_is_complete", "Model, prompt and request that wrote it are recorded", _trace_is_complete),
        Rule("is_written", "Neither question nor answer is blank", _is_written),
        Rule("has_rationale", "The rationale is not blank", _has_rationale, Severity.WARNING),
        Rule(
            "asked_once",
            "No other question on the same law, in the same language, has the same words",
            _is_asked_once,
            Severity.WARNING,
        ),
        Rule(
            "occurs_where_it_holds",
            "It occurs in every version of its law that holds its words, and in at least one",
            _occurs_where_it_holds,
            needs=(Occurrence, ContextUnit),
        ),
        Rule(
            "has_claims_or_reason",
            "Its answer has claims, or a rejected row says why not",
            _has_claims_or_a_reason,
            needs=(Claim,),
        ),
        EXPERT,
    ),
    Decision: (
        Rule(
            "is_signed",
            "It names item, field, annotator and guideline",
            lambda row, _: all(
                part.strip() for part in (row.annotator, row.item_id, row.field, row.guideline_version)
            ),
        ),
    ),
}
