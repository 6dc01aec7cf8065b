"""Limits per minute: a token bucket for requests, another for tokens.

Promises that no 60 seconds hold more than the limit, whatever the burst (a call larger than the burst may
overdraw once, and the next ones wait for it). Waiters are served in order of arrival.
"""

from __future__ import annotations

import asyncio
import time

_WINDOW_S = 60.0
REQUEST_BURST_S = 1.0
TOKEN_BURST_S = 5.0


class Bucket:
    """The arithmetic, on a clock in seconds that the caller gives.

    The refill is a little under the limit, so that burst and refill together make the limit in any window.
    """

    def __init__(self, per_minute: int, burst_s: float, now: float) -> None:
        self._capacity = max(1.0, per_minute * burst_s / _WINDOW_S)
        # A window that is open at one end holds the burst and what comes in, less than limit + 1 in all; one
        # per cent less, because requests do not arrive exactly as they leave.
        self._per_second = 0.99 * (per_minute - self._capacity + 1) / _WINDOW_S
        self._level = self._capacity
        self._at = now

    def wait_s(self, amount: float, now: float) -> float:
        """Seconds until `amount` may go; 0 when it may go now."""
        self._refill(now)
        missing = min(amount, self._capacity) - self._level
        return 0.0 if missing <= 1e-9 else missing / self._per_second

    def take(self, amount: float, now: float) -> None:
        """Count `amount`; a negative one gives back."""
        self._refill(now)
        self._level = min(self._capacity, self._level - amount)

    def _refill(self, now: float) -> None:
        self._level = min(self._capacity, self._level + (now - self._at) * self._per_second)
        self._at = now


class RateLimit:
    """`per_minute` units a minute, of which `burst_s` seconds' worth may go at once. For one event loop."""

    def __init__(self, per_minute: int, burst_s: float) -> None:
        self._bucket = Bucket(per_minute, burst_s, time.monotonic())
        self._turn = asyncio.Lock()
        self._corrected = asyncio.Event()

    async def take(self, amount: float) -> float:
        """Wait until `amount` may go, and count it; returns the seconds waited."""
        started = time.monotonic()
        async with self._turn:
            while wait_s := self._bucket.wait_s(amount, time.monotonic()):
                self._corrected.clear()
                try:
                    async with asyncio.timeout(wait_s):
                        await self._corrected.wait()
                except TimeoutError:
                    continue
            now = time.monotonic()
            self._bucket.take(amount, now)
        return now - started

    def correct(self, counted: float, actual: float) -> None:
        """Replace an amount counted before a call by what it turned out to be."""
        self._bucket.take(actual - counted, time.monotonic())
        self._corrected.set()
