"""The clocks: a build's, which SOURCE_DATE_EPOCH stops so that two builds can be compared, and the one on the wall."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from claimrag.schemas.errors import SettingsError


def utc_now() -> datetime:
    """The time in UTC, to the microsecond; fixed by SOURCE_DATE_EPOCH (seconds since 1970)."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    if not fixed:
        return wall_clock()
    try:
        return datetime.fromtimestamp(int(fixed), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise SettingsError(f"SOURCE_DATE_EPOCH is seconds since 1970, not {fixed!r}") from error


def wall_clock() -> datetime:
    """The time in UTC whatever SOURCE_DATE_EPOCH says: for waits, and for the names of logs."""
    return datetime.now(UTC)
