"""Fixtures for every test: the shared corpus, settings without the caller's environment."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "90")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # as under a shell's `&`: commands that tests stop inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("claimrag", deadline=None)  # a busy machine is no failure
settings.load_profile("claimrag")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared_corpus() -> Path:
    """The folder of real laws and labelled sets; tests that need it skip where it is absent."""
    configured = os.environ.get("LEGAL_CORPUS")
    folder = Path(configured) if configured else ROOT.parent / "shared"
    if not (folder / "reference" / "gdpr_gold.json").is_file():
        pytest.skip("the shared corpus of real laws is not here")
    return folder


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No CLAIMRAG_* variable, key or settings file of the person who runs the tests reaches a test."""
    for name in list(os.environ):
        if name.startswith("CLAIMRAG_") or name == "OPENAI_API_KEY":
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    yield
