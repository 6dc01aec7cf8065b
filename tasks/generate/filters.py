"""Filters that need no model: each looks at one defect of a draft and has its own reason.

`check_wording` raises ItemRejectedError at the first defect; `drop_duplicates` keeps the first of several
questions with the same words. They are deliberately simple and err on the side of rejecting.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.question import Question
from schemas.rejected import Rejected
from tasks.generate.alteration import Alteration, AlterationKind
from tasks.generate.desk import Desk
from tasks.generate.drafts import Draft
from tasks.generate.reasons import STAGE, ItemRejectedError, Reason
from tasks.generate.wording import content_words, folded, points_at_unseen_text
from tasks.store.outcome import Outcome

_MIN_QUESTION_WORDS = 5
_MIN_ANSWER_CHARACTERS = 2
_SURE = 0.9


def check_wording(desk: Desk, draft: Draft) -> None:
    """Language, form, self-containment, and that the answer says something the question does not."""
    _check_form(draft)
    language = desk.act.language
    pointing = points_at_unseen_text(draft.question, language)
    if pointing:
        detail = f"The question says {pointing!r}, which its reader does not see."
        raise ItemRejectedError(Reason.REFERS_TO_UNSEEN_TEXT, detail, draft.raw)
    asked, answered = content_words(draft.question), content_words(draft.answer)
    if folded(draft.answer) in folded(draft.question) or (answered and answered <= asked):
        raise ItemRejectedError(
            Reason.ANSWER_IN_QUESTION, "The question already holds every word of its answer.", draft.raw
        )
    for name, words in (("question", draft.question), ("answer", draft.answer)):
        found, confidence = desk.identify(words)
        if found != language and confidence >= _SURE:
            detail = f"The {name} is in {found!s}, the law in {language}."
            raise ItemRejectedError(Reason.WRONG_LANGUAGE, detail, draft.raw)


def check_premise(draft: Draft, alteration: Alteration) -> None:
    """A false-premise question assumes the altered fact and hides the true one; its answer states the true one.

    Words can only be compared where the fact is a number, a date or an addressee; the support check covers
    the rest.
    """
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
    """The first of the questions with the same words, in the order given; the others as `duplicate`."""
    kept: list[Question] = []
    rejected: list[Rejected] = []
    first: dict[tuple[str, str], Question] = {}
    for question in questions:
        original = first.setdefault((question.act_id, folded(question.question)), question)
        if original is question:
            kept.append(question)
        else:
            detail = f"The same question is {original.id}."
            rejected.append(
                Rejected(stage=STAGE, item=question.id, reason=Reason.DUPLICATE, detail=detail,
                         raw=question.model_dump_json())
            )  # fmt: skip
    return Outcome(kept, rejected)


def _check_form(draft: Draft) -> None:
    question = draft.question
    if not question.endswith(("?", "?»", "? »", '?"')) or len(question.split()) < _MIN_QUESTION_WORDS:
        raise ItemRejectedError(Reason.NOT_A_QUESTION, "The question does not end as a question.", draft.raw)
    if len(folded(draft.answer)) < _MIN_ANSWER_CHARACTERS:
        raise ItemRejectedError(Reason.ANSWER_TOO_SHORT, "The answer says nothing.", draft.raw)


def _says(text: str, words: str) -> bool:
    return f" {words} " in f" {text} "
