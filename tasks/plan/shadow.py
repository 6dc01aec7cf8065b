"""A copy of a workspace that may be written to and thrown away: its tables and raw texts, by hard links where it is
on this machine."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from fsspec.implementations.local import LocalFileSystem

from claimrag.tasks.store import Workspace
from claimrag.tasks.store.files import files_under

COPIED = ("raw", "tables", "rejected")


def copy_of(workspace: Workspace | None, folder: Path) -> Workspace:
    """A workspace in `folder` with the tables and snapshots of another; an empty one for None.

    Files are never changed in place in a workspace, so that a link to one is as good as a copy. StoreError where the
    storage does not answer.
    """
    if workspace is not None:
        for part in COPIED:
            _copy(workspace, workspace.path(part), folder / part)
    return Workspace.open(str(folder))


def _copy(workspace: Workspace, root: str, to: Path) -> None:
    local = isinstance(workspace.fs, LocalFileSystem)
    for entry in files_under(workspace.fs, root):
        path = str(entry["name"])
        target = to / path.removeprefix(root).lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            if local:
                _link(Path(path), target)
            else:
                workspace.fs.get_file(path, str(target))
        except FileNotFoundError:  # replaced or cleaned since it was listed
            continue


def _link(path: Path, target: Path) -> None:
    try:
        os.link(path, target)
    except FileNotFoundError:
        raise
    except OSError:  # another file system, or one without links
        shutil.copyfile(path, target)
