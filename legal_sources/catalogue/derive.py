"""Names of laws in their many spellings, and entries for laws that the catalogue does not list.

CELEX numbers, EU and Luxembourg ELIs, and the publishers' page addresses become one key; a key that is not
listed becomes an entry with what the identifier itself says and nothing more.
"""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from claimrag.legal_sources.catalogue.entries import CatalogueEntry, LawVersion, Publisher

EU_HOSTS = ("eur-lex.europa.eu", "publications.europa.eu", "data.europa.eu")
LU_HOSTS = ("legilux.public.lu", "data.legilux.public.lu")
_CELEX = re.compile(
    r"^(?:CELEX:)?(?P<sector>[0-9CE])(?P<body>\d{4}[A-Z]{1,2}\d{4}(?:R?\(\d{2}\))?)(?:-(?P<date>\d{8}))?$",
    re.I,
)
_EU_ELI = re.compile(
    r"^/?eli/(?P<type>reg|dir|dec)(?:_impl|_del)?/(?P<year>\d{4})/(?P<number>\d+)"
    r"(?:/(?P<point>oj|\d{4}-\d{2}-\d{2}))?(?:/(?P<language>[a-z]{2,3}))?",
    re.I,
)
_LU_ELI = re.compile(r"^/?eli/etat/(?P<rest>[a-z0-9_]+(?:/[A-Za-z0-9][A-Za-z0-9_.-]*)+)$")
_LETTER = {"reg": "R", "dir": "L", "dec": "D"}
_LANGUAGES = {"eng": "en", "fra": "fr", "en": "en", "fr": "fr"}


class Name(NamedTuple):
    """A normalised name: a CELEX number in capitals, `eli/etat/...`, or a folded id."""

    key: str
    language: str | None = None


def normalise(name: str) -> Name:
    """One key for every spelling of a law's name; what is not an identifier is folded to an id's spelling."""
    text = unquote(name.strip())
    parts = urlsplit(text)
    if parts.scheme in ("http", "https"):
        return _from_address(parts.hostname or "", parts.path, parts.query) or Name(text)
    celex = _CELEX.match(text)
    if celex:
        return Name(text.upper().removeprefix("CELEX:"))
    path = text.split(":", 1)[-1] if text.lower().startswith("eli:") else text
    return _from_path(path) or Name(text.casefold())


def _from_address(host: str, path: str, query: str) -> Name | None:
    if host in LU_HOSTS:
        return _from_path(path.removeprefix("/filestore"))
    if host not in EU_HOSTS:
        return None
    uri = dict(parse_qsl(query)).get("uri", "")
    if _CELEX.match(uri):
        language = re.search(r"/legal-content/([A-Z]{2})/", path)
        return Name(
            uri.upper().removeprefix("CELEX:"), _LANGUAGES.get(language[1].lower()) if language else None
        )
    celex = re.match(r"^/resource/celex/([^/]+)$", path)
    if celex and _CELEX.match(celex[1]):
        return Name(celex[1].upper())
    return _from_path(path)


def _from_path(path: str) -> Name | None:
    european = _EU_ELI.match(path)
    if european and european["type"].lower() in _LETTER:
        body = f"{european['year']}{_LETTER[european['type'].lower()]}{int(european['number']):04d}"
        point = european["point"]
        celex = f"3{body}" if point in (None, "oj") else f"0{body}-{point.replace('-', '')}"
        return Name(celex, _LANGUAGES.get((european["language"] or "").lower()))
    luxembourgish = _LU_ELI.match(path)
    if luxembourgish is None:
        return None
    segments = luxembourgish["rest"].split("/")
    while segments and (
        segments[-1] in ("xml", "pdf", "html", "docx") or segments[-1].startswith("eli-etat")
    ):
        segments.pop()
    language = segments.pop() if segments and segments[-1] in _LANGUAGES else None
    return Name(f"eli/etat/{'/'.join(segments)}", language)


def derive(name: Name, publishers: dict[str, Publisher]) -> CatalogueEntry | None:
    """An entry for a well-formed CELEX or Luxembourg ELI that is not listed; None for any other name."""
    celex = _CELEX.match(name.key)
    if celex and "eu" in publishers:
        return _from_celex(name.key, celex, publishers["eu"])
    if name.key.startswith("eli/etat/") and "lu" in publishers:
        return _from_luxembourg(name, publishers["lu"])
    return None


def _from_celex(key: str, celex: re.Match[str], publisher: Publisher) -> CatalogueEntry | None:
    point = _date(celex["date"])
    if celex["date"] and point is None:
        return None
    work = f"3{celex['body'].upper()}" if celex["sector"] == "0" else key
    version = LawVersion(
        kind="consolidated" if celex["sector"] == "0" else "as_adopted", date=point, celex=key
    )
    return CatalogueEntry(
        id=re.sub(r"[^a-z0-9]+", "-", work.lower()).strip("-"),
        title=f"CELEX {work}",
        publisher=publisher.id,
        celex=work,
        languages=tuple(publisher.language_codes),
        versions=(version,),
        licence=publisher.licence,
        attribution=publisher.attribution,
    )


def _from_luxembourg(name: Name, publisher: Publisher) -> CatalogueEntry:
    segments = name.key.split("/")
    point = _date(segments[-1])
    work = "/".join(segments[:-1]) if point else name.key
    version = LawVersion(kind="consolidated" if point else "as_adopted", date=point, eli=name.key)
    return CatalogueEntry(
        id=re.sub(r"[^a-z0-9]+", "-", work.removeprefix("eli/etat/").lower()).strip("-")[:80],
        title=f"ELI {work}",
        publisher=publisher.id,
        eli=work,
        languages=("fr",),
        versions=(version,),
        licence=publisher.licence,
        attribution=publisher.attribution,
    )


def _date(digits: str | None) -> date | None:
    if not digits or not re.fullmatch(r"\d{8}", digits):
        return None
    try:
        return date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return None
