"""Rules for what hangs on a question: its occurrences in the versions of a law, and the claims of its answer."""

from __future__ import annotations

from claimrag.schemas.act import law_of
from claimrag.schemas.base import Noun
from claimrag.schemas.canonical import content_id
from claimrag.schemas.claim import Claim, ClaimOrigin
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.occurrence import Evidence, Occurrence
from claimrag.schemas.question import Question, Quotation
from claimrag.schemas.run import Run, ScoredAnswer
from claimrag.schemas.unit import Unit
from claimrag.schemas.validation import Severity
from claimrag.tasks.validate.lookup import Lookup, claimed_words
from claimrag.tasks.validate.question_rules import EXPERT, is_complete, is_same_item, is_within
from claimrag.tasks.validate.rule import TEXT_IS_GIVEN, Rule, is_exact_slice, language_of


def _occurrence_has_its_question(row: Occurrence, group: Lookup) -> bool:
    questions = group.questions.get(row.question_id)
    if not questions:
        return False
    return (questions[0].law_id, questions[0].language) == (law_of(row.act_id), language_of(row.act_id))


def _context_stands_in_act(row: Occurrence, group: Lookup) -> bool | None:
    questions = group.questions.get(row.question_id)
    if not questions:
        return None
    return all((row.act_id, unit_id) in group.context_units for unit_id in questions[0].context_unit_ids)


def _evidence_is_exact(row: Occurrence, group: Lookup) -> bool | None:
    exact = [is_exact_slice(group, row.act_id, one.start, one.end, one.quotation) for one in row.evidence]
    return None if None in exact else all(exact)


def _evidence_is_that_of_the_quotations(row: Occurrence, group: Lookup) -> bool | None:
    """Those of one row of the question: of several rows with one id, whose order of words differs in nothing."""
    questions = group.questions.get(row.question_id)
    if not questions:
        return None
    return any(_all_placed(row, question, group) for question in questions)


def _all_placed(row: Occurrence, question: Question, group: Lookup) -> bool:
    if len(row.evidence) != len(question.quotations):
        return False
    pairs = zip(row.evidence, question.quotations, strict=True)
    return all(_is_placed(one, quotation, row, group) for one, quotation in pairs)


def _is_placed(one: Evidence, quotation: Quotation, row: Occurrence, group: Lookup) -> bool:
    context = group.context_units.get((row.act_id, quotation.context_unit_id))
    if context is None:
        return True  # context_stands_in_act says so
    return (one.context_unit_id, one.sentence, one.start, one.end, one.quotation) == (
        quotation.context_unit_id,
        quotation.sentence,
        context.start + quotation.start,
        context.start + quotation.end,
        quotation.text,
    )


def _evidence_lies_in_its_unit(row: Occurrence, group: Lookup) -> bool:
    """Words that are no one sentence may go on in the next unit: where they begin counts."""
    for one in row.evidence:
        unit = group.units.get(one.unit_id)
        if unit is None or unit.act_id != row.act_id or not unit.start <= one.start < unit.end:
            return False
        if one.sentence is not None and one.end > unit.end:
            return False
    return True


def _evidence_lies_in_its_sentence(row: Occurrence, group: Lookup) -> bool | None:
    cited = [one for one in row.evidence if one.sentence is not None]
    for one in cited:
        context = group.context_units.get((row.act_id, one.context_unit_id))
        sentences = context.sentences if context is not None else ()
        if not any(s.number == one.sentence and s.start <= one.start < one.end <= s.end for s in sentences):
            return False
    return True if cited else None


def _is_scored_in_every_run(row: Occurrence, group: Lookup) -> bool | None:
    runs = group.runs_of.get(row.act_id)
    return all((run.id, row.question_id) in group.scored for run in runs) if runs else None


def _claim_has_its_question(row: Claim, group: Lookup) -> bool:
    return row.question_id in group.questions


def _claim_agrees_with_its_question(row: Claim, group: Lookup) -> bool | None:
    questions = group.questions.get(row.question_id)
    if not questions:
        return None
    return (questions[0].law_id, questions[0].language) == (row.law_id, row.language)


