"""Reads the catalogue's YAML files, checks them, and finds a law by any of its names.

An unknown field, a repeated id, an unknown publisher or language is an error that names the file and entry.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pydantic import ValidationError

from claimrag.legal_sources.catalogue.derive import derive, normalise
from claimrag.legal_sources.catalogue.entries import CatalogueEntry, LawVersion, Publisher
from claimrag.schemas.errors import SourceError


class Match(NamedTuple):
    """What a name means: a law, and the version and language where the name says them."""

    entry: CatalogueEntry
    version: LawVersion | None = None
    language: str | None = None


class Catalogue:
    """Publishers and laws, in the order of the files."""

    def __init__(self, publishers: dict[str, Publisher], entries: tuple[CatalogueEntry, ...]) -> None:
        self._publishers = publishers
        self._entries = {entry.id: entry for entry in entries}
        self._by_number = _by_number(entries)

    def __iter__(self) -> Iterator[CatalogueEntry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def publishers(self) -> tuple[Publisher, ...]:
        """Every publisher."""
        return tuple(self._publishers.values())

    def publisher(self, entry: CatalogueEntry) -> Publisher:
        """Who publishes this law."""
        return self._publishers[entry.publisher]

    def resolve(self, name: str) -> CatalogueEntry:
        """The law called `name`: an id, a CELEX number, an ELI or a publisher's address.

        A well-formed CELEX or ELI that is not listed still resolves, to an entry derived from it. Raises
        SourceError with the nearest ids otherwise.
        """
        return self.find(name).entry

    def find(self, name: str) -> Match:
        """As `resolve`, with the version and language that the name itself pins."""
        wanted = normalise(name)
        entry = self._entries.get(wanted.key)
        if entry is not None:
            return Match(entry)
        listed = self._by_number.get(wanted.key)
        if listed is not None:
            return listed._replace(language=wanted.language)
        derived = derive(wanted, self._publishers)
        if derived is not None:
            return Match(derived, derived.default_version, wanted.language)
        raise SourceError(self._unknown(name))

    def _unknown(self, name: str) -> str:
        folded = name.strip().casefold()
        names = {entry.id: entry.id for entry in self}
        names |= {(entry.short_title or entry.title).casefold(): entry.id for entry in self}
        near = [names[key] for key in difflib.get_close_matches(folded, names, n=3, cutoff=0.5)]
        near += [entry.id for entry in self if len(folded) > 2 and folded in entry.title.casefold()]
        near = list(dict.fromkeys(near))[:4]
        hint = f"did you mean {' or '.join(near)}?" if near else "`claimrag laws` lists what there is."
        return f"no law is called '{name}': {hint} A CELEX number, an ELI or a file also works."


@cache
def _packaged() -> Catalogue:
    folder = resources.files("claimrag.legal_sources.catalogue")
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".yaml")), key=lambda f: f.name)
    return _build(files)


def load_catalogue(*extra: Path) -> Catalogue:
    """The catalogue in the package, and the entries of any further YAML files. Raises SourceError."""
    if not extra:
        return _packaged()
    folder = resources.files("claimrag.legal_sources.catalogue")
    files: list[Traversable] = [f for f in folder.iterdir() if f.name.endswith(".yaml")]
    return _build([*sorted(files, key=lambda f: f.name), *extra])


def _build(files: list[Traversable] | list[Traversable | Path]) -> Catalogue:
    publishers: dict[str, Publisher] = {}
    rows: list[tuple[str, dict[str, Any]]] = []
    for file in files:
        content = _read(file)
        if "publisher" in content:
            publisher = _publisher(file.name, content["publisher"])
            publishers[publisher.id] = publisher
        rows += [(file.name, row) for row in content.get("laws") or []]
    entries: dict[str, CatalogueEntry] = {}
    for file_name, row in rows:
        entry = _entry(file_name, row, publishers)
        if entry.id in entries:
            raise SourceError(f"{file_name}: the id '{entry.id}' is used twice; choose another")
        entries[entry.id] = entry
    return Catalogue(publishers, tuple(entries.values()))


def _read(file: Traversable) -> dict[str, Any]:
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise SourceError(f"catalogue file {file.name} cannot be read: {error}") from error
    if not isinstance(content, dict) or set(content) - {"publisher", "laws"}:
        raise SourceError(f"catalogue file {file.name} must hold `publisher` and `laws` only")
    return content


def _publisher(file_name: str, row: Any) -> Publisher:
    try:
        return Publisher.model_validate(row)
    except ValidationError as error:
        raise SourceError(f"{file_name}: publisher: {_first(error)}") from error


def _entry(file_name: str, row: Any, publishers: dict[str, Publisher]) -> CatalogueEntry:
    label = row.get("id", "without an id") if isinstance(row, dict) else repr(row)[:40]
    publisher = publishers.get(str(row.get("publisher"))) if isinstance(row, dict) else None
    if publisher is None:
        known = ", ".join(sorted(publishers))
        raise SourceError(f"{file_name}: law '{label}' needs a publisher, one of: {known}")
    terms = {"licence": publisher.licence, "attribution": publisher.attribution}
    try:
        entry = CatalogueEntry.model_validate(terms | row)
    except ValidationError as error:
        raise SourceError(f"{file_name}: law '{label}': {_first(error)}") from error
    unserved = set(entry.languages) - set(publisher.language_codes)
    if publisher.language_codes and unserved:
        raise SourceError(f"{file_name}: law '{label}': {publisher.id} has no language {sorted(unserved)}")
    return entry


def _first(error: ValidationError) -> str:
    problem = error.errors()[0]
    return f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}"


def _by_number(entries: tuple[CatalogueEntry, ...]) -> dict[str, Match]:
    """What every CELEX number and ELI of the catalogue means; the first entry in the files has precedence."""
    meanings: dict[str, Match] = {}
    for entry in entries:
        for key in _keys(entry.celex, entry.eli):
            meanings.setdefault(key, Match(entry, _as_adopted(entry, key)))
        for version in entry.versions:
            for key in _keys(version.celex, version.eli):
                meanings.setdefault(key, Match(entry, version))
    return meanings


def _keys(*names: str | None) -> set[str]:
    return {normalise(name).key for name in names if name}


def _as_adopted(entry: CatalogueEntry, key: str) -> LawVersion | None:
    """A CELEX number of sector 3 means the act as adopted; an ELI of a work means no version at all."""
    named = (v for v in entry.versions if v.celex and normalise(v.celex).key == key)
    return next(named, None)
