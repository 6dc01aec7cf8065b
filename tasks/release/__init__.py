"""Releases: a versioned dataset folder that `datasets.load_dataset` reads, with a computed card."""

from tasks.release.content import ReleaseContent
from tasks.release.folder import MadeRelease, damaged_files, latest_release, make_release, read_release
from tasks.release.version import next_version

__all__ = [
    "MadeRelease",
    "ReleaseContent",
    "damaged_files",
    "latest_release",
    "make_release",
    "next_version",
    "read_release",
]
