"""Full garbage collections are off while many rows are held, and on again whatever happens."""

from __future__ import annotations

import gc

import pytest

from claimrag.tasks.run.garbage import only_short_collections


def test_the_thresholds_come_back_also_after_an_error() -> None:
    before = gc.get_threshold()
    with pytest.raises(KeyError), only_short_collections():
        assert gc.get_threshold()[:2] == before[:2] and gc.get_threshold()[2] > 1_000_000
        raise KeyError
    assert gc.get_threshold() == before


def test_many_rows_cause_no_full_collection_inside() -> None:
    generations: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            generations.append(info["generation"])

    gc.callbacks.append(note)
    try:
        with only_short_collections():
            rows = [{"row": [number]} for number in range(200_000)]
        inside = list(generations)
    finally:
        gc.callbacks.remove(note)
    assert rows and 0 in inside and 2 not in inside


def test_nothing_that_is_held_at_the_end_is_looked_at_by_the_next_full_collection() -> None:
    with only_short_collections():
        rows = [{"row": [number]} for number in range(1_000)]
    try:
        assert not any(row is held for held in gc.get_objects() for row in rows[:1])
        assert gc.get_freeze_count() > len(rows)
    finally:
        gc.unfreeze()
