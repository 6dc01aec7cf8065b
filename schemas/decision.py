"""Decision: one expert's value for one field of one item. Decisions are appended, never overwritten."""

from __future__ import annotations

from datetime import datetime

from claimrag.schemas.base import Noun


class Decision(Noun):
    """The id is item, annotator and field; a later decision on the same id supersedes the earlier one."""

    id: str
    item_id: str
    item_kind: str
    field: str
    value: str
    annotator: str
    guideline_version: str
    decided_at: datetime
    seconds_spent: float | None = None
    comment: str | None = None
