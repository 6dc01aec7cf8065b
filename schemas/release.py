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
    """Why a row is gone or is another: what the two releases show of the law that it rests on."""

    AMENDED = "amended"
    GONE = "gone"
    LAW_LEFT = "law_left"
    VERSION_LEFT = "version_left"
    LAW_UNCHANGED = "law_unchanged"


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
