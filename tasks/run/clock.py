"""The clock of a build. SOURCE_DATE_EPOCH, where set, stops it, so that two builds can be compared."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from claimrag.schemas.errors import SettingsError


def utc_now() -> datetime:
    """The time in UTC, to the microsecond; fixed by SOURCE_DATE_EPOCH (seconds since 1970)."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    if fixed is None:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(fixed), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise SettingsError(f"SOURCE_DATE_EPOCH is seconds since 1970, not {fixed!r}") from error
