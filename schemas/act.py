"""Act: one expression of a law, in one language, as it stood on one date."""

from __future__ import annotations

from datetime import date, datetime

from claimrag.schemas.base import ActId, LawId, Noun, Sha256


def law_of(act_id: ActId) -> LawId:
    """The law that an act is a version of: its id without version date and language."""
    return LawId(act_id.rsplit("/", 2)[0])


class Act(Noun):
    """One language version of a law at one date, bound to the bytes it was read from.

    `consolidated` tells the law with its amendments worked in from the law as adopted. `layout` is the
    markup that was recognised (for instance `eurlex-oj`, `legilux-akn`). `text_sha256` is the hash of the
    canonical text that every unit's offsets point into.
    """

    id: ActId
    publisher: str
    work: str
    celex: str | None = None
    eli: str | None = None
    title: str
    short_title: str | None = None
    language: str
    version_date: date
    consolidated: bool
    layout: str
    licence: str
    attribution: str
    source_address: str | None = None
    retrieved_at: datetime | None = None
    raw_sha256: Sha256
    text_sha256: Sha256
    text_length: int
