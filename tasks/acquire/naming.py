"""What a law's name means: a file here, or a law of the catalogue by its id, CELEX, ELI or address.

This is the only place that decides it; build, parse, chunk and acquire all ask here, once, and pass on the
`NamedLaw`. Nothing is read or fetched: only whether a file exists is looked up.

The rule: an address (with `://`) is never a file. Of any other name, a file that exists wins, also over a
catalogue id of the same spelling; write the id's CELEX or ELI, or go to another folder, to mean the law.
"""

from __future__ import annotations

import datetime as dt
import difflib
from collections.abc import Sequence
from pathlib import Path

from claimrag.legal_sources.catalogue import Catalogue, LawVersion, Match, load_catalogue
from claimrag.schemas.base import Noun
from claimrag.schemas.build import BuildRequest
from claimrag.schemas.errors import InputError, SourceError
from claimrag.schemas.law_details import LawDetails

MEDIA_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".xml": "application/xml",
    ".akn": "application/xml",
    ".pdf": "application/pdf",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
}
"""The suffixes of files that can hold a law, each with its media type: the only such table."""

SAMPLE_LAWS = ("sample-en", "sample-fr")
"""The laws of the package, taken where none is named."""

_SHOWN = 80


class NamedLaw(Noun):
    """One law in one language and version, as it was named.

    `name` is the catalogue's name as it was typed, or the name of the file without its folders. `path` is the
    absolute path of a file. `law_id` is the catalogue's (or derived) id; it is None for a file that was named
    alone. With both, the file stands for the law. `version` is a label of the catalogue: a date or `undated`.
    `details` are what was said of a file that was named alone.
    """

    name: str
    path: str | None = None
    law_id: str | None = None
    language: str | None = None
    version: str | None = None
    details: LawDetails | None = None

    @property
    def label(self) -> str:
        """How people call it, with the language where the name alone may mean several."""
        return f"{self.name} ({self.language})" if self.language else self.name


def name_laws(
    names: Sequence[str],
    *,
    language: str | None = None,
    version: str | None = None,
    catalogue: Catalogue | None = None,
) -> list[NamedLaw]:
    """What `names` mean, in order: one NamedLaw per file, and one per language of a law of the catalogue.

    `language` and `version` narrow every name. No names mean the sample laws. Raises InputError for a law
    named twice (also in two spellings), a file that is not there, a version or language that the catalogue
    does not list; SourceError, with the nearest ids, for a name that means nothing.
    """
    known = catalogue or load_catalogue()
    laws: list[NamedLaw] = []
    by_meaning: dict[NamedLaw, str] = {}
    for name in names or SAMPLE_LAWS:
        for law in _meanings(name, language, version, known):
            meaning = law.model_copy(update={"name": ""})
            if meaning in by_meaning:
                raise InputError(_named_twice(by_meaning[meaning], name))
            by_meaning[meaning] = name
            laws.append(law)
    return laws


def laws_of(request: BuildRequest, catalogue: Catalogue | None = None) -> list[NamedLaw]:
    """The laws that a build is asked for, in its languages and version; raises as `name_laws` does.

    Without names the sample laws in those languages. Raises InputError too for a file with a version of the catalogue,
    or in several languages: a file is one text.
    """
    names = request.laws
    if not names and request.languages:
        known = catalogue or load_catalogue()
        names = tuple(
            name for name in SAMPLE_LAWS if set(known.find(name).entry.languages) & set(request.languages)
        )
        if not names:
            raise InputError(f"there is no sample law in {', '.join(request.languages)}; name a law")
        return name_laws(names, version=request.law_version, catalogue=catalogue)
    laws = [
        law
        for language in dict.fromkeys(request.languages) or (None,)
        for law in name_laws(names, language=language, version=request.law_version, catalogue=catalogue)
    ]
    for law in laws:
        if law.law_id is None and (request.law_version or len(request.languages) > 1):
            option = "--law-version" if request.law_version else "several --language"
            raise InputError(
                f"{law.name} is a file, which is one text; {option} is for laws of the catalogue"
            )
    return with_details(laws, title=request.title, date=request.date, licence=request.licence)


def with_details(
    laws: list[NamedLaw], *, title: str | None, date: dt.date | None, licence: str | None
) -> list[NamedLaw]:
    """The laws, each file with what was said of it; InputError where title, date or licence fit no one file."""
    given = {"--title": title, "--date": date, "--licence": licence}
    options = ", ".join(option for option, value in given.items() if value is not None)
    listed = next((law.name for law in laws if law.law_id is not None), None)
    if options and listed is not None:
        raise InputError(f"{listed} is a law of the catalogue, which says {options} itself; leave it out")
    if options and len(laws) > 1:
        raise InputError(f"{options} is of one law, and {len(laws)} files were named; build them one by one")
    return [
        law
        if law.law_id is not None or not (options or law.language)
        else law.model_copy(
            update={"details": LawDetails(title=title, date=date, licence=licence, language=law.language)}
        )
        for law in laws
    ]


