"""What the names of laws on a command line mean: files here, or entries of the catalogue."""

from __future__ import annotations

from pathlib import Path

from claimrag.schemas.base import Noun
from claimrag.schemas.errors import InputError

FILE_SUFFIXES = {".xml", ".html", ".htm", ".xhtml", ".pdf", ".json", ".jsonl", ".md"}


class LawSource(Noun):
    """A law as it was asked for: a local file, or a catalogue entry in one language and version."""

    name: str
    path: str | None = None
    language: str | None = None
    version: str | None = None


def list_laws(names: tuple[str, ...]) -> list[LawSource]:
    """What `names` mean: files where they exist, else catalogue entries; the samples when there are none."""
    from claimrag.legal_sources.catalogue import load_catalogue

    catalogue = load_catalogue()
    sources: list[LawSource] = []
    for name in names or ("sample-en", "sample-fr"):
        if Path(name).is_file():
            sources.append(LawSource(name=Path(name).name, path=str(Path(name).resolve())))
        elif Path(name).suffix.lower() in FILE_SUFFIXES:
            raise InputError(f"{name} is not a file here; give the path of a law's file, or a catalogue id")
        else:
            found = catalogue.find(name)
            languages = [found.language] if found.language else list(found.entry.languages)
            version = found.version.label if found.version else None
            sources.extend(LawSource(name=name, language=code, version=version) for code in languages)
    if len(set(sources)) != len(sources):
        raise InputError("a law was named twice; name each law once")
    return sources
