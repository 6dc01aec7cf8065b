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
    """A row that was added, removed or changed since the previous release, and why, where the law tells.

    Reasons: `amended`, units that a question or claim rests on have other words in the newest version of the law here;
    `gone`, that version has no such units; `law_left` and `version_left`, the law, or the versions it held in, are no
    part of this release; `law_unchanged`, the units have the same words, and the row was made anew or not kept.
    """

    configuration: str = Field(description="where the row stands, or stood")
    kind: ChangeKind = Field(description="added, removed, or the same key with another content")
    key: tuple[str, ...] = Field(description="the values of the columns that name the row there")
    reason: ChangeReason | None = Field(
        description="of a row that was there before: `amended` or `gone` are the units it rests on, in the newest "
        "version of the law here; `law_left` or `version_left` this release; `law_unchanged`: the units are the same, "
        "and the row was made anew or not kept; null where the releases do not tell"
    )
    unit_ids: tuple[UnitId, ...] = Field(description="those units, as the previous release names them")
