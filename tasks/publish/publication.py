"""publish_release: a release folder becomes one commit and one tag, then is loaded back and compared.

Idempotent: each step happens only if it is missing, so a run after a failure completes what the failed one
began, and a run without changes does nothing. Users read by tag, and a tag is set only on a complete
commit. A tag that names other content is an error; it is never moved. Of the repository's files only those that
an earlier release of ours wrote are ever deleted: what people added beside them stays.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from pydantic import SecretStr

from claimrag.schemas.arrow import read_parquet
from claimrag.schemas.base import Noun
from claimrag.schemas.errors import StoreError
from claimrag.schemas.release import Release
from claimrag.tasks.publish.repository import HubRepository, RemoteState
from claimrag.tasks.release.files import ReleaseStore, sha256_bytes
from claimrag.tasks.release.folder import damaged_files, read_release
from claimrag.tasks.release.record import RECORD, parse_record
from claimrag.tasks.release.rows import CONFIGURATIONS, data_path


class PublicationStep(StrEnum):
    """What a publication did, or with `dry_run` would do."""

    CREATE = "create"
    COMMIT = "commit"
    TAG = "tag"


class FileChanges(Noun):
    """Paths of the release's files, beside what the dataset held before; `removed` are those of the release before."""

    new: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]


class Publication(Noun):
    """The outcome. `steps` is empty when the release was already published; `verified` is False for dry runs."""

    dataset: str
    address: str
    version: str
    tag: str
    commit: str | None
    steps: tuple[PublicationStep, ...]
    files: FileChanges
    rows: dict[str, int]
    verified: bool
    dry_run: bool


def publish_release(
    root: Path | str | ReleaseStore,
    version: str,
    dataset: str,
    *,
    token: SecretStr | None = None,
    endpoint: str | None = None,
    private: bool = False,
    dry_run: bool = False,
) -> Publication:
    """Publish release `version` of the folder `root` as `dataset` (`organisation/name`).

    `private` matters only when the dataset is created. With `dry_run` nothing is written anywhere. Raises
    StoreError when the folder is damaged, the Hub refuses, the tag names other content, or what comes back
    differs; InputError for an impossible name.
    """
    release, files = _undamaged(root, version)
    secret = None if token is None else token.get_secret_value()
    repository = HubRepository(dataset, secret, endpoint)
    tag = f"v{version}"
    state = repository.state()
    newest = None if state is None else _record_at(repository, state, state.head)
    steps = _missing_steps(repository, state, newest, release, tag)
    writes = PublicationStep.COMMIT in steps
    removed = _outdated(state, newest, files) if writes else ()
    before = {} if state is None or newest is None else _hashes(newest, state)
    commit = None if state is None else state.tags.get(tag)
    if not dry_run:
        commit = _take(steps, repository, state, files, removed, release, tag, private=private)
        _verify(repository, release, tag)
    return Publication(
        dataset=dataset,
        address=repository.address,
        version=version,
        tag=tag,
        commit=commit,
        steps=steps,
        files=_compared(release, before, removed) if writes else _compared(release, None, ()),
        rows=release.rows,
        verified=not dry_run,
        dry_run=dry_run,
    )


def hub_token() -> SecretStr | None:
    """The token of HF_TOKEN, else that of the Hub's own login; None where there is neither."""
    from huggingface_hub import get_token

    token = get_token()
    return None if token is None else SecretStr(token)


def _compared(release: Release, before: Mapping[str, str] | None, removed: tuple[str, ...]) -> FileChanges:
    """The release's files against the hashes of those that were there; None where they are what is there."""
    paths: dict[str, list[str]] = {"new": [], "changed": [], "unchanged": []}
    for file in sorted(release.files, key=lambda file: file.path):
        was = file.sha256 if before is None else before.get(file.path)
        paths["new" if was is None else "unchanged" if was == file.sha256 else "changed"].append(file.path)
    return FileChanges(**{name: tuple(each) for name, each in paths.items()}, removed=removed)


def _hashes(newest: Release, state: RemoteState) -> dict[str, str]:
    return {file.path: file.sha256 for file in newest.files if file.path in state.files}


def _undamaged(root: Path | str | ReleaseStore, version: str) -> tuple[Release, dict[str, bytes]]:
    """The release, and the bytes of all its files, each with its recorded hash."""
    release = read_release(root, version)
    damaged = damaged_files(root, release)
    if damaged:
        raise StoreError(
            f"release {version} is damaged: {', '.join(damaged)}; restore the folder before publishing"
        )
    store = ReleaseStore.at(root)
    paths = [*(file.path for file in release.files), RECORD]
    found = {path: store.read(release.version, path) for path in paths}
    return release, {path: data for path, data in found.items() if data is not None}


def _missing_steps(
    repository: HubRepository,
    state: RemoteState | None,
    newest: Release | None,
    release: Release,
    tag: str,
) -> tuple[PublicationStep, ...]:
    if state is None:
        return (PublicationStep.CREATE, PublicationStep.COMMIT, PublicationStep.TAG)
    if tag in state.tags:
        published = _record_at(repository, state, tag)
        if published is None or published.files != release.files:
            raise StoreError(
                f"{repository.name} already has {tag} with other content; a published version never changes: "
                "make a release with a new version"
            )
        return ()
    if newest is not None and newest.files == release.files and newest.version == release.version:
        return (PublicationStep.TAG,)
    return (PublicationStep.COMMIT, PublicationStep.TAG)


def _record_at(repository: HubRepository, state: RemoteState, revision: str) -> Release | None:
    """The release at a commit or a tag; None where there is no sound record of one."""
    if revision == state.head and RECORD not in state.files:
        return None
    raw = repository.read(RECORD, revision)
    return None if raw is None else parse_record(raw)


def _outdated(
    state: RemoteState | None, newest: Release | None, files: Mapping[str, bytes]
) -> tuple[str, ...]:
    """The files that the release at the newest commit wrote, and that this one does not have."""
    if state is None or newest is None:
        return ()
    ours = {file.path for file in newest.files}
    return tuple(sorted((ours & state.files) - files.keys()))


def _take(
    steps: tuple[PublicationStep, ...],
    repository: HubRepository,
    state: RemoteState | None,
    files: Mapping[str, bytes],
    removed: tuple[str, ...],
    release: Release,
    tag: str,
    *,
    private: bool,
) -> str:
    """Take the missing steps in order; returns the commit that the tag names."""
    if PublicationStep.CREATE in steps:
        repository.create(private=private)
        state = repository.state()
    if state is None:
        raise StoreError(f"{repository.name} was created but cannot be read; check what the token may do")
    commit = state.tags.get(tag, state.head)
    if PublicationStep.COMMIT in steps:
        commit = repository.commit(files, removed, state, f"Release {release.version}")
    if PublicationStep.TAG in steps:
        repository.tag(tag, commit)
    return commit


def _verify(repository: HubRepository, release: Release, tag: str) -> None:
    """Read every file back by its tag, compare it, and read the rows of every configuration."""
    for file in release.files:
        data = repository.read(file.path, tag)
        if data is None or sha256_bytes(data) != file.sha256:
            raise StoreError(
                f"{repository.name} {tag}: {file.path} came back {'missing' if data is None else 'different'}"
            )
        for name, model in CONFIGURATIONS.items():
            if file.path == data_path(name):
                rows = len(read_parquet(model, io.BytesIO(data)))
                if rows != release.rows[name]:
                    raise StoreError(
                        f"{repository.name} {tag}: {name} came back with {rows} rows, not {release.rows[name]}"
                    )
