"""Akoma Ntoso text runs: which elements are inside a line, which are metadata, and a heading's plain text.

The publisher's own `scl:` elements (work descriptions, index terms) hold text that is no part of the law.
"""

from __future__ import annotations

from lxml import etree

from claimrag.legal_sources.markup import local_name

_INLINE_NAMES = (
    "a abbr affectedDocument authorialNote b br date def docAuthority docDate docNumber docPurpose docTitle docType"
    " embeddedText eop i img inline ins location mod mref noteRef num organization person placeholder"
    " quantity ref remark rref shortTitle signature span strike sub sup term u"
)
INLINE = frozenset(_INLINE_NAMES.split())
"""Elements that stand inside a line of text; `num` and `heading` are read apart where they are labels."""

_METADATA_NAMES = (
    "identification publication classification lifecycle workflow analysis temporalData references"
    " presentation proprietary otherAnalysis del"
)
NOT_LAW = frozenset(_METADATA_NAMES.split())
"""Akoma Ntoso metadata, and `del`: words that an amendment struck out and the editors still show.

`notes` are not among them, for they are printed."""


def is_metadata(element: etree._Element) -> bool:
    """Elements whose text is no part of the law: the publisher's `scl:` elements and Akoma Ntoso metadata."""
    name = local_name(element)
    return not name or str(element.tag).startswith("{http://www.scl.lu}") or name in NOT_LAW


def plain_text(element: etree._Element | None) -> str:
    """The law's text in `element`, white space collapsed, metadata left out; "" for None."""
    if element is None:
        return ""
    pieces: list[str] = []
    _collect(element, pieces)
    return " ".join("".join(pieces).split())


def note_keys(element: etree._Element | None) -> list[str]:
    """The keys of the notes that are called inside `element`, in order."""
    if element is None:
        return []
    return [called.get("href", "").lstrip("#") for called in element.iter("{*}noteRef")]


def child(element: etree._Element, name: str) -> etree._Element | None:
    """The first child of that local name, in whatever namespace."""
    return next((each for each in element if local_name(each) == name), None)


def _collect(element: etree._Element, pieces: list[str]) -> None:
    pieces.append(element.text or "")
    for each in element:
        if not is_metadata(each):
            inline = local_name(each) in INLINE and local_name(each) != "br"
            pieces.append("" if inline else " ")
            _collect(each, pieces)
            pieces.append("" if inline else " ")
        pieces.append(each.tail or "")
