"""Why a candidate question was not kept: stable codes, and the exception that carries one to its item.

`EXPECTED_REASONS` are the ordinary work of the filters; any other reason means that something
malfunctioned (a malformed or cut reply, a content filter) and counts towards a partial build.
"""

from __future__ import annotations

from enum import StrEnum

from claimrag.schemas.rejected import Rejected

STAGE = "generate"


class Reason(StrEnum):
    """Codes of this stage; replies that cannot be used keep the gateway's codes."""

    UNSUITABLE = "unsuitable"
    WRONG_LANGUAGE = "wrong_language"
    QUOTATION_NOT_FOUND = "quotation_not_found"
    NOT_A_QUESTION = "not_a_question"
    REFERS_TO_UNSEEN_TEXT = "refers_to_unseen_text"
    NOT_AN_ANSWER = "not_an_answer"
    ANSWER_TOO_SHORT = "answer_too_short"
    ANSWER_IN_QUESTION = "answer_in_question"
    ANSWER_BEYOND_EVIDENCE = "answer_beyond_evidence"
    DETAIL_NOT_STATED = "detail_not_stated"
    ASKS_FOR_A_REASON = "asks_for_a_reason"
    TOO_VAGUE = "too_vague"
    PREMISE_NOT_ASSUMED = "premise_not_assumed"
    PREMISE_NOT_CORRECTED = "premise_not_corrected"
    NOT_SUPPORTED = "not_supported"
    CONTRADICTED = "contradicted"
    SINGLE_UNIT_EVIDENCE = "single_unit_evidence"
    ANSWERABLE_FROM_ONE_UNIT = "answerable_from_one_unit"
    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near_duplicate"


EXPECTED_REASONS: frozenset[str] = frozenset(reason.value for reason in Reason)
"""Reasons that are a filter's judgement of a row, not a malfunction."""


class ItemRejectedError(Exception):
    """One item is given up; caught where the item began and never seen outside `tasks.generate`."""

    def __init__(self, reason: str, detail: str, raw: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = str(reason)
        self.detail = detail
        self.raw = raw

    def row(self, item: str) -> Rejected:
        """The rejected row for `item`."""
        return Rejected(stage=STAGE, item=item, reason=self.reason, detail=self.detail, raw=self.raw)
