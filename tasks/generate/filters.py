"""Filters that need no model: each looks at one defect of a draft and has its own reason.

Each raises ItemRejectedError at the first defect it finds. They are deliberately simple and err on the side of
rejecting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import AlterationKind, FalsePremise, Quotation
from claimrag.schemas.reason import Reason
from claimrag.tasks.generate.desk import Desk
from claimrag.tasks.generate.drafts import Draft
from claimrag.tasks.generate.languages import ByLanguage
from claimrag.tasks.generate.reasons import ItemRejectedError
from claimrag.tasks.generate.unseen_text import words_pointing_at_unseen_text
from claimrag.tasks.generate.wording import folded, is_number, stems

_MIN_QUESTION_WORDS = 5
_MIN_ANSWER_CHARACTERS = 2
_SURE = 0.9
_MIN_KNOWN_SHARE = 0.5
_MIN_NAMED = 3
_MIN_NEW = 2
_MIN_OWN_WORDS = 2
_MIN_UNITS = 2
_CALLS_IT_WRONG = re.compile(r"\b(?:wrongly|mistakenly|à tort|par erreur|se tromper?)\b", re.IGNORECASE)
_WHY = ByLanguage(
    "questions for a reason",
    {"en": ("why", "for what reason"), "fr": ("pourquoi", "pour quelle raison")},
)


def check_wording(desk: Desk, draft: Draft) -> None:
    """Language, form, self-containment, and that the answer says something the question does not."""
    _check_form(draft)
    language = desk.act.language
    pointing = words_pointing_at_unseen_text(draft.question, language)
    if pointing:
        detail = f"The question says {pointing!r}, which its reader does not see."
        raise ItemRejectedError(Reason.REFERS_TO_UNSEEN_TEXT, detail, draft.raw)
    asked, answered = stems(draft.question), stems(draft.answer)
    new = answered - asked
    if folded(draft.answer) in folded(draft.question) or (
        len(new) < _MIN_NEW and not any(map(is_number, new))
    ):
        raise ItemRejectedError(
            Reason.ANSWER_IN_QUESTION, "The question already holds the words of its answer.", draft.raw
        )
    for name, words in (("question", draft.question), ("answer", draft.answer)):
        found, confidence = desk.identify(words)
        if found != language and confidence >= _SURE:
            detail = f"The {name} is in {found!s}, the law in {language}."
            raise ItemRejectedError(Reason.WRONG_LANGUAGE, detail, draft.raw)


def check_asks_no_reason(desk: Desk, draft: Draft) -> None:
    """The enacting words of a law state rules; why they were made is not in them."""
    if draft.question.casefold().startswith(_WHY[desk.act.language]):
        raise ItemRejectedError(
            Reason.ASKS_FOR_A_REASON, "The question asks why, which the law's words do not say.", draft.raw
        )


def check_detail(draft: Draft, detail: str | None) -> None:
    """A factual question asks for the detail without saying it, and its answer states it."""
    if detail is None:
        return
    words = folded(detail)
    if _contains_words(folded(draft.question), words):
        raise ItemRejectedError(Reason.ANSWER_IN_QUESTION, f"The question itself says {detail!r}.", draft.raw)
    if not _contains_words(folded(draft.answer), words):
        raise ItemRejectedError(Reason.DETAIL_NOT_STATED, f"The answer does not say {detail!r}.", draft.raw)


def check_evidence(
    desk: Desk, draft: Draft, contexts: Sequence[ContextUnit], quotations: Sequence[Quotation]
) -> None:
    """The question names what the law's words name; the answer's numbers and new words come from them."""
    headings = f"{desk.law} {' '.join(unit.heading for unit in contexts)}"
    named = f"{headings} {' '.join(one.text for one in quotations)}"
    asked, answered = stems(draft.question), stems(draft.answer)
    if len(asked & stems(f"{headings} {' '.join(unit.text for unit in contexts)}")) < _MIN_NAMED:
        raise ItemRejectedError(
            Reason.TOO_VAGUE, "The question names too little of what the law speaks of.", draft.raw
        )
    unknown = sorted(word for word in answered - stems(named) - asked if is_number(word))
    if unknown:
        detail = f"The answer states {', '.join(unknown)}, which the evidence does not."
        raise ItemRejectedError(Reason.ANSWER_BEYOND_EVIDENCE, detail, draft.raw)
    new = answered - asked
    if new and len(new & stems(named)) / len(new) < _MIN_KNOWN_SHARE:
        detail = (
            f"Of the answer's new words, only {len(new & stems(named))} of {len(new)} stand in the evidence."
        )
        raise ItemRejectedError(Reason.ANSWER_BEYOND_EVIDENCE, detail, draft.raw)


def check_each_contributes(draft: Draft, quotations: Sequence[Quotation]) -> None:
    """A multi-hop answer takes words of its own from the evidence of at least two context units."""
    words: dict[str, set[str]] = {}
    for one in quotations:
        words.setdefault(one.context_unit_id, set()).update(stems(one.text))
    answered = stems(draft.answer)
    contributing = 0
    for unit, own in words.items():
        elsewhere = set().union(*(others for other, others in words.items() if other != unit))
        contributing += len(answered & (own - elsewhere)) >= _MIN_OWN_WORDS
    if contributing < _MIN_UNITS:
        raise ItemRejectedError(
            Reason.SINGLE_UNIT_EVIDENCE, "The answer takes its words from one provision only.", draft.raw
        )


def with_belief(draft: Draft, premise: FalsePremise) -> Draft:
    """The draft with the altered fact put into a question that states the true one instead.

    A model often repeats the law's own number. The false premise is ours to set, so it is set in code.
    """
    question = draft.question
    if premise.altered.casefold() not in question.casefold():
        question = question.replace(premise.original, premise.altered)
    return replace(draft, question=question)


def check_premise(draft: Draft, premise: FalsePremise) -> None:
    """A false-premise question assumes the altered fact and hides the true one; its answer states the true one.

    Words can only be compared where the fact is a number, a date or an addressee; the support check covers
    the rest.
    """
    if _CALLS_IT_WRONG.search(draft.question):
        raise ItemRejectedError(
            Reason.PREMISE_NOT_ASSUMED, "The question itself says that the belief is wrong.", draft.raw
        )
    if premise.kind is AlterationKind.MODALITY:
        return
    wrong, right = folded(premise.altered), folded(premise.original)
    question, answer = folded(draft.question), folded(draft.answer)
    if not _contains_words(question, wrong) or _contains_words(question, right):
        detail = f"The question does not take {premise.altered!r} for granted."
        raise ItemRejectedError(Reason.PREMISE_NOT_ASSUMED, detail, draft.raw)
    if not _contains_words(answer, right):
        detail = f"The answer does not say {premise.original!r}."
        raise ItemRejectedError(Reason.PREMISE_NOT_CORRECTED, detail, draft.raw)


def _check_form(draft: Draft) -> None:
    question = draft.question
    if not question.endswith(("?", "?»", "? »", '?"')) or len(question.split()) < _MIN_QUESTION_WORDS:
        raise ItemRejectedError(Reason.NOT_A_QUESTION, "The question does not end as a question.", draft.raw)
    if draft.answer.endswith("?"):
        raise ItemRejectedError(Reason.NOT_AN_ANSWER, "The answer is a question itself.", draft.raw)
    if len(folded(draft.answer)) < _MIN_ANSWER_CHARACTERS:
        raise ItemRejectedError(Reason.ANSWER_TOO_SHORT, "The answer says nothing.", draft.raw)


def _contains_words(text: str, words: str) -> bool:
    return f" {words} " in f" {text} "
