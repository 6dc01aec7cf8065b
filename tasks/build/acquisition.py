"""Acquisition for builds and the command line: the snapshots of a law, and what changed since the last ones."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from claimrag import legal_sources
from claimrag.legal_sources.catalogue import load_catalogue
from claimrag.legal_sources.health import with_expectations
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.errors import InputError
from claimrag.schemas.settings import Settings, load_settings
from claimrag.tasks.acquire.acquire import Acquired, AcquireRequest, acquire
from claimrag.tasks.acquire.changes import compare
from claimrag.tasks.acquire.fetch import Fetcher
from claimrag.tasks.acquire.naming import NamedLaw, name_law_in_file, name_laws
from claimrag.tasks.acquire.snapshot import LawKey, Snapshot, SnapshotStore
from claimrag.tasks.build.clock import utc_now
from claimrag.tasks.store import Workspace


def snapshot_store(workspace: Workspace) -> SnapshotStore:
    """The snapshots of a workspace."""
    return SnapshotStore(workspace.fs, workspace.root, clock=utc_now)


async def acquire_source(workspace: Workspace, settings: Settings, law: NamedLaw) -> Snapshot:
    """The snapshot of a law; what is already in the workspace is used, the network left alone."""
    request = AcquireRequest(law)
    acquired = await acquire(request, snapshot_store(workspace), load_catalogue(), settings.acquire)
    return acquired.snapshot


def parse_snapshot(store: SnapshotStore, snapshot: Snapshot, name: str) -> ParsedAct:
    """Parse kept bytes; the catalogue adds its terms to the act and its expectations to the health report."""
    parsed = legal_sources.parse_bytes(
        store.read(snapshot),
        origin=name,
        retrieved_at=snapshot.retrieved_at,
        source_address=snapshot.address,
    )
    entry = next((entry for entry in load_catalogue() if entry.id == snapshot.key.law_id), None)
    if entry is None:
        return parsed
    terms = {"licence": entry.licence, "attribution": entry.attribution}
    version = entry.version(snapshot.key.version)
    expected = version.expectations.measured() if version else {}
    return replace(
        parsed,
        act=parsed.act.model_copy(update=terms),
        health=with_expectations(parsed.health, parsed.counts(), expected),
    )


def read_law(law: NamedLaw, workspace: str | None) -> ParsedAct:
    """Acquire one law into the workspace, if it is not there, and parse it."""
    settings = load_settings(workspace=workspace)
    opened = Workspace.open(settings.workspace)
    snapshot = asyncio.run(acquire_source(opened, settings, law))
    return parse_snapshot(snapshot_store(opened), snapshot, law.name)


def acquire_and_compare(
    name: str,
    *,
    from_file: Path | None,
    workspace: str | None,
    languages: tuple[str, ...],
    version: str | None,
    refresh: bool,
    check: bool,
) -> list[dict[str, Any]]:
    """Acquire a law; per language, where the bytes are and, with `check`, what changed article by article.

    `check` asks the publisher again and compares with the last snapshot of that version, or else with the
    newest earlier version of the law in the workspace.
    """
    settings = load_settings(workspace=workspace)
    opened = Workspace.open(settings.workspace)
    store = snapshot_store(opened)
    laws = _laws_to_acquire(name, from_file, languages, version)
    acquired = asyncio.run(_acquire_each(laws, store, settings, refresh=refresh or check))
    return [_report(opened, store, one, name, check) for one in acquired]


def _laws_to_acquire(
    name: str, from_file: Path | None, languages: tuple[str, ...], version: str | None
) -> list[NamedLaw]:
    wanted = tuple(dict.fromkeys(languages)) or (None,)
    if from_file is not None:
        if len(wanted) > 1:
            raise InputError("one file is one language: give --language once")
        return [name_law_in_file(name, from_file, language=each, version=version) for each in wanted]
    return [law for each in wanted for law in name_laws((name,), language=each, version=version)]


async def _acquire_each(
    laws: list[NamedLaw], store: SnapshotStore, settings: Settings, *, refresh: bool
) -> list[Acquired]:
    async with Fetcher(settings.acquire) as fetcher:
        return [
            await acquire(AcquireRequest(law, refresh), store, load_catalogue(), settings.acquire, fetcher)
            for law in laws
        ]


def _report(
    workspace: Workspace, store: SnapshotStore, one: Acquired, name: str, check: bool
) -> dict[str, Any]:
    snapshot = one.snapshot
    report: dict[str, Any] = {
        "law": snapshot.key.law_id,
        "version": snapshot.key.version,
        "language": snapshot.key.language,
        "sha256": snapshot.sha256,
        "bytes": snapshot.size,
        "path": workspace.path("raw", snapshot.sha256),
        "new_bytes": one.changed,
    }
    sentences = [
        f"{snapshot.key.law_id} {snapshot.key.version} {snapshot.key.language}: {snapshot.size} bytes at "
        + report["path"]
    ]
    if check:
        earlier = _earlier(store, one)
        if earlier is None:
            sentences.append("no earlier snapshot to compare with")
        elif earlier.sha256 == snapshot.sha256:
            sentences.append("no change")
        else:
            changes = compare(
                parse_snapshot(store, earlier, name).units, parse_snapshot(store, snapshot, name).units
            )
            report["changes"] = changes.model_dump(mode="json")
            against = f"against {earlier.key.version} of {earlier.retrieved_at:%Y-%m-%d}"
            sentences.append(
                f"{against}: {len(changes.added)} added, {len(changes.changed)} changed, "
                f"{len(changes.removed)} removed, {changes.unchanged} unchanged"
                if changes.any
                else f"{against}: no change in the text of any article"
            )
            sentences += changes.sentences()
    return report | {"sentences": sentences}


def _earlier(store: SnapshotStore, one: Acquired) -> Snapshot | None:
    """What to compare with: this version's last snapshot, else the newest earlier version's."""
    if one.previous is not None:
        return one.previous
    key = one.snapshot.key
    dated = [k for k in store.keys(key.law_id) if k.language == key.language and _date(k) < _date(key)]
    found = [store.latest(k) for k in sorted(dated, key=_date, reverse=True)]
    return next((snapshot for snapshot in found if snapshot is not None), None)


def _date(key: LawKey) -> date:
    try:
        return date.fromisoformat(key.version)
    except ValueError:
        return date.min
