"""The scripted model in a process of its own, for tests that kill the pipeline and then count."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent


@contextmanager
def scripted_process(latency_s: float = 0.0, **environment: str) -> Iterator[str]:
    """Start the scripted model; yields its base URL."""
    command = [sys.executable, "-m", "scripted_model", "--latency", str(latency_s)]
    process = subprocess.Popen(
        [*command, "--reply", "scripted_law:reply"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | environment | {"PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])},
    )
    with process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def stats(base_url: str) -> dict[str, Any]:
    """What the server counted."""
    with urllib.request.urlopen(f"{base_url}/_stats", timeout=10) as reply:
        return dict(json.load(reply))


def model_environment(base_url: str) -> dict[str, str]:
    """Settings that send generator, judge and embedder to the scripted model."""
    return {
        f"CLAIMRAG_{section}__{name}": value
        for section in ("LLM", "EMBEDDINGS")
        for name, value in (("BASE_URL", base_url), ("MODEL", "scripted"))
    }
