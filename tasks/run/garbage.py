"""Garbage collection while many rows are held: at all of them it would hold up every thread, and find nothing."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_NEVER = 1_000_000_000


@contextmanager
def only_short_collections() -> Iterator[None]:
    """Inside, collections look at young objects alone. What is held at its end, no later collection looks at again."""
    before = gc.get_threshold()
    gc.set_threshold(before[0], before[1], _NEVER)
    try:
        yield
    finally:
        gc.freeze()  # before the next object is made, and with it a full collection of all rows that are still held
        gc.set_threshold(*before)
