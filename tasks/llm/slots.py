"""How many requests are in flight at once, and who goes next.

Promises at most `limit` holders; those who come back after a failure go before newcomers, so that a throttled
request does not use up its attempts behind a long queue. When an endpoint throttles several requests in a row
it is left alone for as long as it asked, and then met with fewer at a time, growing back as it answers.
"""

from __future__ import annotations

import asyncio
import heapq
from itertools import count

_THROTTLED_IN_A_ROW = 4


class Slots:
    """A semaphore with two ranks of waiters and a limit that follows the endpoint."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._allowed = float(limit)
        self._held = 0
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._order = count()
        self._paused_until = 0.0
        self._throttled = 0

    @property
    def allowed(self) -> int:
        """How many may be in flight now."""
        return int(self._allowed)

    async def acquire(self, *, again: bool = False) -> None:
        """Wait for a slot; `again` goes before those who ask for the first time."""
        loop = asyncio.get_running_loop()
        if not self._waiting and self._may_go(loop.time()):
            self._held += 1
            return
        turn: asyncio.Future[None] = loop.create_future()
        heapq.heappush(self._waiting, (0 if again else 1, next(self._order), turn))
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()
            raise

    def release(self) -> None:
        """Give a slot back."""
        self._held -= 1
        self._admit()

    def note_answered(self) -> None:
        """The endpoint answered: one more slot for every round of answers, up to the limit."""
        self._throttled = 0
        if self._allowed < self._limit:
            self._allowed = min(float(self._limit), self._allowed + 1.0 / self._allowed)

    def note_throttled(self, wait_s: float) -> None:
        """The endpoint asked to wait `wait_s` seconds (HTTP 429)."""
        loop = asyncio.get_running_loop()
        self._throttled += 1
        if self._throttled < _THROTTLED_IN_A_ROW or loop.time() < self._paused_until:
            return
        self._throttled = 0
        self._allowed = max(1.0, self._allowed / 2)
        self._paused_until = loop.time() + wait_s
        loop.call_later(wait_s, self._admit)

    def _may_go(self, now: float) -> bool:
        return self._held < int(self._allowed) and now >= self._paused_until

    def _admit(self) -> None:
        now = asyncio.get_running_loop().time()
        while self._waiting and self._may_go(now):
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                self._held += 1
                turn.set_result(None)
