"""A scripted model with faults, and a run of all steps that asks it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from faulty_law import FaultyLaw, Steps
from scripted_model import ScriptedServer
from scripted_process import model_environment
from step_driver import Outcome, run_steps


@pytest.fixture
def law() -> FaultyLaw:
    return FaultyLaw()


@pytest.fixture
def model(law: FaultyLaw, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """The endpoint of generator, judge and embedder; a request is tried once."""
    with ScriptedServer(law) as server:
        for name, value in model_environment(server.base_url).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("CLAIMRAG_LLM__MAX_ATTEMPTS", "1")
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "4070908800")
        yield server


@pytest.fixture
def steps(model: ScriptedServer) -> Steps:
    """Every step on a workspace, by default on a few units of a sample law."""

    def run(workspace: str = "w", *laws: str, units: int = 3, windows: int = 1) -> Outcome:
        return asyncio.run(run_steps(workspace, laws or ("sample-en",), units=units, windows=windows))

    return run
