"""Releases: a versioned dataset folder that `datasets.load_dataset` reads, with a computed card."""

from claimrag.tasks.release.content import ReleaseContent
from claimrag.tasks.release.folder import (
    MadeRelease,
    damaged_files,
    latest_release,
    make_release,
    read_release,
)
from claimrag.tasks.release.version import next_version

__all__ = [
    "MadeRelease",
    "ReleaseContent",
    "damaged_files",
    "latest_release",
    "make_release",
    "next_version",
    "read_release",
]
