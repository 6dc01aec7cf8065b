"""A reply as it lies in the request cache: what was answered and what was really sent, before anyone judged it."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class StoredReply:
    """What a model answered. `text` is None where the content was null.

    `schema_mode` is how the schema was sent, if there was one; `seed_sent` whether a seed went out where one
    was asked for. The defaults are those of replies stored before there was a choice.
    """

    text: str | None
    refusal: str | None
    finish_reason: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    temperature: float | None
    temperature_note: str
    logprobs: tuple[dict[str, float], ...] | None = None
    schema_mode: str = "json_schema"
    seed_sent: bool = True


_FIELDS = {field.name for field in fields(StoredReply)}
_TEXT = (str, type(None))


def encode_reply(reply: StoredReply) -> str:
    """Canonical JSON, in ASCII."""
    return json.dumps(vars(reply), sort_keys=True, separators=(",", ":"))


def decode_reply(text: str | bytes) -> StoredReply:
    """The reply in `text`; raises ValueError where it is damaged."""
    try:
        values: dict[str, Any] = json.loads(text)
        logprobs = values.pop("logprobs")
        known = {name: value for name, value in values.items() if name in _FIELDS}
        reply = StoredReply(**known, logprobs=None if logprobs is None else tuple(logprobs))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(str(error) or type(error).__name__) from error
    if not isinstance(reply.text, _TEXT) or not isinstance(reply.prompt_tokens, int):
        raise ValueError("a field has another type")
    return reply


def checksum(key: str, text: bytes) -> int:
    """A checksum over a key and the reply under it: SQLite itself does not notice a flipped bit."""
    return zlib.crc32(text, zlib.crc32(key.encode()))
