"""The sound set of tables, in lists of its own for every test."""

from __future__ import annotations

import copy

import pytest

from tests.tasks.validate.sound import MODELS, SoundBuild, build_sound


@pytest.fixture(scope="session")
def sound_once() -> SoundBuild:
    return build_sound()


@pytest.fixture
def sound(sound_once: SoundBuild) -> SoundBuild:
    lists = {name: list(getattr(sound_once, name)) for name in MODELS}
    rejected = {name: list(rows) for name, rows in sound_once.rejected.items()}
    own = copy.copy(sound_once)
    vars(own).update(lists, rejected=rejected, texts=dict(sound_once.texts), counts={}, more={})
    return own
