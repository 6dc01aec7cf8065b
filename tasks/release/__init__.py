"""Releases: a versioned dataset folder that `datasets.load_dataset` reads, with a computed card."""

from claimrag.tasks.release.files import ReleaseStore
from claimrag.tasks.release.folder import (
    ReleaseResult,
    check_version,
    damaged_files,
    latest_release,
    make_release,
    read_release,
)
from claimrag.tasks.release.source import ReleaseContent, ReleaseSource
from claimrag.tasks.release.version import next_version

__all__ = [
    "ReleaseContent",
    "ReleaseResult",
    "ReleaseSource",
    "ReleaseStore",
    "check_version",
    "damaged_files",
    "latest_release",
    "make_release",
    "next_version",
    "read_release",
]
