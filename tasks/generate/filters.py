"""Filters that need no model: each looks at one defect of a draft and has its own reason.

`check_wording` raises ItemRejectedError at the first defect; `drop_duplicates` keeps the first of several
questions with the same words. They are deliberately simple and err on the side of rejecting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import Category, Evidence, Question
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected
from claimrag.tasks.generate.alteration import Alteration, AlterationKind
from claimrag.tasks.generate.desk import Desk
from claimrag.tasks.generate.drafts import Draft
from claimrag.tasks.generate.reasons import STAGE, ItemRejectedError
from claimrag.tasks.generate.wording import folded, is_number, points_at_unseen_text, stems
from claimrag.tasks.store.outcome import Outcome

_MIN_QUESTION_WORDS = 5
_MIN_ANSWER_CHARACTERS = 2
_SURE = 0.9
_MIN_KNOWN_SHARE = 0.5
_MIN_NAMED = 3
_MIN_NEW = 2
_MIN_OWN_WORDS = 2
_MIN_UNITS = 2
_NEAR = 0.8
_CALLS_IT_WRONG = re.compile(r"\b(?:wrongly|mistakenly|à tort|par erreur|se tromper?)\b", re.IGNORECASE)
_WHY = {"en": ("why", "for what reason"), "fr": ("pourquoi", "pour quelle raison")}


def check_wording(desk: Desk, draft: Draft) -> None:
    """Language, form, self-containment, and that the answer says something the question does not."""
    _check_form(draft)
    language = desk.act.language
    pointing = points_at_unseen_text(draft.question, language)
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
    if _says(folded(draft.question), words):
        raise ItemRejectedError(Reason.ANSWER_IN_QUESTION, f"The question itself says {detail!r}.", draft.raw)
    if not _says(folded(draft.answer), words):
        raise ItemRejectedError(Reason.DETAIL_NOT_STATED, f"The answer does not say {detail!r}.", draft.raw)


def check_evidence(
    desk: Desk, draft: Draft, contexts: Sequence[ContextUnit], evidence: Sequence[Evidence]
) -> None:
    """The question names what the law's words name; the answer's numbers and new words come from them."""
    headings = f"{desk.law} {' '.join(unit.heading for unit in contexts)}"
    named = f"{headings} {' '.join(one.quotation for one in evidence)}"
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


def check_each_contributes(draft: Draft, evidence: Sequence[Evidence]) -> None:
    """A multi-hop answer takes words of its own from the evidence of at least two context units."""
    words: dict[str, set[str]] = {}
    for one in evidence:
        words.setdefault(one.context_unit_id, set()).update(stems(one.quotation))
    answered = stems(draft.answer)
    contributing = 0
    for unit, own in words.items():
        elsewhere = set().union(*(others for other, others in words.items() if other != unit))
        contributing += len(answered & (own - elsewhere)) >= _MIN_OWN_WORDS
    if contributing < _MIN_UNITS:
        raise ItemRejectedError(
            Reason.SINGLE_UNIT_EVIDENCE, "The answer takes its words from one provision only.", draft.raw
        )


def with_belief(draft: Draft, alteration: Alteration) -> Draft:
    """The draft with the altered fact put into a question that states the true one instead.

    A model often repeats the law's own number. The false premise is ours to set, so it is set in code.
    """
    question = draft.question
    if alteration.altered.casefold() not in question.casefold():
        question = question.replace(alteration.original, alteration.altered)
    return replace(draft, question=question)


def check_premise(draft: Draft, alteration: Alteration) -> None:
    """A false-premise question assumes the altered fact and hides the true one; its answer states the true one.

    Words can only be compared where the fact is a number, a date or an addressee; the support check covers
    the rest.
    """
    if _CALLS_IT_WRONG.search(draft.question):
        raise ItemRejectedError(
            Reason.PREMISE_NOT_ASSUMED, "The question itself says that the belief is wrong.", draft.raw
        )
    if alteration.kind is AlterationKind.MODALITY:
        return
    wrong, right = folded(alteration.altered), folded(alteration.original)
    question, answer = folded(draft.question), folded(draft.answer)
    if not _says(question, wrong) or _says(question, right):
        detail = f"The question does not take {alteration.altered!r} for granted."
        raise ItemRejectedError(Reason.PREMISE_NOT_ASSUMED, detail, draft.raw)
    if not _says(answer, right):
        detail = f"The answer does not say {alteration.original!r}."
        raise ItemRejectedError(Reason.PREMISE_NOT_CORRECTED, detail, draft.raw)


def drop_duplicates(questions: Sequence[Question]) -> Outcome[Question]:
    """The first of several equal questions, in the order given; the others are rejected.

    `duplicate`: the same words in the same act. `near_duplicate`: nearly the same words about the same
    context units; a false premise is no near-duplicate of a question without one.
    """
    kept: list[Question] = []
    rejected: list[Rejected] = []
    by_words: dict[tuple[str, str], Question] = {}
    for question in questions:
        same = by_words.setdefault((question.act_id, folded(question.question)), question)
        near = next((other for other in kept if _nearly_equal(question, other)), None)
        if same is not question:
            rejected.append(_repeated(question, same, Reason.DUPLICATE))
        elif near is not None:
            rejected.append(_repeated(question, near, Reason.NEAR_DUPLICATE))
        else:
            kept.append(question)
    return Outcome(kept, rejected)


def _nearly_equal(one: Question, other: Question) -> bool:
    if one.context_unit_ids != other.context_unit_ids:
        return False
    if (one.category is Category.FALSE_PREMISE) != (other.category is Category.FALSE_PREMISE):
        return False
    a, b = stems(one.question), stems(other.question)
    return bool(a | b) and len(a & b) / len(a | b) >= _NEAR


def _repeated(question: Question, original: Question, reason: Reason) -> Rejected:
    detail = f"The question repeats {original.id}: {original.question}"
    return Rejected(
        stage=STAGE, item=question.id, reason=reason, detail=detail, raw=question.model_dump_json()
    )


def _check_form(draft: Draft) -> None:
    question = draft.question
    if not question.endswith(("?", "?»", "? »", '?"')) or len(question.split()) < _MIN_QUESTION_WORDS:
        raise ItemRejectedError(Reason.NOT_A_QUESTION, "The question does not end as a question.", draft.raw)
    if draft.answer.endswith("?"):
        raise ItemRejectedError(Reason.NOT_AN_ANSWER, "The answer is a question itself.", draft.raw)
    if len(folded(draft.answer)) < _MIN_ANSWER_CHARACTERS:
        raise ItemRejectedError(Reason.ANSWER_TOO_SHORT, "The answer says nothing.", draft.raw)


def _says(text: str, words: str) -> bool:
    return f" {words} " in f" {text} "
