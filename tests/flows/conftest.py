"""One Prefect server for all tests of flows; its address also reaches the processes that tests start."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


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
