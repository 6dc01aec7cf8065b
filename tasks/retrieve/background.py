"""An event loop in a thread of its own, for asynchronous work that synchronous code waits for.

Promises results as they come, and a failure only after everything that had begun has ended: what was paid for is
handed over first.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from queue import SimpleQueue
from typing import Any, TypeVar

P = TypeVar("P")
R = TypeVar("R")


class Background:
    """The loop; it starts with the first piece of work. Safe to use from several threads."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def as_they_come(
        self, work: Callable[[P], Awaitable[R]], pieces: Sequence[P], *, at_once: int
    ) -> Iterator[R]:
        """What `work` gives for each piece, `at_once` at a time, in the order in which they end."""
        arrived: SimpleQueue[R | None] = SimpleQueue()
        stop = threading.Event()
        crew = _crew(work, pieces, at_once, arrived, stop)
        running = asyncio.run_coroutine_threadsafe(crew, self._started())
        running.add_done_callback(lambda _: arrived.put(None))
        try:
            while (result := arrived.get()) is not None:
                yield result
            running.result()
        finally:
            stop.set()

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run `last` on the loop and end it; nothing to do where it never started."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(_end(last), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name=self._name, daemon=True)
                self._thread.start()
            return self._loop


async def _crew(
    work: Callable[[P], Awaitable[R]],
    pieces: Sequence[P],
    at_once: int,
    arrived: SimpleQueue[R | None],
    stop: threading.Event,
) -> None:
    left = deque(pieces)

    async def one_after_the_other() -> None:
        while left and not stop.is_set():
            try:
                arrived.put(await work(left.popleft()))
            except BaseException:
                stop.set()
                raise

    hands = (one_after_the_other() for _ in range(min(at_once, len(pieces))))
    for outcome in await asyncio.gather(*hands, return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome


async def _end(last: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Cancel what is left, so that no task outlives its loop."""
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    await last()
