"""Rules for false premises: one fact of one sentence of the law was altered, the question takes it for granted and
the answer says what the law has.

Words can only be compared where the fact is a number, a date or an addressee; a modality ("must", "may not") is
left to the check that a model made when the question was written.
"""

from __future__ import annotations

from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import AlterationKind, Category, FalsePremise, Question
from claimrag.tasks.generate.wording import folded
from claimrag.tasks.validate.lookup import Lookup
from claimrag.tasks.validate.rule import Rule


def _record_fits_category(row: Question, group: Lookup) -> bool | None:
    del group
    if row.generated_by.is_imported and row.false_premise is None:
        return None  # those who published it do not say what they altered
    return (row.false_premise is not None) == (row.category is Category.FALSE_PREMISE)


def _is_one_alteration(row: Question, group: Lookup) -> bool | None:
    del group
    premise = row.false_premise
    if premise is None:
        return None
    return premise.original != premise.altered and _replaced_once(premise)


def _replaced_once(premise: FalsePremise) -> bool:
    size = len(premise.original)
    at = premise.truth.find(premise.original) if size else -1
    while at >= 0:
        if premise.truth[:at] + premise.altered + premise.truth[at + size :] == premise.belief:
            return True
        at = premise.truth.find(premise.original, at + 1)
    return False


def _truth_is_the_laws(row: Question, group: Lookup) -> bool | None:
    premise = row.false_premise
    contexts = [group.context_by_id.get(unit_id) for unit_id in row.context_unit_ids]
    if premise is None or not contexts or None in contexts:
        return None
    return any(context is not None and _states(context, premise) for context in contexts)


def _states(context: ContextUnit, premise: FalsePremise) -> bool:
    for sentence in context.sentences:
        if sentence.number == premise.sentence:
            words = context.text[sentence.start - context.start : sentence.end - context.start]
            return " ".join(words.split()) == premise.truth
    return False


def _comparable(row: Question) -> FalsePremise | None:
    premise = row.false_premise
    return None if premise is None or premise.kind is AlterationKind.MODALITY else premise


def _question_takes_it_for_granted(row: Question, group: Lookup) -> bool | None:
    del group
    premise = _comparable(row)
    if premise is None:
        return None
    return _says(row.question, premise.altered) and not _says(row.question, premise.original)


def _answer_corrects_it(row: Question, group: Lookup) -> bool | None:
    del group
    premise = _comparable(row)
    return None if premise is None else _says(row.answer, premise.original)


def _says(text: str, words: str) -> bool:
    return f" {folded(words)} " in f" {folded(text)} "


PREMISE_RULES = (
    Rule(
        "premise_fits_category",
        "A false-premise question records what was altered; no other question does",
        _record_fits_category,
    ),
    Rule(
        "premise_is_one_alteration",
        "The belief is the truth with the altered words in one place",
        _is_one_alteration,
    ),
    Rule(
        "truth_is_of_law",
        "The truth is the recorded sentence of its context unit",
        _truth_is_the_laws,
        needs=(ContextUnit,),
    ),
    Rule(
        "question_assumes_premise",
        "The question says the altered words, and not the law's",
        _question_takes_it_for_granted,
    ),
    Rule("answer_corrects_premise", "The answer says the law's own words", _answer_corrects_it),
)
