"""Acquisition for builds and the command line: a source's snapshot, and what changed since the last one."""

from __future__ import annotations

from pathlib import Path

from legal_sources.catalogue import CatalogueEntry, LawVersion, load_catalogue
from schemas.base import Noun
from schemas.settings import Settings
from tasks.acquire.local import acquire_file, acquire_sample
from tasks.acquire.snapshot import LawKey, Snapshot, SnapshotStore
from tasks.build.clock import utc_now
from tasks.store import Workspace


class LawSource(Noun):
    """A law as it was asked for: a local file, or a catalogue entry in one language and version."""

    name: str
    path: str | None = None
    law_id: str | None = None
    language: str | None = None
    version: str | None = None


def snapshot_store(workspace: Workspace) -> SnapshotStore:
    """The snapshots of a workspace."""
    return SnapshotStore(workspace.fs, workspace.root, clock=utc_now)


def acquire_source(
    workspace: Workspace, settings: Settings, source: LawSource, *, refresh: bool = False
) -> tuple[Snapshot, bool]:
    """The snapshot of a source, and whether its bytes are new; fetched bytes are asked for once only."""
    store = snapshot_store(workspace)
    if source.path is not None:
        return acquire_file(
            store,
            Path(source.path),
            law_id=source.law_id,
            version=source.version,
            language=source.language or "en",
            max_bytes=settings.acquire.max_bytes,
        )
    entry, version = named_version(source)
    key = LawKey(law_id=entry.id, version=version.label, language=source.language or entry.languages[0])
    if version.resource is not None:
        return acquire_sample(store, key, version.resource)
    from tasks.acquire.fetch import fetch_law

    return fetch_law(store, entry, version, key.language, settings.acquire, refresh=refresh)


def named_version(source: LawSource) -> tuple[CatalogueEntry, LawVersion]:
    """The catalogue entry and version that a source names."""
    found = load_catalogue().find(source.name)
    version = found.entry.version(source.version) if source.version else found.version
    return found.entry, version or found.entry.default_version
