"""Asks publishers whether laws have changed since they were last kept: what `acquire-laws` does on a schedule.

A law has changed where the text of an article differs; new bytes with the same text are kept and are no change,
nor is a law that is kept for the first time. Nothing is built here.
"""

from __future__ import annotations

from collections.abc import Iterator

from claimrag.legal_sources.catalogue import CatalogueEntry, LawVersion, load_catalogue
from claimrag.schemas.errors import InputError
from claimrag.schemas.law_check import ChangedLaw, LawCheckRequest
from claimrag.schemas.settings import AcquireSettings
from claimrag.tasks.acquire.fetch import Fetcher
from claimrag.tasks.acquire.naming import NamedLaw, name_laws
from claimrag.tasks.acquire.step import snapshot_store
from claimrag.tasks.parse.compare import AcquiredLaw, check_again
from claimrag.tasks.store import Workspace

BY_HAND = "by_hand"
"""The access of a publisher that no program is to ask."""


def laws_to_check(request: LawCheckRequest, workspace: Workspace) -> list[list[NamedLaw]]:
    """The laws to ask about; each is one version of a law, in every language that is meant.

    Those held are asked about in each version held and in the newest that the catalogue lists. Raises InputError for
    a publisher that the catalogue lacks, a file, and a law of another publisher; else as `name_laws` does.
    """
    known = sorted(each.id for each in load_catalogue().publishers())
    if request.publisher is not None and request.publisher not in known:
        raise InputError(
            f"no publisher is called '{request.publisher}'; the catalogue has {', '.join(known)}"
        )
    laws = _named(request) if request.laws else _held(request.publisher, workspace)
    together: dict[tuple[str | None, str | None], list[NamedLaw]] = {}
    for law in laws:
        together.setdefault((law.law_id, law.version), []).append(law)
    return list(together.values())


async def check_law(
    languages: list[NamedLaw], workspace: Workspace, settings: AcquireSettings, fetcher: Fetcher
) -> ChangedLaw | None:
    """Ask for one version of a law in each of its languages and keep what comes; None where no article differs.

    Raises SourceError as acquisition and parsing do.
    """
    results = [await check_again(law, workspace, settings, fetcher) for law in languages]
    changed = [result for result in results if result.changes is not None and result.changes.any]
    if not changed:
        return None
    entry = load_catalogue().resolve(languages[0].name)
    return ChangedLaw(
        law=entry.id,
        name=_name_of(entry, changed[0].version),
        publisher=entry.publisher,
        version=changed[0].version,
        languages=tuple(result.language for result in changed),
        acts=tuple(result.act_id for result in changed if result.act_id is not None),
        compared_with=tuple(sorted({str(result.compared_with) for result in changed})),
        articles=sum(_articles(result) for result in changed),
    )


def _articles(result: AcquiredLaw) -> int:
    changes = result.changes
    return 0 if changes is None else len(changes.added) + len(changes.changed) + len(changes.removed)


def _named(request: LawCheckRequest) -> Iterator[NamedLaw]:
    catalogue = load_catalogue()
    for law in name_laws(request.laws):
        if law.law_id is None:
            raise InputError(f"{law.name} is a file, which has no publisher; name a law of the catalogue")
        publisher = catalogue.resolve(law.name).publisher
        if request.publisher not in (None, publisher):
            raise InputError(f"{law.name} is published by {publisher}, not by {request.publisher}")
        yield law


def _held(publisher: str | None, workspace: Workspace) -> Iterator[NamedLaw]:
    """Every version held, and the newest that the catalogue lists, in the languages held."""
    catalogue, store = load_catalogue(), snapshot_store(workspace)
    for entry in sorted(catalogue, key=lambda each: each.id):
        if publisher not in (None, entry.publisher) or catalogue.publisher(entry).access == BY_HAND:
            continue
        kept = [key for key in store.keys(entry.id) if key.language in entry.languages]
        held = {key.version for key in kept}
        newest = max(entry.versions, key=lambda version: version.label)
        for version in entry.versions:
            if version.label in held or version == newest:
                for language in sorted({key.language for key in kept}):
                    yield _of_version(entry, version, language)


def _of_version(entry: CatalogueEntry, version: LawVersion, language: str) -> NamedLaw:
    return NamedLaw(name=entry.id, law_id=entry.id, language=language, version=version.label)


def _name_of(entry: CatalogueEntry, label: str) -> str:
    """What means this version: a build of the law's id would take the catalogue's first one."""
    version = entry.version(label)
    return (version and (version.celex or version.eli)) or entry.id
