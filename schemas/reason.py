"""Reason: why a step did not keep a row. One enumeration for every stage; rejected rows hold it, verdicts read it.

Each reason says what it means and what kind it is. `judgement`: a filter or the law itself spoke, as it should.
`malfunction`: a model or its endpoint did not do what was asked; these count towards a partial build (exit 3), and
the next run asks again where asking may help (`asked_again`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

Kind = Literal["judgement", "malfunction"]


class Reason(StrEnum):
    """A stable code; `meaning` is the sentence that people read."""

    meaning: str
    kind: Kind
    asked_again: bool

    def __new__(cls, code: str, meaning: str, kind: Kind = "judgement", asked_again: bool = False) -> Reason:
        """A member is its code; the rest describes it."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        member.kind = kind
        member.asked_again = asked_again
        return member

    @classmethod
    def of(cls, code: str) -> Reason:
        """The reason with that code; raises KeyError where there is none."""
        return cls._member_by_code()[code]

    @classmethod
    def _member_by_code(cls) -> dict[str, Reason]:
        return {reason.value: reason for reason in cls}

    @property
    def is_malfunction(self) -> bool:
        """Whether a model or its endpoint failed, so that the row was lost and not judged."""
        return self.kind == "malfunction"

    # The law.
    ABROGATED = "abrogated", "the article has no force any more"
    EMPTY = "empty", "the article has no words but its heading"
    NOT_IN_THIS_VERSION = "not_in_this_version", "this version of the law does not hold the words it rests on"

    # Questions: what the checks found.
    UNSUITABLE = "unsuitable", "the provision cannot ground a question of this category"
    WRONG_LANGUAGE = "wrong_language", "it is not in the language of the law"
    QUOTATION_NOT_FOUND = "quotation_not_found", "the quotation does not stand in the law, word for word"
    NOT_A_QUESTION = "not_a_question", "it is not one question"
    REFERS_TO_UNSEEN_TEXT = "refers_to_unseen_text", "it points at a text that its reader does not see"
    NOT_AN_ANSWER = "not_an_answer", "it does not answer"
    ANSWER_TOO_SHORT = "answer_too_short", "the answer has too few characters"
    ANSWER_IN_QUESTION = "answer_in_question", "the question already holds the words of its answer"
    ANSWER_BEYOND_EVIDENCE = "answer_beyond_evidence", "the answer says what its quotations do not"
    DETAIL_NOT_STATED = "detail_not_stated", "the answer leaves out the detail that was asked for"
    ASKS_FOR_A_REASON = "asks_for_a_reason", "it asks why, which the law's words do not say"
    TOO_VAGUE = "too_vague", "the question names too little of what the law speaks of"
    PREMISE_NOT_ASSUMED = "premise_not_assumed", "the question does not assume the false premise"
    PREMISE_NOT_CORRECTED = "premise_not_corrected", "the answer does not correct the false premise"
    NOT_SUPPORTED = "not_supported", "the check does not find the answer entailed by its quotations"
    CONTRADICTED = "contradicted", "the check finds the answer contradicted by its quotations"
    SINGLE_UNIT_EVIDENCE = "single_unit_evidence", "a multi-hop answer rests on one provision alone"
    ANSWERABLE_FROM_ONE_UNIT = "answerable_from_one_unit", "one provision alone answers a multi-hop question"
    DUPLICATE = "duplicate", "the same words were kept before"
    NEAR_DUPLICATE = "near_duplicate", "nearly the same words were kept before"

    # Questions of a published set: what was found when they were read.
    AMBIGUOUS_EVIDENCE = "ambiguous_evidence", "the words it rests on stand at several places of the law"
    OUTSIDE_CONTEXT = "outside_context", "the words it rests on stand in no context unit of the law"
    ANSWER_INCORRECT = "answer_incorrect", "the set it is from says that its answer is incorrect"

    # Claims.
    NO_CLAIMS = "no_claims", "the extractor found no claim in the answer"

    # Models and endpoints.
    LENGTH = "length", "the reply was cut off at its limit of tokens", "malfunction", True
    CONTENT_FILTER = "content_filter", "the endpoint's content filter stopped the reply", "malfunction", True
    EMPTY_REPLY = "empty_reply", "the reply has no text", "malfunction", True
    REFUSAL = "refusal", "the model refused to answer", "malfunction", True
    MALFORMED_REPLY = "malformed_reply", "the reply does not follow its schema", "malfunction", True
    MALFORMED_TRIPLET = "malformed_triplet", "a line of the reply is not three quoted values", "malfunction"
    REPEATS_ITSELF = (
        "repeats_itself",
        "the reply repeats itself until it is cut; what it said first is kept",
        "malfunction",
    )
    LABEL_COUNT_MISMATCH = (
        "label_count_mismatch",
        "the reply has not one label per claim",
        "malfunction",
        True,
    )
    MODEL_UNAVAILABLE = (
        "model_unavailable",
        "the endpoint did not answer, attempt after attempt",
        "malfunction",
        True,
    )
    MODEL_REFUSED = "model_refused", "the endpoint refused the request", "malfunction", True
    CONTEXT_LENGTH = "context_length", "the prompt does not fit the model's context", "malfunction", True
