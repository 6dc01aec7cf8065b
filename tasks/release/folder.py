"""Release folders: `<root>/<version>/` with data, chart, texts and release.json, which is written last.

The same content gives the same bytes. Every file is replaced in one step, and a folder without a sound record is no
release: what a killed run left is written over by the next one. A release is never overwritten by another; one whose
files are damaged is made again from the same content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from claimrag.schemas.errors import EmptyStageError, InputError, StoreError
from claimrag.schemas.release import Release, ReleaseFile
from claimrag.tasks.release.card import CARD_PATH, CHART_PATH, CardFacts, render_card
from claimrag.tasks.release.changelog import CHANGELOG_PATH, render_changelog
from claimrag.tasks.release.changes import Comparison
from claimrag.tasks.release.chart import category_chart
from claimrag.tasks.release.citation import CITATION_PATH, citation_file
from claimrag.tasks.release.croissant import CROISSANT_PATH, croissant_file
from claimrag.tasks.release.files import ReleaseStore, sha256_bytes
from claimrag.tasks.release.record import RECORD, parse_record, render_record
from claimrag.tasks.release.rows import COMPARED, REQUIRED, data_path
from claimrag.tasks.release.source import ReleaseSource
from claimrag.tasks.release.staging import Staged, content_sha256, staged
from claimrag.tasks.release.version import next_version, parse_version
from claimrag.tasks.store.files import NewFile

Place = Path | str | ReleaseStore
"""The folder of all releases: a path, an fsspec address, or a store."""


@dataclass(frozen=True)
class ReleaseResult:
    """A release and the address of its folder.

    `created` is False where the latest release has the same content and was returned; `repaired` names the files of
    it that were damaged and were written again.
    """

    release: Release
    folder: str
    created: bool
    repaired: tuple[str, ...] = ()


def make_release(
    place: Place,
    source: ReleaseSource,
    *,
    version: str | None = None,
    lineage: Mapping[str, str] | None = None,
) -> ReleaseResult:
    """Write the release of `source` under `place`; only one process may do so at a time.

    Without `version` the next one follows from what changed since the latest release; when nothing did, that one is
    returned. A `version` that is asked for is given, or refused before any file of a release is written. `lineage`
    names what the tables were made from; it is recorded, and is no part of the content. Raises InputError as
    `check_version` does and where the latest release has that version and other content, EmptyStageError when a
    configuration has no row, StoreError for rows that do not fit together and for what cannot be read or written.
    """
    store = ReleaseStore.at(place)
    latest = check_version(store, version)
    store.remove_leftovers()
    damaged = () if latest is None else tuple(damaged_files(store, latest))
    with staged(source, store, _comparison(store, latest, damaged)) as rows:
        _check_rows(rows)
        content = content_sha256(rows)
        unchanged = latest is not None and latest.content_sha256 == content
        if latest is None or not unchanged or version not in (None, latest.version):
            number = _free_version(store, version, latest, rows)
            facts = CardFacts(number, None if latest is None else latest.version, rows)
            release = _write(store, facts, content, lineage or {}, latest)
            return ReleaseResult(release, store.address(number), created=True)
    if damaged:
        latest = _make_again(store, source, latest)
    return ReleaseResult(latest, store.address(latest.version), created=False, repaired=damaged)


def check_version(place: Place, version: str | None) -> Release | None:
    """The latest release, after which `version` may come; reads records only.

    Raises InputError for what is no semantic version, and for one that is lower than the latest. The version of the
    latest release itself may be asked for again: `make_release` compares the content.
    """
    latest = latest_release(place)
    if version is not None:
        parsed = parse_version(version)
        if latest is not None and parsed < parse_version(latest.version):
            raise _does_not_follow(version, latest)
    return latest


def read_release(place: Place, version: str) -> Release:
    """The release of that version; StoreError when it is not there or its record is damaged."""
    store = ReleaseStore.at(place)
    raw = store.read(version, RECORD)
    if raw is None:
        raise StoreError(f"{store.address(version)} holds no {RECORD}; that release was not made here")
    release = _sound(raw, version)
    if release is None:
        raise StoreError(
            f"{store.address(version)}/{RECORD} is damaged; run `claimrag release` to make the release again"
        )
    return release


def latest_release(place: Place) -> Release | None:
    """The release with the highest version whose record is sound, or None."""
    store = ReleaseStore.at(place)
    for version in store.versions():
        raw = store.read(version, RECORD)
        release = None if raw is None else _sound(raw, version)
        if release is not None:
            return release
    return None


def damaged_files(place: Place, release: Release) -> list[str]:
    """The paths of the release's files that are missing or differ from their recorded SHA-256."""
    store = ReleaseStore.at(place)
    return [file.path for file in release.files if not store.holds(release.version, file)]