def _claim_id_is_its_content(row: Claim, group: Lookup) -> bool:
    del group
    return row.id == content_id("clm", [row.question_id, row.subject, row.predicate, row.object])


def _claim_is_one_item(row: Claim, group: Lookup) -> bool:
    return is_same_item(row, group.claims[row.question_id][row.id][0])


def _order_is_its_own(row: Claim, group: Lookup) -> bool:
    others = group.claims[row.question_id]
    return row.order >= 0 and not any(
        rows[0].order == row.order for claim_id, rows in others.items() if claim_id != row.id
    )


def _sentence_is_its_triplet(row: Claim, group: Lookup) -> bool:
    del group
    return row.sentence == f"{row.subject} {row.predicate} {row.object}"


def _no_part_is_blank(row: Claim, group: Lookup) -> bool:
    del group
    return all(part.strip() for part in (row.subject, row.predicate, row.object))


def _temperature_is_zero(row: Claim, group: Lookup) -> bool | None:
    del group
    if row.origin is not ClaimOrigin.EXTRACTED:
        return None
    return is_within(row.extracted_by, 0.0, 0.0) and is_within(row.labelled_by, 0.0, 0.0)


def _traces_are_complete(row: Claim, group: Lookup) -> bool:
    del group
    return is_complete(row.extracted_by) and is_complete(row.labelled_by)


def _is_claimed_once(row: Claim, group: Lookup) -> bool:
    return group.triplets[claimed_words(row)] == 1


ITEM_RULES: dict[type[Noun], tuple[Rule, ...]] = {
    Occurrence: (
        TEXT_IS_GIVEN,
        Rule(
            "question_exists",
            "Its question exists, and is on the act's law and in its language",
            _occurrence_has_its_question,
            needs=(Question,),
        ),
        Rule(
            "context_stands_in_act",
            "The act has every context unit of the question",
            _context_stands_in_act,
            needs=(Question, ContextUnit),
        ),
        Rule(
            "evidence_is_exact", "Every quotation is the act's text between its offsets", _evidence_is_exact
        ),
        Rule(
            "evidence_is_of_question",
            "Its quotations are the question's, one by one, at the place of the context unit in the act",
            _evidence_is_that_of_the_quotations,
            needs=(Question, ContextUnit),
        ),
        Rule(
            "evidence_in_unit",
            "Every quotation lies in the unit that it names, a unit of the same act",
            _evidence_lies_in_its_unit,
            needs=(Unit,),
        ),
        Rule(
            "evidence_in_sentence",
            "A quotation with a sentence's number lies in that sentence",
            _evidence_lies_in_its_sentence,
            needs=(ContextUnit,),
        ),
        Rule(
            "is_scored_in_every_run",
            "Every run over the act has a scored answer for it",
            _is_scored_in_every_run,
            needs=(Run, ScoredAnswer),
        ),
    ),
    Claim: (
        Rule("question_exists", "Its question exists", _claim_has_its_question, needs=(Question,)),
        Rule(
            "agrees_with_question",
            "It has the law and the language of its question",
            _claim_agrees_with_its_question,
            needs=(Question,),
        ),
        Rule("id_is_its_content", "The id is the hash of question and triplet", _claim_id_is_its_content),
        Rule("is_one_item", "Rows with the same id say the same", _claim_is_one_item, Severity.WARNING),
        Rule(
            "order_is_its_own",
            "No other claim of the question has its place in the answer",
            _order_is_its_own,
        ),
        Rule(
            "sentence_is_its_triplet",
            "The sentence is subject, predicate and object with a space between",
            _sentence_is_its_triplet,
        ),
        Rule(
            "triplet_has_its_parts",
            "Neither subject, predicate nor object is blank",
            _no_part_is_blank,
            Severity.WARNING,
        ),
        Rule(
            "temperature_is_zero",
            "It was extracted and labelled at temperature 0, or that is recorded as unsupported by the model",
            _temperature_is_zero,
        ),
        Rule(
            "traces_are_complete",
            "Model, prompt and request that extracted it and that labelled it are recorded",
            _traces_are_complete,
        ),
        Rule(
            "claimed_once",
            "No other claim of the same question says the same",
            _is_claimed_once,
            Severity.WARNING,
        ),
        EXPERT,
    ),
}
