"""The story of acquisition: find the law, use what is kept, fetch or read what is not, keep it.

A snapshot that is there is used and the network is left alone, unless `refresh` is asked. Which law, language
and version is meant was decided by tasks.acquire.naming. A failure leaves nothing behind.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from claimrag.legal_sources.catalogue import Catalogue, CatalogueEntry, LawVersion
from claimrag.schemas.errors import InputError
from claimrag.schemas.settings import AcquireSettings
from claimrag.tasks.acquire.addresses import Target, target_of
from claimrag.tasks.acquire.errors import AcquireError, NotAcceptableError, NotFoundError, OfflineError
from claimrag.tasks.acquire.fetch import Fetched, Fetcher, FetchRequest
from claimrag.tasks.acquire.local import UNDETERMINED, acquire_file, acquire_sample, key_of_file
from claimrag.tasks.acquire.naming import NamedLaw
from claimrag.tasks.acquire.snapshot import LawKey, Snapshot, SnapshotStore


@dataclass(frozen=True)
class Acquired:
    """One expression of a law, kept; `previous` is its last snapshot before this run, if any."""

    snapshot: Snapshot
    previous: Snapshot | None
    changed: bool
    entry: CatalogueEntry | None
    asked_publisher: bool


@dataclass(frozen=True)
class AcquireRequest:
    """Which law to acquire; `refresh` asks the publisher again, `offline` never asks."""

    law: NamedLaw
    refresh: bool = False
    offline: bool = False


@dataclass(frozen=True)
class _Run:
    """What one acquisition works with: one version of a listed law in one language."""

    request: AcquireRequest
    store: SnapshotStore
    catalogue: Catalogue
    settings: AcquireSettings
    entry: CatalogueEntry
    version: LawVersion
    key: LawKey


async def acquire(
    request: AcquireRequest,
    store: SnapshotStore,
    catalogue: Catalogue,
    settings: AcquireSettings,
    fetcher: Fetcher | None = None,
) -> Acquired:
    """Keep the bytes of one law in one language and version; raises SourceError or InputError with the remedy.

    Give the same `fetcher` to every call of a run, so that its pace is shared; without one, one is opened
    where the publisher must be asked.
    """
    if request.law.law_id is None:
        return await asyncio.to_thread(_from_file, request.law, store, settings)
    run = _listed(request, store, catalogue, settings)
    last = await asyncio.to_thread(store.latest, run.key)
    local = await asyncio.to_thread(_without_network, run)
    if local is not None:
        return Acquired(local[0], last, local[1], run.entry, asked_publisher=False)
    if last is not None and not request.refresh:
        return Acquired(last, last, False, run.entry, asked_publisher=False)
    if request.offline:
        raise OfflineError(
            f"no snapshot of {run.key.folder()} is kept: acquire it once with the network, or give it with "
            "--from"
        )
    if fetcher is not None:
        return await _from_publisher(run, last, fetcher)
    async with Fetcher(settings) as own:
        return await _from_publisher(run, last, own)


def _from_file(law: NamedLaw, store: SnapshotStore, settings: AcquireSettings) -> Acquired:
    """A file that was named alone, kept under its own name."""
    if law.path is None:
        raise InputError(f"{law.name} was named as neither a file nor a law; name it with name_laws")
    path, language = Path(law.path), law.language or UNDETERMINED
    last = store.latest(key_of_file(path, law_id=None, version=law.version, language=language))
    snapshot, changed = acquire_file(
        store, path, version=law.version, language=language, max_bytes=settings.max_bytes
    )
    return Acquired(snapshot, last, changed, None, asked_publisher=False)


def _listed(
    request: AcquireRequest, store: SnapshotStore, catalogue: Catalogue, settings: AcquireSettings
) -> _Run:
    law = request.law
    entry = catalogue.find(law.name).entry
    version = entry.version(law.version or entry.default_version.label)
    if version is None or law.language not in entry.languages:
        raise InputError(
            f"the catalogue does not list {law.name} in version {law.version} and language {law.language}; "
            "name it with name_laws"
        )
    key = LawKey(law_id=entry.id, version=version.label, language=law.language)
    return _Run(request, store, catalogue, settings, entry, version, key)


def _without_network(run: _Run) -> tuple[Snapshot, bool] | None:
    """The snapshot of a file or sample, which need no network; None when the publisher must be asked."""
    if run.request.law.path is not None:
        return acquire_file(
            run.store,
            Path(run.request.law.path),
            law_id=run.key.law_id,
            version=run.key.version,
            language=run.key.language,
            max_bytes=run.settings.max_bytes,
        )
    if run.version.resource is not None:
        return acquire_sample(run.store, run.key, run.version.resource)
    return None


async def _from_publisher(run: _Run, last: Snapshot | None, fetcher: Fetcher) -> Acquired:
    publisher = run.catalogue.publisher(run.entry)
    target = target_of(run.entry, run.version, run.key.language, publisher, run.settings)
    fetched = await _fetch_best(target, last, fetcher)
    if fetched.body is None and last is not None:
        return Acquired(last, last, False, run.entry, asked_publisher=True)
    snapshot, changed = await asyncio.to_thread(
        run.store.keep,
        fetched.body or b"",
        run.key,
        media_type=fetched.media_type,
        origin="fetched",
        address=fetched.address,
        headers=fetched.headers,
    )
    return Acquired(snapshot, last, changed, run.entry, asked_publisher=True)


async def _fetch_best(target: Target, last: Snapshot | None, fetcher: Fetcher) -> Fetched:
    """Ask for the best format first; a format that is not served gives way to the next."""
    validators = last.headers if last is not None and last.origin == "fetched" else {}
    refusal: AcquireError | None = None
    for accept in target.accepts:
        request = FetchRequest(
            address=target.address,
            accept=accept,
            media_types=target.accepts,
            bounds=target.bounds,
            accept_language=target.accept_language,
            etag=validators.get("etag"),
            last_modified=validators.get("last-modified"),
        )
        try:
            return await fetcher.get(request)
        except (NotAcceptableError, NotFoundError) as error:
            refusal = refusal or error
    raise refusal or AcquireError(f"{target.address}: the publisher's entry lists no format to accept")
