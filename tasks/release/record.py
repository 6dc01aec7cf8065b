"""release.json: the record of a release, written last. A folder without a sound one is no release.

The record checks itself: `record_sha256` is a hash over everything else in it, so that a flipped byte, or a record
edited by hand, is noticed. It says nothing about the files: `damaged_files` compares those with it.
"""

from __future__ import annotations

import json

from pydantic import ValidationError

from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.schemas.release import Release

RECORD = "release.json"
_CHECKSUM = "record_sha256"


def render_record(release: Release) -> bytes:
    """The bytes of release.json."""
    value = release.model_dump(mode="json")
    value[_CHECKSUM] = sha256_text(canonical_json(value))
    return (json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False) + "\n").encode()


def parse_record(raw: bytes) -> Release | None:
    """The release that `raw` records; None when it is damaged."""
    try:
        value = json.loads(raw)
        checksum = value.pop(_CHECKSUM)
        sound = checksum == sha256_text(canonical_json(value))
        return Release.model_validate(value) if sound else None
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError, ValidationError):
        return None
