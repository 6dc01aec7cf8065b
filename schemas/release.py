"""Release: a versioned dataset folder and the counts that its card states."""

from __future__ import annotations

from claimrag.schemas.base import ActId, Noun, Sha256


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
