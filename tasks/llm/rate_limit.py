"""Limits per minute: a token bucket for requests, another for tokens.

Promises that no 60 seconds hold more than the limit, whatever the burst (a call larger than the burst may
overdraw once, and the next ones wait for it). Waiters are served in order of arrival.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

_WINDOW_S = 60.0
REQUEST_BURST_S = 1.0
TOKEN_BURST_S = 5.0


class RateLimit:
    """`per_minute` units a minute, of which `burst_s` seconds' worth may go at once.

    The refill is a little under the limit, so that burst and refill together make the limit in any window.
    """

    def __init__(self, per_minute: int, burst_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._capacity = max(1.0, per_minute * burst_s / _WINDOW_S)
        self._per_second = max(per_minute - self._capacity, per_minute * 0.5) / _WINDOW_S
        self._clock = clock
        self._level = self._capacity
        self._at = clock()
        self._turn = asyncio.Lock()
        self._corrected = asyncio.Event()

    async def take(self, amount: float) -> float:
        """Wait until `amount` may go, and count it; returns the seconds waited."""
        started = self._clock()
        async with self._turn:
            needed = min(amount, self._capacity)
            while self._refilled() < needed:
                self._corrected.clear()
                try:
                    async with asyncio.timeout((needed - self._level) / self._per_second):
                        await self._corrected.wait()
                except TimeoutError:
                    continue
            self._level -= amount
        return self._clock() - started

    def correct(self, counted: float, actual: float) -> None:
        """Replace an amount counted before a call by what it turned out to be."""
        self._level = min(self._capacity, self._refilled() + counted - actual)
        self._corrected.set()

    def _refilled(self) -> float:
        now = self._clock()
        self._level = min(self._capacity, self._level + (now - self._at) * self._per_second)
        self._at = now
        return self._level
