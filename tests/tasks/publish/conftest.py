"""The made-up Hub as a fixture, and its token."""

import pytest
from made_up_hub import TOKEN, made_up_hub


@pytest.fixture
def hub(monkeypatch):
    with made_up_hub(monkeypatch) as running:
        yield running


@pytest.fixture
def hub_token():
    return TOKEN
