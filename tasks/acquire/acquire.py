"""The story of acquisition: find the law, use what is kept, fetch or read what is not, keep it.

A snapshot that is there is used and the network is left alone, unless `refresh` is asked. Every language and
the version asked for give one `Acquired`; the first failure stops, and what was kept before it stays kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from claimrag.legal_sources.catalogue import Catalogue, CatalogueEntry, LawVersion, Match
from claimrag.schemas.errors import InputError
from claimrag.schemas.settings import AcquireSettings
from claimrag.tasks.acquire.addresses import Target, target_of
from claimrag.tasks.acquire.errors import AcquireError, NotAcceptableError, NotFoundError, OfflineError
from claimrag.tasks.acquire.fetch import Ask, Fetched, Fetcher
from claimrag.tasks.acquire.local import UNDETERMINED, acquire_file, acquire_sample, key_of_file
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
class Wish:
    """What to acquire. `name` is a catalogue id, CELEX, ELI, publisher address, or the path of a file."""

    name: str
    version: str | None = None
    languages: tuple[str, ...] = ()
    from_file: Path | None = None
    refresh: bool = False
    offline: bool = False


@dataclass(frozen=True)
class _Run:
    wish: Wish
    store: SnapshotStore
    catalogue: Catalogue
    settings: AcquireSettings
    fetcher: Fetcher


async def acquire(
    wish: Wish,
    store: SnapshotStore,
    catalogue: Catalogue,
    settings: AcquireSettings,
    fetcher: Fetcher | None = None,
) -> list[Acquired]:
    """Acquire every language of one version of one law; raises SourceError or InputError with the remedy."""
    path = _named_file(wish)
    if path is not None:
        return [_from_path(store, path, wish, settings)]
    match = catalogue.find(wish.name)
    version = _version(match, wish.version)
    languages = _languages(match, wish.languages, one=wish.from_file is not None)
    if fetcher is None:
        async with Fetcher(settings) as own:
            return await acquire(wish, store, catalogue, settings, own)
    run = _Run(wish, store, catalogue, settings, fetcher)
    return [await _one(run, match.entry, version, language) for language in languages]


async def _one(run: _Run, entry: CatalogueEntry, version: LawVersion, language: str) -> Acquired:
    key = LawKey(law_id=entry.id, version=version.label, language=language)
    last = run.store.latest(key)
    given = _given(run, key, version)
    if given is not None:
        return Acquired(given[0], last, given[1], entry, asked_publisher=False)
    if last is not None and not run.wish.refresh:
        return Acquired(last, last, False, entry, asked_publisher=False)
    if run.wish.offline:
        raise OfflineError(
            f"no snapshot of {key.folder()} is kept: acquire it once with the network, or give it with --from"
        )
    target = target_of(entry, version, language, run.catalogue.publisher(entry), run.settings)
    fetched = await _ask(target, last, run.fetcher)
    if fetched.body is None and last is not None:
        return Acquired(last, last, False, entry, asked_publisher=True)
    snapshot, changed = run.store.keep(
        fetched.body or b"",
        key,
        media_type=fetched.media_type,
        origin="fetched",
        address=fetched.address,
        headers=fetched.headers,
    )
    return Acquired(snapshot, last, changed, entry, asked_publisher=True)


def _given(run: _Run, key: LawKey, version: LawVersion) -> tuple[Snapshot, bool] | None:
    """The snapshot of a file or sample, which need no network; None when the publisher must be asked."""
    if run.wish.from_file is not None:
        return acquire_file(
            run.store,
            run.wish.from_file,
            law_id=key.law_id,
            version=key.version,
            language=key.language,
            max_bytes=run.settings.max_bytes,
        )
    if version.resource is not None:
        return acquire_sample(run.store, key, version.resource)
    return None


async def _ask(target: Target, last: Snapshot | None, fetcher: Fetcher) -> Fetched:
    """Ask for the best format first; a format that is not served gives way to the next."""
    validators = last.headers if last is not None and last.origin == "fetched" else {}
    refusal: AcquireError | None = None
    for accept in target.accepts:
        ask = Ask(
            address=target.address,
            accept=accept,
            media_types=target.accepts,
            bounds=target.bounds,
            accept_language=target.accept_language,
            etag=validators.get("etag"),
            last_modified=validators.get("last-modified"),
        )
        try:
            return await fetcher.get(ask)
        except (NotAcceptableError, NotFoundError) as error:
            refusal = refusal or error
    raise refusal or AcquireError(f"{target.address}: the publisher's entry lists no format to accept")


def _named_file(wish: Wish) -> Path | None:
    """The file that `name` is the path of; a bare catalogue id is never taken for a file."""
    if wish.from_file is not None or not ("." in wish.name or "/" in wish.name) or "://" in wish.name:
        return None
    path = Path(wish.name)
    try:
        return path if path.is_file() else None
    except OSError as error:
        raise InputError(f"'{wish.name[:80]}' names neither a law nor a file: {error.strerror}") from error


def _from_path(store: SnapshotStore, path: Path, wish: Wish, settings: AcquireSettings) -> Acquired:
    language = wish.languages[0] if wish.languages else UNDETERMINED
    key = key_of_file(path, law_id=None, version=wish.version, language=language)
    last = store.latest(key)
    snapshot, changed = acquire_file(
        store, path, version=wish.version, language=language, max_bytes=settings.max_bytes
    )
    return Acquired(snapshot, last, changed, None, asked_publisher=False)


def _version(match: Match, label: str | None) -> LawVersion:
    if label is None:
        return match.version or match.entry.default_version
    version = match.entry.version(label)
    if version is None:
        known = ", ".join(each.label for each in match.entry.versions)
        raise InputError(f"{match.entry.id} has no version {label}; the catalogue lists {known}")
    return version


def _languages(match: Match, asked: tuple[str, ...], *, one: bool) -> tuple[str, ...]:
    languages = asked or ((match.language,) if match.language else match.entry.languages)
    unknown = [each for each in languages if each not in match.entry.languages]
    if unknown:
        raise InputError(
            f"{match.entry.id} is not published in {', '.join(unknown)}; "
            f"it is in {', '.join(match.entry.languages)}"
        )
    if one and len(languages) > 1:
        raise InputError(f"one file is one language: say which of {', '.join(languages)} with --language")
    return tuple(dict.fromkeys(languages))
