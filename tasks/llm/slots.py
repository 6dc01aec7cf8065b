"""How many requests are in flight at once, and who goes next.

Promises at most `limit` holders. Those who come back after a failure go before newcomers, and the more often
they failed the earlier, so that a throttled request does not use up its attempts behind a long queue. An
endpoint that throttles several requests in a row is left alone for as long as it asked; then it gets half as
many at a time, nobody new while those it turned away have not come back, and one more after every round that
it answers.
"""

from __future__ import annotations

import asyncio
import heapq
from itertools import count

# One 429 among answers is an accident and delays nobody else; several in a row are a limit.
_IN_A_ROW = 4
_IN_A_ROW_WHEN_SLOWED = 2
_NEW = 1


class Slots:
    """A semaphore with two ranks of waiters, whose limit follows the endpoint. For one event loop."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._allowed = float(limit)
        self._held = 0
        self._away = 0
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._order = count()
        self._paused_until = 0.0
        self._throttled_in_a_row = 0

    @property
    def allowed(self) -> int:
        """How many may be in flight now."""
        return int(self._allowed)

    async def acquire(self) -> None:
        """Wait for a slot."""
        await self._acquire(_NEW)

    async def return_after(self, wait_s: float, *, attempt: int, pause_s: float | None) -> None:
        """Wait `wait_s` seconds without a slot, then for a slot, before any newcomer.

        `attempt` is the one that failed; `pause_s` how long the endpoint wants to be left alone (HTTP 429),
        None where it failed otherwise.
        """
        if pause_s is not None:
            self._note_throttled(pause_s)
            self._away += 1
        try:
            await asyncio.sleep(wait_s)
        finally:
            if pause_s is not None:
                self._away -= 1
        await self._acquire(-attempt)

    def release(self) -> None:
        """Give a slot back."""
        self._held -= 1
        self._admit()

    def note_answered(self) -> None:
        """The endpoint answered: one more slot for every round of answers, up to the limit."""
        self._throttled_in_a_row = 0
        if self._allowed < self._limit:
            self._allowed = min(float(self._limit), self._allowed + 1.0 / self._allowed)

    def _note_throttled(self, pause_s: float) -> None:
        loop = asyncio.get_running_loop()
        self._throttled_in_a_row += 1
        enough = _IN_A_ROW if self._allowed >= self._limit else _IN_A_ROW_WHEN_SLOWED
        if self._throttled_in_a_row < enough or loop.time() < self._paused_until:
            return
        self._throttled_in_a_row = 0
        self._allowed = max(1.0, self._allowed / 2)
        self._paused_until = loop.time() + pause_s
        loop.call_at(self._paused_until, self._admit)

    async def _acquire(self, rank: int) -> None:
        if not self._waiting and self._may_go(rank):
            self._held += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (rank, next(self._order), turn))
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()
            raise

    def _may_go(self, rank: int) -> bool:
        if asyncio.get_running_loop().time() < self._paused_until:
            return False
        slowed = self._allowed < self._limit
        ahead = self._away if slowed and rank == _NEW else 0
        return self._held + ahead < int(self._allowed)

    def _admit(self) -> None:
        while self._waiting and self._may_go(self._waiting[0][0]):
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                self._held += 1
                turn.set_result(None)
