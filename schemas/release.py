"""Release: a versioned dataset folder and the counts that its card states."""

from __future__ import annotations

from enum import StrEnum

from claimrag.schemas.base import ActId, Noun, Sha256


class ChangeKind(StrEnum):
    """What became of a row since the previous release."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class ChangeReason(StrEnum):
    """Why a row is gone or is another, as two releases show it: a stable code; `meaning` is what people read."""

    meaning: str

    def __new__(cls, code: str, meaning: str) -> ChangeReason:
        """A member is its code."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    AMENDED = "amended", "units that it rests on have other words in the newest version of the law"
    GONE = "gone", "the newest version of the law has no such units"
    LAW_LEFT = "law_left", "its law is no part of the release any more"
    VERSION_LEFT = "version_left", "no version of the law in which it held is part of the release any more"
    LAW_UNCHANGED = "law_unchanged", "the units have the same words, and it was made anew or not kept"


class ReleaseFile(Noun):
    """A file of the release, by its path inside the folder."""

    path: str
    sha256: Sha256
    bytes: int


class Release(Noun):
    """What `release.json` holds: version, acts, rows per configuration, and what it was made from."""

    version: str
    acts: tuple[ActId, ...]
    rows: dict[str, int]
    content_sha256: Sha256
    previous: str | None = None
    lineage: dict[str, str]
    files: tuple[ReleaseFile, ...]
