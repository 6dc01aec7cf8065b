"""ReleaseRows: the rows of a release that is there already, read a thousand at a time and act by act.

A release holds the rows of every configuration in one order of acts: by law and language, the newest version first.
Rows of several configurations can therefore be read side by side, and memory is bounded by the rows of one act.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import pyarrow as pa

from claimrag.schemas.base import ActId, LawId, Noun
from claimrag.schemas.errors import InputError, StoreError
from claimrag.schemas.release import Release
from claimrag.tasks.release.files import ReleaseStore
from claimrag.tasks.release.record import RECORD, parse_record
from claimrag.tasks.release.rows import CONFIGURATIONS, data_path
from claimrag.tasks.run.versions import expression_of, newest_first
from claimrag.tasks.store.files import open_filesystem, read_if_there, sha256_of
from claimrag.tasks.store.rows import GROUP_ROWS, iter_rows

T = TypeVar("T", bound=Noun)
_NAMES = {model: name for name, model in CONFIGURATIONS.items()}


class OfAct(Protocol):
    """A row that names its act."""

    @property
    def act_id(self) -> ActId: ...


A = TypeVar("A", bound=OfAct)


@dataclass(frozen=True)
class ReleaseRows:
    """A release by its record; `folder` is its path in `filesystem`."""

    release: Release
    filesystem: Any
    folder: str

    @classmethod
    def at(cls, address: str) -> ReleaseRows:
        """The release in that folder, whatever the folder is called; InputError where there is none."""
        if not address.strip():
            raise InputError(
                "the release folder has no name; give one, or leave it out for the latest release"
            )
        return cls._read(*open_filesystem(address))

    @classmethod
    def of(cls, store: ReleaseStore, release: Release) -> ReleaseRows:
        """That release of a workspace."""
        return cls(release, store.filesystem, store.path(release.version))

    @classmethod
    def _read(cls, filesystem: Any, folder: str) -> ReleaseRows:
        raw = read_if_there(filesystem, f"{folder}/{RECORD}")
        if raw is None:
            raise InputError(
                f"{folder} holds no {RECORD}, so it is no release; name the folder of one, as `claimrag release` "
                "prints it"
            )
        release = parse_record(raw)
        if release is None:
            raise StoreError(
                f"{folder}/{RECORD} is damaged; run `claimrag release` to make the release again"
            )
        return cls(release, filesystem, folder)

    @property
    def acts(self) -> list[ActId]:
        """The acts in the order in which a release holds their rows."""
        return [act_id for versions in self.laws.values() for act_id in versions]

    @property
    def laws(self) -> dict[tuple[LawId, str], list[ActId]]:
        """The versions of each law and language, the newest first, in the order of the release."""
        groups: defaultdict[tuple[LawId, str], list[ActId]] = defaultdict(list)
        for act_id in self.release.acts:
            groups[expression_of(act_id)].append(act_id)
        return {key: newest_first(groups[key]) for key in sorted(groups)}

    def check(self, needed: Iterable[type[Noun]]) -> None:
        """Raise InputError where the release has no rows of these nouns, StoreError where a file is not as released."""
        recorded = {file.path: file.sha256 for file in self.release.files}
        for model in needed:
            path = data_path(_NAMES[model])
            if path not in recorded:
                raise InputError(
                    f"{self.folder} holds no {_NAMES[model]}: nothing was scored when it was made. Run "
                    "`claimrag evaluate` and `claimrag release`, or choose a layout without answers"
                )
            try:
                found = sha256_of(self.filesystem, f"{self.folder}/{path}")
            except OSError as error:
                raise StoreError(f"{self.folder}/{path} cannot be read: {error}; {_REMEDY}") from error
            if found != recorded[path]:
                raise StoreError(f"{self.folder}/{path} is not as released; {_REMEDY}")

    def holds(self, model: type[Noun]) -> bool:
        """Whether the release has rows of that noun."""
        return data_path(_NAMES[model]) in {file.path for file in self.release.files}

    def rows(self, model: type[T]) -> Iterator[T]:
        """The rows of one noun, in the release's order; StoreError when the file cannot be read."""
        path = f"{self.folder}/{data_path(_NAMES[model])}"
        try:
            with self.filesystem.open(path, "rb") as file:
                for rows in iter_rows(model, file, GROUP_ROWS):
                    yield from rows
        except (OSError, pa.ArrowException) as error:
            raise StoreError(f"{path} cannot be read: {error}; {_REMEDY}") from error

    def by_act(self, rows: Iterator[A]) -> ByAct[A]:
        """`rows` of this release, to be taken act by act."""
        return ByAct(rows, self.acts)


class ByAct(Generic[A]):
    """Rows that lie in the order of the release's acts, taken forward; acts that nobody asks for are passed over."""

    def __init__(self, rows: Iterator[A], acts: list[ActId]) -> None:
        self._rows = rows
        self._rank = {act_id: rank for rank, act_id in enumerate(acts)}
        self._reached = -1
        self._next = self._read()

    def of(self, act_id: ActId) -> Iterator[A]:
        """The rows of that act, which must come after the one asked for before."""
        wanted = self._rank[act_id]
        while self._next is not None and self._reached <= wanted:
            row, is_wanted = self._next, self._reached == wanted
            self._next = self._read()
            if is_wanted:
                yield row

    def _read(self) -> A | None:
        row = next(self._rows, None)
        if row is not None:
            rank = self._rank.get(row.act_id)
            if rank is None or rank < self._reached:
                raise StoreError(f"a row of {row.act_id} is not where the release's order puts it; {_REMEDY}")
            self._reached = rank
        return row


_REMEDY = "make the release again with `claimrag release`, or fetch it again"
