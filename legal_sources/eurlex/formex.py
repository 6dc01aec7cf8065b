"""Formex 4: consolidated acts (`CONS.ACT`) and acts as published (`ACT`), with their annexes.

Formex names its parts (ARTICLE, PARAG, ALINEA, ITEM), so every unit is recognised by its element, never by its
text. Bibliographic data and deleted text are left out of the act and of the word count.
"""

from __future__ import annotations

from datetime import date, datetime

from lxml import etree

from claimrag.legal_sources import health
from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.eurlex.act_writer import ActWriter
from claimrag.legal_sources.eurlex.formex_body import FormexBody
from claimrag.legal_sources.eurlex.formex_text import FormexText, deleted_elements
from claimrag.legal_sources.eurlex.identity import head_of_act
from claimrag.legal_sources.eurlex.provisions import ProvisionWriter
from claimrag.legal_sources.markup import Document, local_name
from claimrag.legal_sources.parsed import ParsedAct, Problem
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.errors import UnrecognisedLayoutError

LAYOUT = "eurlex-formex"

_ROOTS = frozenset(("CONS.ACT", "ACT", "CONS.DOC"))
_BIBLIOGRAPHY = frozenset(
    (
        "INFO.CONSLEG",
        "INFO.PROD",
        "BIB.INSTANCE",
        "FAM.COMP",
        "BIB.DATA",
        "GR.MOD.ACT",
        "GR.CORRIG",
        "PROLOG",
        "TOC",
    )
)
_INLINE = frozenset(
    (
        "HT",
        "DATE",
        "QUOT.START",
        "QUOT.END",
        "REF.DOC",
        "REF.DOC.OJ",
        "FT",
        "LINK",
        "IE",
        "REF.NOTE",
        "ADDR",
        "MARGIN",
    )
)


def recognises(document: Document) -> bool:
    """Whether the root is that of a Formex act."""
    return local_name(document.root) in _ROOTS


def parse(document: Document) -> ParsedAct:
    """Parse the act; its processing instructions mark deletions."""
    root = document.root
    deleted = deleted_elements(root)
    builder = TreeBuilder()
    text = FormexText(builder, deleted)
    writer = ActWriter(builder, ProvisionWriter(builder))
    body = FormexBody(writer, text)
    inner = root.find("CONS.DOC")
    body.act(inner if inner is not None else root)
    builder.close_to(0)
    text.write_notes()
    if deleted and not writer.articles:
        raise UnrecognisedLayoutError(
            f"{document.origin}: every article is marked as repealed or deleted on this date; "
            "give the last consolidated version before the repeal"
        )
    consolidated = local_name(root) != "ACT"
    notes = [] if writer.articles else [Problem(code="no_articles", detail="the act has no article")]
    head, missing = head_of_act(
        document,
        layout=LAYOUT,
        title_lines=writer.title_lines,
        language=_language(root),
        version_date=_version_date(root, consolidated),
        consolidated=consolidated,
        celex=_celex(root),
    )

    def is_chrome(element: etree._Element) -> bool:
        return element.tag in _BIBLIOGRAPHY or element in deleted

    visible = health.visible_text(root, is_chrome, _INLINE)
    return assemble(builder, head, document, visible, [*missing, *notes, *writer.provisions.unplaced])


def _language(root: etree._Element) -> str | None:
    element = next(root.iter("LG.DOC"), None)
    if element is None:
        element = next(root.iter("LG.OJ"), None)
    text = (element.text or "").strip().lower() if element is not None else ""
    return text if len(text) == 2 else None


def _celex(root: etree._Element) -> str | None:
    """The CELEX number that the bibliographic data of the basic act give."""
    element = next(root.iter("NO.CELEX"), None)
    text = (element.text or "").strip() if element is not None else ""
    return text if text[:1] == "3" and text.isalnum() else None


def _version_date(root: etree._Element, consolidated: bool) -> date | None:
    """Date from which the consolidated text stands, or date of the Official Journal."""
    info = root.find("INFO.CONSLEG")
    if consolidated and info is not None:
        found = _iso(info.get("START.DATE"))
        if found:
            return found
    reference = next(root.iter("DOCUMENT.REF"), None)
    sibling = reference.getnext() if reference is not None else None
    if sibling is not None and sibling.tag == "DATE":
        return _iso(sibling.get("ISO"))
    element = next(root.iter("DATE"), None)
    return _iso(element.get("ISO")) if element is not None else None


def _iso(value: str | None) -> date | None:
    try:
        return datetime.strptime(value or "", "%Y%m%d").date()  # noqa: DTZ007 - a date has no zone
    except ValueError:
        return None
