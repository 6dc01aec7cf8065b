"""The pace per host: no more requests in a second than the setting says, over all that one run fetches.

Time and sleep are injected. It does not retry and does not know what is fetched.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable


class Pace:
    """Spaces requests to the same host evenly; different hosts do not wait for each other."""

    def __init__(
        self,
        requests_per_second: float,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._interval_s = 1.0 / requests_per_second
        self._sleep = sleep
        self._monotonic = monotonic
        self._next: dict[str, float] = {}
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def wait(self, host: str) -> None:
        """Return when `host` may be asked again."""
        async with self._locks[host]:
            now = self._monotonic()
            due = max(now, self._next.get(host, now))
            self._next[host] = due + self._interval_s
            if due > now:
                await self._sleep(due - now)
