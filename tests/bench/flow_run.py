"""The whole of `claimrag generate` against a server that answers after 200 ms: its window, and its process.

A made-up law of 125 articles gives 500 requests: one on suitability and three questions for each article. The
workspace with the law's context units is made first; what is measured is one command, from the start of its
process to the end, through the real flow. Twice: with a temporary Prefect server of its own, as without any
configuration, and with a Prefect server that was already there, as an operator has it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench_gateway import separate_server, stats
from made_up_law import made_up_law

ARTICLES, REQUESTS, IN_FLIGHT, LATENCY_S = 125, 500, 32, 0.2
IDEAL_S = REQUESTS * LATENCY_S / IN_FLIGHT
COMMAND = [sys.executable, "-c", "from claimrag.flows.cli import main; main()"]


def measure_flow(*, prefect: bool) -> dict[str, Any]:
    """One measurement; `prefect` says whether a Prefect server is already there."""
    with (
        tempfile.TemporaryDirectory() as folder,
        separate_server(LATENCY_S, "law_replies:reply") as base_url,
    ):
        environment = _environment(Path(folder), base_url)
        _prepare(Path(folder), environment)
        with _prefect_server(environment) if prefect else _nothing():
            started = time.perf_counter()
            done = subprocess.run(
                [*COMMAND, "generate", "--workspace", "w"],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
            )
            process_s = time.perf_counter() - started
        counted = stats(base_url)
    if done.returncode != 0 or counted["answered"] != REQUESTS:
        raise RuntimeError(f"not a valid measurement: {counted['answered']} answered; {done.stderr[-800:]}")
    return {
        "client": "claimrag generate, " + ("Prefect server there" if prefect else "own Prefect server"),
        "requests": REQUESTS,
        "window_s": round(counted["window_s"], 3),
        "window_ratio": round(counted["window_s"] / IDEAL_S, 3),
        "process_s": round(process_s, 3),
        "process_ratio": round(process_s / IDEAL_S, 3),
        "load_average": round(os.getloadavg()[0], 2),
    }


def _environment(folder: Path, base_url: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("CLAIMRAG_") and k != "PREFECT_API_URL"}
    return kept | {
        "CLAIMRAG_LLM__BASE_URL": base_url,
        "CLAIMRAG_LLM__MODEL": "scripted",
        "CLAIMRAG_LLM__MAX_IN_FLIGHT": str(IN_FLIGHT),
        "CLAIMRAG_GENERATE__MULTI_HOP": "false",
        "CLAIMRAG_GENERATE__SUPPORT_CHECK": "false",
        "PREFECT_HOME": str(Path(os.environ.get("PREFECT_HOME", Path.home() / ".prefect"))),
    }


def _prepare(folder: Path, environment: dict[str, str]) -> None:
    """Acquire, parse and segment the made-up law, in a process of its own."""
    (folder / "law.xhtml").write_bytes(made_up_law(ARTICLES))
    subprocess.run(
        [sys.executable, str(Path(__file__).parent / "prepare_workspace.py"), "law.xhtml", "w"],
        cwd=folder,
        env=environment | {"PYTHONPATH": str(Path(__file__).parents[2])},
        check=True,
    )


@contextmanager
def _prefect_server(environment: dict[str, str]) -> Iterator[None]:
    from claimrag.flows.temporary_server import TemporaryPrefectServer

    outer = os.environ.pop("PREFECT_API_URL", None)
    server = TemporaryPrefectServer()
    server.start()
    try:
        server.wait()
        environment["PREFECT_API_URL"] = os.environ["PREFECT_API_URL"]
        yield
    finally:
        server.stop()
        if outer is not None:
            os.environ["PREFECT_API_URL"] = outer


@contextmanager
def _nothing() -> Iterator[None]:
    yield
