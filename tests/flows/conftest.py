"""One Prefect server for all tests of flows; its address also reaches the processes that tests start."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

FLOWS = Path(__file__).resolve().parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Prefect's clients leave sockets to its own server for the garbage collector: its warnings, not ours."""
    for item in items:
        if item.path.is_relative_to(FLOWS):
            item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))


@pytest.fixture(scope="session", autouse=True)
def prefect_server() -> Iterator[str]:
    """A temporary Prefect server with a database of its own."""
    from prefect.settings import PREFECT_API_URL
    from prefect.testing.utilities import prefect_test_harness

    with prefect_test_harness(server_startup_timeout=120):
        address = PREFECT_API_URL.value()
        assert address
        os.environ["PREFECT_API_URL"] = address
        try:
            yield address
        finally:
            del os.environ["PREFECT_API_URL"]


@pytest.fixture(autouse=True)
def _prefect_rests() -> Iterator[None]:
    """Prefect's threads and forgotten sockets end with their test.

    The threads draw random numbers, which a later property test must not see; a socket that is collected during a
    later test would fail that one.
    """
    from prefect.events.worker import EventsWorker
    from prefect.logging.handlers import APILogWorker

    yield
    for service in (APILogWorker, EventsWorker):
        service.drain_all(timeout=60, at_exit=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
