"""Canonical JSON and the hashes made from it: the same value gives the same bytes on every machine.

Keys sorted, no spaces, UTF-8, no NaN. Used for content ids, cache keys and manifests.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> str:
    """Serialise JSON-compatible `value`; raises ValueError on NaN and infinities."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sha256_text(text: str) -> str:
    """Hex SHA-256 of the UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def content_id(prefix: str, value: Any, length: int = 16) -> str:
    """`prefix_` and the first `length` hex digits of the SHA-256 of the canonical JSON of `value`."""
    return f"{prefix}_{sha256_text(canonical_json(value))[:length]}"
