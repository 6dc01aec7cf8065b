"""Akoma Ntoso of other publishers (French Senate, European institutions), in whatever namespace.

Reads the standard's own vocabulary only. The identity comes from FRBR metadata; no licence stands there.
"""

from __future__ import annotations

import re
from datetime import date

from lxml import etree

from claimrag.legal_sources.articles.language import guess_language
from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.health import words_in_tree
from claimrag.legal_sources.legilux.akoma_ntoso import write_act
from claimrag.legal_sources.legilux.body import BodyWriter
from claimrag.legal_sources.legilux.head import PLACEHOLDER_YEAR
from claimrag.legal_sources.legilux.inline import INLINE, is_metadata, plain_text
from claimrag.legal_sources.markup import Document, local_name
from claimrag.legal_sources.parsed import UNKNOWN_DATE, ActHead, ParsedAct, Problem
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.errors import UnrecognisedLayoutError

LAYOUT = "akoma-ntoso"
_ACTS = frozenset(("act", "bill", "doc", "documentCollection"))
_LANGUAGES = {"eng": "en", "fra": "fr", "deu": "de", "nld": "nl", "ger": "de", "fre": "fr"}


def recognises(document: Document) -> bool:
    """An `akomaNtoso` root that Legilux's parser did not take."""
    return local_name(document.root) == "akomaNtoso"


def parse(document: Document) -> ParsedAct:
    """Parse the act or bill; UnrecognisedLayoutError when it has neither body nor articles."""
    act = next((each for each in document.root if local_name(each) in _ACTS), None)
    if act is None or next(act.iter("{*}article", "{*}body", "{*}mainBody"), None) is None:
        raise UnrecognisedLayoutError(
            f"{document.origin}: Akoma Ntoso without an act and its body; give the act itself"
        )
    builder = TreeBuilder()
    head, notes = _head(document, act)
    counted = words_in_tree(document.root, _not_counted, INLINE - {"authorialNote"})
    write_act(builder, BodyWriter(builder), act)
    return assemble(builder, head, document, counted, notes)


def _not_counted(element: etree._Element) -> bool:
    """Metadata, and the numbers of alineas, which the text of the alinea prints again."""
    above = element.getparent()
    repeated = local_name(element) == "num" and above is not None and local_name(above) == "alinea"
    return repeated or is_metadata(element)


def _head(document: Document, act: etree._Element) -> tuple[ActHead, list[Problem]]:
    notes: list[Problem] = []
    work = _value(act, "FRBRWork", "FRBRthis") or _value(act, "FRBRWork", "FRBRuri") or ""
    parts = [part for part in re.split(r"[/!@]+", work) if part not in ("", "akn", "main", "xml")]
    country = _value(act, "FRBRWork", "FRBRcountry") or (parts[0] if parts else "")
    name = re.sub(r"[^A-Za-z0-9-]+", "-", "-".join(part for part in parts if part != country)).strip("-")
    if not name:
        name = f"unknown-{document.raw_sha256[:12]}"
        notes.append(Problem(code="work_unknown", detail="no FRBR identifier in the metadata"))
    language = _language(act)
    if language is None:
        language = guess_language(plain_text(act))
        detail = f"no language in the metadata; taken as {language or 'en'} from its words"
        notes.append(Problem(code="language_unknown", detail=detail))
    return (
        ActHead(
            publisher=re.sub(r"[^a-z0-9-]+", "-", country.lower()).strip("-") or "other",
            work=name,
            title=_title(act) or name,
            language=language or "en",
            version_date=_date(act),
            consolidated=False,
            layout=LAYOUT,
            licence="not stated",
            attribution="not stated",
        ),
        notes,
    )


def _title(act: etree._Element) -> str:
    for name in ("docTitle", "longTitle"):
        title = plain_text(next(act.iter(f"{{*}}{name}"), None))
        if title:
            return title
    return next((each.get("value", "") for each in act.iter("{*}FRBRalias", "{*}FRBRname")), "")


def _value(act: etree._Element, level: str, name: str) -> str | None:
    for each in act.iter(f"{{*}}{level}"):
        for value in each.iter(f"{{*}}{name}"):
            return value.get("value")
    return None


def _language(act: etree._Element) -> str | None:
    for each in act.iter("{*}FRBRlanguage"):
        code = each.get("language", "").rpartition("/")[2].lower()
        if code:
            return _LANGUAGES.get(code, code[:2])
    return None


def _date(act: etree._Element) -> date:
    for level in ("FRBRExpression", "FRBRWork"):
        for each in act.iter(f"{{*}}{level}"):
            for value in each.iter("{*}FRBRdate"):
                try:
                    declared = date.fromisoformat(value.get("date", "")[:10])
                except ValueError:
                    continue
                if declared.year < PLACEHOLDER_YEAR:
                    return declared
    return UNKNOWN_DATE