def name_law(
    name: str,
    *,
    language: str | None = None,
    version: str | None = None,
    catalogue: Catalogue | None = None,
) -> NamedLaw:
    """As `name_laws` for one name; a law in several languages gives the first that the catalogue lists."""
    return name_laws((name,), language=language, version=version, catalogue=catalogue)[0]


def name_law_in_file(
    name: str,
    path: Path,
    *,
    language: str | None = None,
    version: str | None = None,
    catalogue: Catalogue | None = None,
) -> NamedLaw:
    """The catalogue's law `name`, whose bytes are in the file at `path` (`acquire LAW --from FILE`).

    Raises InputError when the law has several languages and none is named: one file is one language. That
    the file exists is checked where it is read.
    """
    known = catalogue or load_catalogue()
    laws = _catalogue_laws(name, known.find(name), language, version)
    if len(laws) > 1:
        codes = ", ".join(str(law.language) for law in laws)
        raise InputError(f"one file is one language: say which of {codes} with --language")
    return laws[0].model_copy(update={"path": str(path)})


def _meanings(name: str, language: str | None, version: str | None, catalogue: Catalogue) -> list[NamedLaw]:
    if not name.strip():
        raise InputError("a law's name is blank; give a catalogue id, CELEX, ELI or the path of a file")
    if _is_file(name):
        path = Path(name)
        return [NamedLaw(name=path.name, path=str(path.resolve()), language=language, version=version)]
    try:
        match = catalogue.find(name)
    except SourceError as unknown:
        raise _no_such_file(name) or unknown from None
    return _catalogue_laws(name, match, language, version)


def _is_file(name: str) -> bool:
    if "://" in name:
        return False
    try:
        return Path(name).is_file()
    except OSError as error:
        raise InputError(f"'{_shown(name)}' names neither a law nor a file: {error.strerror}") from error


def _no_such_file(name: str) -> InputError | None:
    """The sentence for a name that can only have meant a file; None for one that may mean a law."""
    path = Path(name)
    if "://" in name:
        return None
    if path.is_dir():
        return InputError(f"{_shown(name)} is a folder; name the law's file in it")
    if path.suffix.lower() not in MEDIA_TYPES and not name.startswith((".", "/", "~")):
        return None
    near = _near_files(path)
    hint = (
        f"did you mean {' or '.join(near)}?" if near else "give the path of a law's file, or a catalogue id"
    )
    return InputError(f"{_shown(name)} is not a file here; {hint}")


def _near_files(path: Path) -> list[str]:
    try:
        beside = [each.name for each in path.parent.iterdir() if each.suffix.lower() in MEDIA_TYPES]
    except OSError:
        return []
    return [str(path.parent / near) for near in difflib.get_close_matches(path.name, sorted(beside), n=3)]


def _catalogue_laws(name: str, match: Match, language: str | None, version: str | None) -> list[NamedLaw]:
    label = _version(name, match, version).label
    return [
        NamedLaw(name=name, law_id=match.entry.id, language=code, version=label)
        for code in _languages(name, match, language)
    ]


def _version(name: str, match: Match, label: str | None) -> LawVersion:
    entry, pinned = match.entry, match.version
    if label is None:
        return pinned or entry.default_version
    version = entry.version(label)
    if version is None:
        known = ", ".join(each.label for each in entry.versions)
        raise InputError(f"{entry.id} has no version {_shown(label)}; the catalogue lists {known}")
    # The number of the act itself goes with any version of it; that of a consolidated version does not.
    if pinned is not None and pinned.kind == "consolidated" and pinned != version:
        raise InputError(f"{_shown(name)} is the version {pinned.label}, not {label}; name one of the two")
    return version


def _languages(name: str, match: Match, language: str | None) -> tuple[str, ...]:
    entry, pinned = match.entry, match.language
    if language is None:
        return (pinned,) if pinned else entry.languages
    if language not in entry.languages:
        listed = ", ".join(entry.languages)
        raise InputError(f"{entry.id} is not published in {_shown(language)}; it is in {listed}")
    if pinned is not None and pinned != language:
        raise InputError(f"{_shown(name)} is the text in {pinned}, not {language}; name one of the two")
    return (language,)


def _named_twice(first: str, second: str) -> str:
    also = "" if first == second else f", as {_shown(first)} and as {_shown(second)}"
    return f"a law was named twice{also or f': {_shown(first)}'}; name each law once"


def _shown(name: str) -> str:
    return name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"
