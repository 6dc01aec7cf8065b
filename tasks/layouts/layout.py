"""Layout: how the rows of a release are written for another tool. One module per layout exposes one as `LAYOUT`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from claimrag.schemas.base import Noun
from claimrag.tasks.layouts.folder import ExportFolder
from claimrag.tasks.layouts.source import ReleaseRows


@dataclass(frozen=True)
class Layout:
    """`write` writes every file of the layout; `needs` are the rows it reads, by their nouns; `about` is for people.

    `about` says how the files are read, and what in them may surprise.
    """

    name: str
    about: str
    needs: tuple[type[Noun], ...]
    write: Callable[[ReleaseRows, ExportFolder], None]