def release_in(folder: Path) -> Release:
    """The release whose files lie in a folder, whatever its name; StoreError where it is none, or damaged."""
    path = folder / RECORD
    release = parse_record(path.read_bytes()) if path.is_file() else None
    if release is None:
        raise StoreError(f"{folder} holds no {RECORD} of a release")
    damaged = [file.path for file in release.files if not _is_as_released(folder / file.path, file)]
    if damaged:
        raise StoreError(
            f"{folder}: {', '.join(damaged)} is not as released; make or fetch the release again"
        )
    return release


def _is_as_released(path: Path, file: ReleaseFile) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest() == file.sha256


def _comparison(store: ReleaseStore, previous: Release | None, damaged: Sequence[str]) -> Comparison | None:
    """The comparison with a release; None where there is none, or where its rows are damaged."""
    if previous is None or any(data_path(name) in damaged for name in COMPARED):
        return None
    there = {file.path for file in previous.files}
    version = previous.version
    return Comparison(lambda path: store.opened(version, path) if path in there else None)


def _check_rows(rows: Staged) -> None:
    for name in REQUIRED:
        if not rows.figures.rows[name]:
            raise EmptyStageError(
                f"the release has no row for {name!r}: nothing is published without it. "
                "The counts of the stages say why rows were rejected"
            )


def _free_version(store: ReleaseStore, version: str | None, latest: Release | None, rows: Staged) -> str:
    """The version that was asked for, or the next one that no other release has."""
    if version is None:
        number = next_version(None if latest is None else latest.version, rows.changes)
        while not _is_free(store, number, rows):
            number = next_version(number, None)
        return number
    if latest is not None and version == latest.version:
        raise _does_not_follow(version, latest)
    if not _is_free(store, version, rows):
        raise InputError(
            f"{store.address(version)} holds another release {version}, whose {RECORD} is damaged; choose a higher "
            "version, or leave it out"
        )
    return version


def _is_free(store: ReleaseStore, version: str, rows: Staged) -> bool:
    """Whether nobody can know this version with other rows: there is no record, or it alone is damaged."""
    if store.read(version, RECORD) is None:
        return True
    return all(store.holds(version, _described(path, file)) for path, file in rows.files.items())


def _make_again(store: ReleaseStore, source: ReleaseSource, release: Release) -> Release:
    """Write a release with damaged files again, from the content that it was written from."""
    previous = None
    if release.previous is not None:
        raw = store.read(release.previous, RECORD)
        previous = None if raw is None else _sound(raw, release.previous)
    damaged = [] if previous is None else damaged_files(store, previous)
    with staged(source, store, _comparison(store, previous, damaged)) as rows:
        facts = CardFacts(release.version, release.previous, rows)
        return _write(store, facts, content_sha256(rows), release.lineage, previous)


def _write(
    store: ReleaseStore,
    facts: CardFacts,
    content: str,
    lineage: Mapping[str, str],
    previous: Release | None,
) -> Release:
    """Write every file of a release, its record last; `previous` is the release before it, where it is sound."""
    figures = facts.rows.figures
    data_files = {path: _described(path, file) for path, file in facts.rows.files.items()}
    contents: dict[str, NewFile | bytes] = {
        **facts.rows.files,
        CHART_PATH: category_chart(figures.languages).encode(),
        CARD_PATH: render_card(facts).encode(),
        CITATION_PATH: citation_file(facts.version, facts.rows.acts, figures).encode(),
        CROISSANT_PATH: croissant_file(facts.version, facts.rows, data_files).encode(),
        CHANGELOG_PATH: render_changelog(facts, _changelog_of(store, previous)).encode(),
    }
    release = Release(
        version=facts.version,
        acts=tuple(sorted(act.id for act in facts.rows.acts)),
        rows=dict(figures.rows),
        content_sha256=content,
        previous=facts.previous,
        lineage=dict(sorted(lineage.items())),
        files=tuple(_described(path, contents[path]) for path in sorted(contents)),
    )
    with store.writing():
        for path, data in contents.items():
            store.put(facts.version, path, data)
        store.put(facts.version, RECORD, render_record(release))
    return release


def _changelog_of(store: ReleaseStore, release: Release | None) -> str | None:
    """The changelog of a release as it was written, None where it is damaged or not there."""
    if release is None:
        return None
    if not any(file.path == CHANGELOG_PATH and store.holds(release.version, file) for file in release.files):
        return None
    data = store.read(release.version, CHANGELOG_PATH)
    return None if data is None else data.decode()


def _described(path: str, content: NewFile | bytes) -> ReleaseFile:
    if isinstance(content, bytes):
        return ReleaseFile(path=path, sha256=sha256_bytes(content), bytes=len(content))
    return ReleaseFile(path=path, sha256=content.sha256, bytes=content.size)


def _sound(raw: bytes, version: str) -> Release | None:
    """The release that a record describes, where it is that of this version."""
    release = parse_record(raw)
    return release if release is not None and release.version == version else None


def _does_not_follow(version: str, latest: Release) -> InputError:
    return InputError(
        f"version {version} does not follow {latest.version}, the latest release; choose a higher one, or leave it out"
    )
