"""Release folders: `<root>/<version>/` with README.md, data, chart and release.json, written whole.

The same content gives the same bytes. Locally a release is written beside its place and renamed, so a
folder with a version's name is complete; on an object store release.json is written last, and a folder
without it is no release. A release is never overwritten.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from claimrag.schemas.arrow import arrow_schema, to_table, write_parquet
from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.schemas.errors import InputError, StoreError
from claimrag.schemas.release import Release, ReleaseFile
from claimrag.tasks.release.card import CHART_PATH, CardFacts, render_card
from claimrag.tasks.release.changes import changes_since
from claimrag.tasks.release.chart import category_chart
from claimrag.tasks.release.content import ReleaseContent, Rows, release_rows
from claimrag.tasks.release.figures import language_figures
from claimrag.tasks.release.files import ReleaseStore, sha256_bytes
from claimrag.tasks.release.front_matter import data_path
from claimrag.tasks.release.rows import CONFIGURATIONS
from claimrag.tasks.release.version import next_version, parse_version

RECORD = "release.json"


@dataclass(frozen=True)
class MadeRelease:
    """A release and the address of its folder; `created` is False where the same release was there."""

    release: Release
    folder: str
    created: bool


def make_release(
    root: Path | str,
    content: ReleaseContent,
    *,
    version: str | None = None,
    lineage: Mapping[str, str] | None = None,
    previous: Release | None = None,
) -> MadeRelease:
    """Write the release of `content` under `root`, a folder or an fsspec address.

    Without `version` the next one follows from what changed since `previous`. When nothing did, `previous`
    is returned and nothing is written. `lineage` names what the tables were made from; it is recorded, and
    is no part of the content. Raises StoreError when another release has the version, InputError when the
    version is not a higher one, EmptyStageError when a configuration has no row.
    """
    store = ReleaseStore.open(root)
    rows = release_rows(content)
    content_hash = content_sha256(content, rows)
    if previous is not None and previous.content_sha256 == content_hash:
        if store.read(previous.version, RECORD) is not None:
            return MadeRelease(previous, store.address(previous.version), created=False)
        version = previous.version
        return _ensure_written(store, content, rows, content_hash, version, previous.previous, lineage or {})
    name = None if previous is None else previous.version
    if version is None:
        version = next_version(name, _changes(store, name, rows))
    if name is not None and parse_version(version) <= parse_version(name):
        raise InputError(f"version {version} does not follow {name}; choose a higher one, or leave it out")
    return _ensure_written(store, content, rows, content_hash, version, name, lineage or {})


def read_release(root: Path | str, version: str) -> Release:
    """The release of that version; StoreError when it is not there or its record is damaged."""
    store = ReleaseStore.open(root)
    raw = store.read(version, RECORD)
    if raw is None:
        raise StoreError(f"{store.address(version)} holds no {RECORD}; that release was not made here")
    return _parsed(raw, store.address(version))


def latest_release(root: Path | str) -> Release | None:
    """The release with the highest version under `root`, or None."""
    store = ReleaseStore.open(root)
    for version in sorted(store.versions(), key=parse_version, reverse=True):
        raw = store.read(version, RECORD)
        if raw is not None:
            return _parsed(raw, store.address(version))
    return None


def damaged_files(root: Path | str, release: Release) -> list[str]:
    """The paths of the release's files that are missing or differ from their recorded SHA-256."""
    store = ReleaseStore.open(root)
    contents = {file.path: store.read(release.version, file.path) for file in release.files}
    return [
        file.path
        for file in release.files
        if (raw := contents[file.path]) is None or sha256_bytes(raw) != file.sha256
    ]


def content_sha256(content: ReleaseContent, rows: Rows) -> str:
    """A hash of what the release says: rows, columns, acts, scores and counts.

    Left out: the version, the lineage, and when an act was fetched, since none of them changes the data;
    and Parquet's bytes, which a new version of its library may change.
    """
    facts = {
        "rows": {name: [row.model_dump(mode="json") for row in rows[name]] for name in CONFIGURATIONS},
        "columns": {name: str(arrow_schema(model)) for name, model in CONFIGURATIONS.items()},
        "acts": sorted((a.model_dump(mode="json", exclude={"retrieved_at"}) for a in content.acts), key=_id),
        "runs": sorted((run.model_dump(mode="json") for run in content.runs), key=_id),
        "counts": {stage: counts.model_dump(mode="json") for stage, counts in content.counts.items()},
        "questions": len(content.questions),
    }
    return sha256_text(canonical_json(facts))


def _id(row: dict[str, Any]) -> str:
    return str(row["id"])


def _changes(store: ReleaseStore, previous: str | None, rows: Rows) -> Any:
    if previous is None or store.read(previous, RECORD) is None:
        return None
    return changes_since(lambda path: store.read(previous, path), rows)


def _ensure_written(
    store: ReleaseStore,
    content: ReleaseContent,
    rows: Rows,
    content_hash: str,
    version: str,
    previous: str | None,
    lineage: Mapping[str, str],
) -> MadeRelease:
    parse_version(version)
    address = store.address(version)
    there = store.read(version, RECORD)
    if there is not None:
        existing = _parsed(there, address)
        if existing.content_sha256 == content_hash:
            return MadeRelease(existing, address, created=False)
        raise StoreError(
            f"{address} holds another release {version}; a release is never overwritten: leave the version "
            "out to get the next one"
        )
    facts = CardFacts(version, previous, content, rows, _changes(store, previous, rows))
    files = _files(facts)
    release = Release(
        version=version,
        acts=tuple(sorted(act.id for act in content.acts)),
        rows={name: len(rows[name]) for name in CONFIGURATIONS},
        content_sha256=content_hash,
        previous=previous,
        lineage=dict(sorted(lineage.items())),
        files=tuple(
            ReleaseFile(path=path, sha256=sha256_bytes(data), bytes=len(data))
            for path, data in sorted(files.items())
        ),
    )
    store.write(version, files, RECORD, _record(release))
    return MadeRelease(release, address, created=True)


def _files(facts: CardFacts) -> dict[str, bytes]:
    files = {
        "README.md": render_card(facts).encode(),
        CHART_PATH: category_chart(language_figures(facts.rows)[:-1]).encode(),
    }
    for name, model in CONFIGURATIONS.items():
        buffer = io.BytesIO()
        write_parquet(to_table(model, facts.rows[name]), buffer)
        files[data_path(name)] = buffer.getvalue()
    return files


def _record(release: Release) -> bytes:
    value = release.model_dump(mode="json")
    return (json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False) + "\n").encode()


def _parsed(raw: bytes, address: str) -> Release:
    try:
        return Release.model_validate_json(raw)
    except ValidationError as error:
        raise StoreError(f"{address}/{RECORD} is damaged: {error.error_count()} invalid value(s)") from error
