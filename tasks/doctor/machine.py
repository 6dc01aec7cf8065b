"""The machine: Python's version, the workspace folder, free disk space."""

from __future__ import annotations

import platform
import shutil
import sys
import tempfile
from pathlib import Path

from claimrag.tasks.doctor.check import Check, failed, ok, warning

OLDEST_PYTHON = (3, 11)
FIRST_UNTESTED_PYTHON = (3, 14)
NEEDED_BYTES = 500_000_000
COMFORTABLE_BYTES = 3_000_000_000
"""The weights (1.1 GB), the same again while they are joined, and a workspace."""


def check_python(version: tuple[int, int] | None = None) -> Check:
    """Whether this Python is one that claimrag is tested with."""
    found = version or (sys.version_info.major, sys.version_info.minor)
    name = f"Python {'.'.join(map(str, found))} on {platform.system()} {platform.machine()}"
    if OLDEST_PYTHON <= found < FIRST_UNTESTED_PYTHON:
        return ok("python", name)
    return failed("python", name, "use Python 3.11, 3.12 or 3.13")


def check_workspace(address: str) -> Check:
    """Whether a file can be written where the workspace is or would be."""
    folder = local_folder(address)
    if folder is None:
        return _remote_workspace(address)
    existing = nearest_existing(folder)
    if not existing.is_dir():
        return failed("workspace", f"{existing} is a file", "set CLAIMRAG_WORKSPACE to a folder")
    try:
        with tempfile.TemporaryFile(dir=existing) as probe:
            probe.write(b"claimrag")
    except OSError as failure:
        return failed(
            "workspace",
            f"{existing} cannot be written: {failure.strerror}",
            "correct the folder's rights, or set CLAIMRAG_WORKSPACE to a folder of yours",
        )
    return ok("workspace", f"{folder} {'is writable' if folder == existing else 'can be made'}")


def check_disk(workspace: str, cache: Path) -> Check:
    """Free space where the workspace and the weights lie; the smaller one counts."""
    places = [folder for folder in (local_folder(workspace), cache) if folder is not None]
    free, place = min((shutil.disk_usage(nearest_existing(folder)).free, str(folder)) for folder in places)
    detail = f"{free / 1e9:.1f} GB free for {place}"
    remedy = "free some space, or set CLAIMRAG_WORKSPACE and XDG_CACHE_HOME to a larger disk"
    if free < NEEDED_BYTES:
        return failed("disk", detail, remedy)
    if free < COMFORTABLE_BYTES:
        return warning("disk", detail, remedy)
    return ok("disk", detail)


def local_folder(address: str) -> Path | None:
    """The folder that a workspace address names on this machine, None for an object store."""
    if address.startswith("file://"):
        return Path(address.removeprefix("file://")).absolute()
    return None if "://" in address else Path(address).absolute()


def nearest_existing(path: Path) -> Path:
    """`path`, or the closest of its parents that is there."""
    return next(place for place in (path, *path.parents) if place.exists())


def _remote_workspace(address: str) -> Check:
    import fsspec

    protocol = address.split("://", 1)[0]
    try:
        fsspec.get_filesystem_class(protocol)
    except (ImportError, ValueError) as failure:
        return failed(
            "workspace",
            f"{protocol}:// cannot be opened: {failure}",
            "install the package for this storage (s3://: pip install 'claimrag[s3]')",
        )
    return warning(
        "workspace",
        f"{protocol}:// storage: writing there was not tried",
        "run `claimrag parse` on one law with this workspace; it writes",
    )
