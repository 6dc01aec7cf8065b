"""Rows on how a release came about: what the stages did not keep, and what differs from the previous release."""

from __future__ import annotations

from pydantic import Field

from claimrag.schemas.base import ActId, LawId, Noun, UnitId
from claimrag.schemas.reason import Kind, Reason
from claimrag.schemas.release import ChangeKind, ChangeReason


class RejectionRow(Noun):
    """A row that a stage did not keep: what it was about, why it was rejected, and the raw material."""

    id: str = Field(description="a hash of stage, act, item and reason, and which of several such rows it is")
    stage: str = Field(description="the stage, as in the table of what was rejected")
    act_id: ActId = Field(description="the version of the law")
    law_id: LawId = Field(description="the law, whatever its version and language")
    language: str = Field(description="of the law")
    item: str = Field(description="what the row was about: a unit, context unit, question or claim")
    reason: Reason = Field(description="the code of the reason")
    kind: Kind = Field(description="whether a check spoke against it, or a model or an endpoint failed")
    meaning: str = Field(description="the reason in words")
    detail: str = Field(description="what the stage noted, unchecked, 2,000 characters at most")
    raw: str = Field(
        description="the text of the law or the model, unchecked, 2,000 characters at most; empty for an endpoint's"
    )


class ChangeRow(Noun):
    """A row that was added, removed or changed since the previous release, and why, where the law tells."""

    configuration: str = Field(description="where the row stands, or stood")
    kind: ChangeKind = Field(
        description="what became of the row; a changed one has the same key, other content"
    )
    key: tuple[str, ...] = Field(description="the values of the columns that name the row there")
    reason: ChangeReason | None = Field(
        description="why, of a row that was there before; null where the two releases do not tell"
    )
    unit_ids: tuple[UnitId, ...] = Field(
        description="the articles, recitals and annexes of that reason, as the previous release names them"
    )
