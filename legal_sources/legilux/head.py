"""Who published which law, for which date: read from Legilux metadata, never from file names.

`work` is the law's ELI path without its beginning (`loi-1807-09-15-n2`); a code that is a member of a law
takes the number of that law. Dates of the year 2999 are the publisher's placeholders and mean "unknown".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date

from lxml import etree

from claimrag.legal_sources.legilux.inline import plain_text
from claimrag.legal_sources.markup import Document
from claimrag.legal_sources.parsed import UNKNOWN_DATE, ActHead

LAYOUT = "legilux-akn"
LEGILUX_LICENCE = "CC-BY-4.0"
LEGILUX_ATTRIBUTION = "Legilux, Ministère d’État, Service central de législation, Grand-Duché de Luxembourg"

_SCL = "{http://www.scl.lu}"
_LANGUAGES = {"FRA": "fr", "DEU": "de", "ENG": "en", "LTZ": "lb"}
_ELI = re.compile(r"eli/etat/leg/([A-Za-z0-9_/-]+)")
_VERSION_PART = re.compile(r"/(?:jo|consolide|fr|de|xml|pdf|\d{8})(?:/.*)?$")
_ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
PLACEHOLDER_YEAR = 2999
"""Editors write the year 2999 where a date is not known yet."""
_DATES_OF_CONSOLIDATED = ("dateApplicability", "dateEntryInForce", "publicationDate", "dateDocument")
_DATES_OF_ADOPTED = ("publicationDate", "dateDocument", "dateEntryInForce", "dateApplicability")


def read_head(document: Document) -> ActHead:
    """The identity of the act in `document`, an Akoma Ntoso file of Legilux."""
    act = next(iter(document.root), document.root)
    identification = next(document.root.iter("{*}identification"), None)
    facts = _facts(identification)
    title = _title(act, facts)
    consolidated = any("Consolidation" in value for value in facts["type"]) or any(
        "version consolidée" in value.casefold() for value in (title, *facts["title"])
    )
    eli = _eli(act, identification, facts)
    licence = _licence(_first(facts, "license"))
    return ActHead(
        publisher="lu",
        work=_work(facts, eli, document.raw_sha256),
        title=title,
        short_title=_first(facts, "titleShort"),
        language=_language(identification, facts),
        version_date=_version_date(identification, facts, consolidated),
        consolidated=consolidated,
        layout=LAYOUT,
        licence=licence,
        attribution=_attribution(licence, facts),
        eli=eli,
    )


def article_date(article: etree._Element) -> date | None:
    """From when this version of the article applies, as the publisher states it inside the article."""
    described = next((each for each in article if each.tag == f"{_SCL}JOLUXWork"), None)
    if described is None:
        return None
    for fact in described.iter(f"{_SCL}jolux"):
        if fact.get(f"{_SCL}name") == "dateApplicability":
            return _date(fact.text)
    return None


def work_is_known(head: ActHead) -> bool:
    """False when the work had to be named by the hash of its bytes."""
    return not head.work.startswith("unknown-")


def _title(act: etree._Element, facts: Mapping[str, list[str]]) -> str:
    """The printed title; the metadata's where the printed one is a list, whose markers it would lack."""
    printed = next(act.iter("{*}longTitle"), None)
    declared = (_first(facts, "title") or act.get("name") or "").replace("\\n", " ")
    if printed is not None and (not declared or next(printed.iter("{*}ol", "{*}ul"), None) is None):
        return plain_text(printed) or declared
    return declared


def _facts(identification: etree._Element | None) -> dict[str, list[str]]:
    """The publisher's statements about the act (not about its articles), by name, in order."""
    facts: dict[str, list[str]] = defaultdict(list)
    for fact in _statements(identification):
        if fact.text and fact.text.strip():
            facts[fact.get(f"{_SCL}name", "")].append(" ".join(fact.text.split()))
    return facts


def _statements(identification: etree._Element | None) -> Iterator[etree._Element]:
    return iter(()) if identification is None else identification.iter(f"{_SCL}jolux", f"{_SCL}rdf")


def _first(facts: Mapping[str, list[str]], name: str) -> str | None:
    return next(iter(facts.get(name, ())), None)


def _eli(
    act: etree._Element, identification: etree._Element | None, facts: Mapping[str, list[str]]
) -> str | None:
    addresses = [act.get(f"{_SCL}uri") or "", _first(facts, "uriThis") or ""]
    if identification is not None:
        addresses += [each.get("value") or "" for each in identification.iter("{*}FRBRthis")]
    for address in addresses:
        match = _ELI.search(address)
        if match:
            return f"http://data.legilux.public.lu/eli/etat/leg/{_VERSION_PART.sub('', match.group(1))}"
    return None


def _work(facts: Mapping[str, list[str]], eli: str | None, raw_sha256: str) -> str:
    for address in (*facts.get("isMemberOf", ()), eli or ""):
        match = _ELI.search(address)
        if match:
            return _VERSION_PART.sub("", match.group(1)).strip("/").replace("/", "-")
    return f"unknown-{raw_sha256[:12]}"


def _language(identification: etree._Element | None, facts: Mapping[str, list[str]]) -> str:
    declared = [*facts.get("language", ())]
    if identification is not None:
        declared += [each.get("language", "") for each in identification.iter("{*}FRBRlanguage")]
    for value in declared:
        code = str(value).rpartition("/")[2]
        if code:
            return _LANGUAGES.get(code.upper(), code.lower())
    return "fr"


def _version_date(
    identification: etree._Element | None, facts: Mapping[str, list[str]], consolidated: bool
) -> date:
    for name in _DATES_OF_CONSOLIDATED if consolidated else _DATES_OF_ADOPTED:
        declared = _date(_first(facts, name))
        if declared:
            return declared
    if identification is not None:
        for each in identification.iter("{*}FRBRdate"):
            declared = _date(each.get("date"))
            if declared:
                return declared
    return UNKNOWN_DATE


def _date(text: str | None) -> date | None:
    match = _ISO_DATE.match(text or "")
    if not match or int(match.group(1)) >= PLACEHOLDER_YEAR:
        return None
    try:
        return date(int(match.group(1)), int(match.group(2)), int(match.group(3)))
    except ValueError:
        return None


def _attribution(licence: str, facts: Mapping[str, list[str]]) -> str:
    declared = _first(facts, "rights") if licence != LEGILUX_LICENCE else None
    return declared or LEGILUX_ATTRIBUTION


def _licence(address: str | None) -> str:
    if address and "publicdomain/zero" in address:
        return "CC0-1.0"
    return LEGILUX_LICENCE
