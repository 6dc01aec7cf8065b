"""When a failed request may be sent again, and how long to wait first.

Promises the same waits for the same request: the jitter comes from its key. Honours `retry-after-ms` and
`Retry-After` (seconds or an HTTP date). It decides; it neither sleeps nor sends.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

TRANSIENT_STATUSES = frozenset({408, 409, 429})
LONGEST_WAIT_S = 600.0
_FIRST_WAIT_S = 0.5
_LONGEST_BACKOFF_S = 30.0


def is_transient(status: int) -> bool:
    """Whether the same request may succeed later: 408, 409, 429 and every 5xx."""
    return status in TRANSIENT_STATUSES or status >= 500


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds the endpoint asks to wait, not below 0; None where it says nothing readable.

    A date is taken against the endpoint's own `Date` header if there is one, so that a wrong clock here
    does not matter. `headers` looks names up without regard to case.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    if value is None:
        return None
    seconds = _number(value)
    if seconds is not None:
        return seconds
    until = _date(value)
    if until is None:
        return None
    return max(0.0, (until - (_date(headers.get("date", "")) or now)).total_seconds())


def wait_before_retry_s(key: str, attempt: int, asked_s: float | None) -> float:
    """Seconds to wait after failed `attempt` (from 1).

    Without a word from the endpoint: half a second, doubling, at most 30, of which the last quarter is
    jitter. With one: at least what it asked, and up to a tenth (at most a second) more, to spread; where
    asking twice did not help, half a second from the third attempt on, doubling, if that is longer.
    """
    digest = hashlib.sha256(f"{key}:{attempt}".encode()).digest()
    jitter = int.from_bytes(digest[:8], "big") / 2**64
    if asked_s is None:
        return _backoff_s(attempt) * (0.75 + 0.25 * jitter)
    patient_s = _backoff_s(attempt - 2) if attempt > 2 else 0.0
    return max(asked_s + min(1.0, 0.1 * asked_s) * jitter, patient_s * (0.75 + 0.25 * jitter))


def _backoff_s(step: int) -> float:
    return min(_LONGEST_BACKOFF_S, _FIRST_WAIT_S * 2.0 ** (step - 1))


def _number(value: str | None) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _date(value: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
