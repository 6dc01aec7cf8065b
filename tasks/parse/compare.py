"""Acquires a law and says what changed since its last snapshot, article by article: `claimrag acquire --check`."""

from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path

from claimrag.legal_sources.catalogue import load_catalogue
from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.settings import AcquireSettings, load_settings
from claimrag.tasks.acquire.acquire import Acquired, AcquireRequest, acquire
from claimrag.tasks.acquire.changes import Changes, compare
from claimrag.tasks.acquire.fetch import Fetcher
from claimrag.tasks.acquire.naming import NamedLaw, name_law_in_file, name_laws
from claimrag.tasks.acquire.snapshot import LawKey, Snapshot, SnapshotStore
from claimrag.tasks.acquire.step import snapshot_store
from claimrag.tasks.parse.snapshot import parse_snapshot
from claimrag.tasks.store import Workspace


class AcquiredLaw(Noun):
    """What was kept of one law in one language, and how it differs from the snapshot it was compared with.

    `compared_with` is None where nothing was compared or there was nothing to compare with. `act_id` is that of
    the text as it is now, where there are `changes`.
    """

    law: str
    version: str
    language: str
    sha256: str
    bytes: int
    path: str
    new_bytes: bool
    checked: bool
    compared_with: str | None = None
    changes: Changes | None = None
    act_id: ActId | None = None


def acquire_and_compare(
    name: str,
    *,
    from_file: Path | None,
    workspace: str | None,
    languages: tuple[str, ...],
    version: str | None,
    refresh: bool,
    check: bool,
) -> list[AcquiredLaw]:
    """Acquire a law; one result per language.

    `check` asks the publisher again and compares with the last snapshot of that version, or else with the
    newest earlier version of the law in the workspace.
    """
    settings = load_settings(workspace=workspace)
    opened = Workspace.open(settings.workspace)
    store = snapshot_store(opened)
    laws = _named(name, from_file, languages, version)
    kept = asyncio.run(_acquire_each(laws, store, settings.acquire, refresh=refresh or check))
    return [_result(opened, store, acquired, name, check) for acquired in kept]


async def check_again(
    law: NamedLaw, workspace: Workspace, settings: AcquireSettings, fetcher: Fetcher
) -> AcquiredLaw:
    """As `acquire_and_compare` with `check`, for one law in one language and with a fetcher that others share."""
    store = snapshot_store(workspace)
    acquired = await acquire(AcquireRequest(law, refresh=True), store, load_catalogue(), settings, fetcher)
    return await asyncio.to_thread(_result, workspace, store, acquired, law.label, True)


async def _acquire_each(
    laws: list[NamedLaw], store: SnapshotStore, settings: AcquireSettings, *, refresh: bool
) -> list[Acquired]:
    """One after the other through one fetcher, so that the publisher is asked at its pace."""
    async with Fetcher(settings) as fetcher:
        return [
            await acquire(AcquireRequest(law, refresh=refresh), store, load_catalogue(), settings, fetcher)
            for law in laws
        ]


def _named(
    name: str, from_file: Path | None, languages: tuple[str, ...], version: str | None
) -> list[NamedLaw]:
    codes: tuple[str | None, ...] = languages or (None,)
    if from_file is not None:
        return [name_law_in_file(name, from_file, language=code, version=version) for code in codes]
    return [law for code in codes for law in name_laws((name,), language=code, version=version)]


def _result(
    workspace: Workspace, store: SnapshotStore, acquired: Acquired, name: str, check: bool
) -> AcquiredLaw:
    snapshot = acquired.snapshot
    result = AcquiredLaw(
        law=snapshot.key.law_id,
        version=snapshot.key.version,
        language=snapshot.key.language,
        sha256=snapshot.sha256,
        bytes=snapshot.size,
        path=workspace.path("raw", snapshot.sha256),
        new_bytes=acquired.changed,
        checked=check,
    )
    earlier = _earlier(store, acquired) if check else None
    if earlier is None:
        return result
    against = f"{earlier.key.version} of {earlier.retrieved_at:%Y-%m-%d}"
    if earlier.sha256 == snapshot.sha256:
        return result.model_copy(update={"compared_with": against})
    now = parse_snapshot(store, snapshot, name)
    changes = compare(parse_snapshot(store, earlier, name).units, now.units)
    return result.model_copy(update={"compared_with": against, "changes": changes, "act_id": now.act.id})


def _earlier(store: SnapshotStore, acquired: Acquired) -> Snapshot | None:
    """What to compare with: this version's last snapshot, else the newest earlier version's."""
    if acquired.previous is not None:
        return acquired.previous
    key = acquired.snapshot.key
    dated = [k for k in store.keys(key.law_id) if k.language == key.language and _date(k) < _date(key)]
    kept = [store.latest(k) for k in sorted(dated, key=_date, reverse=True)]
    return next((snapshot for snapshot in kept if snapshot is not None), None)


def _date(key: LawKey) -> date:
    try:
        return date.fromisoformat(key.version)
    except ValueError:
        return date.min
