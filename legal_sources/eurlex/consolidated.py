"""Consolidated texts of EUR-Lex, with ELI subdivisions or flat, recognised by `title-article-norm` headings.

The front page (reference, disclaimer, table of amending acts) and the amendment marks are page furniture.
Consolidated texts since 2004 carry no recitals. A text that is only a notice of repeal is refused elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date

from lxml import etree

from claimrag.legal_sources import health
from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.eurlex.classes import FURNITURE_CLASSES
from claimrag.legal_sources.eurlex.flat_page import FlatPage
from claimrag.legal_sources.eurlex.flow import css_class
from claimrag.legal_sources.eurlex.identity import head_of_act, pointed_date
from claimrag.legal_sources.eurlex.notes import is_amendment_mark
from claimrag.legal_sources.eurlex.page_frame import act_frame
from claimrag.legal_sources.markup import Document, text_content
from claimrag.legal_sources.parsed import ParsedAct

LAYOUT = "eurlex-consolidated"

_REFERENCE = re.compile(
    r"(?P<celex>[0-3]?\d{4}[A-Z]{1,2}\d{4})\s*[—–-]\s*(?P<language>[A-Z]{2})\s*[—–-]\s*(?P<date>\d{2}\.\d{2}\.\d{4})"
)
_ARTICLE_CLASS = re.compile(rb"""class=["']title-article-norm["']""")
"""The line that names an article; what an amending act quotes has other classes."""
_CHROME_TAGS = ("head", "script", "style", "noscript", "hr")


@dataclass(frozen=True)
class Reference:
    """The line that heads a consolidated text: the act, the language, the date of consolidation."""

    celex: str
    language: str
    consolidated_on: date | None


def reference_of(root: etree._Element) -> Reference | None:
    """The reference line ("02016R0679 — EN — 04.05.2016 — 000.002"), or the same in the page's title."""
    for element in root.iter("p", "title"):
        text = " ".join(text_content(element).split())
        match = _REFERENCE.search(text) if len(text) < 120 else None
        if match:
            celex = match.group("celex")
            celex = f"3{celex[-9:]}" if celex[-5].isalpha() and len(celex) >= 9 else celex
            return Reference(celex, match.group("language").lower(), pointed_date(match.group("date")))
    return None


def recognises(document: Document) -> bool:
    """Whether the page has article headings of a consolidated text."""
    return document.root.tag == "html" and any(
        css_class(element) == "title-article-norm" for element in document.root.iter("p")
    )


def front_page(root: etree._Element) -> frozenset[etree._Element]:
    """Everything up to the second rule of the page: reference, disclaimer, amending acts; and the page head."""
    furniture: set[etree._Element] = set(root.iter(*_CHROME_TAGS))
    children = list(act_frame(root))
    rules = [index for index, child in enumerate(children) if child.tag == "hr"]
    if len(rules) >= 2:
        furniture.update(children[: rules[1] + 1])
    return frozenset(furniture)


def parse(document: Document) -> ParsedAct:
    """Parse the consolidated text."""
    root = document.root
    furniture = front_page(root)
    page = FlatPage(root, furniture, consolidated=True)
    frame = act_frame(root)
    page.walk(frame)
    page.builder.close_to(0)
    page.notes.write()
    reference = reference_of(root)
    head, notes = head_of_act(
        document,
        layout=LAYOUT,
        title_lines=page.writer.title_lines,
        language=reference.language if reference else None,
        version_date=reference.consolidated_on if reference else None,
        consolidated=True,
        celex=reference.celex if reference else None,
    )

    left_out = furniture | page.notes.calls

    def is_chrome(element: etree._Element) -> bool:
        return element in left_out or css_class(element) in FURNITURE_CLASSES or is_amendment_mark(element)

    visible = health.visible_text(frame, is_chrome)
    problems = [*notes, *page.provisions.unplaced, *page.notes.problems]
    parsed = assemble(page.builder, head, document, visible, problems)
    named = len(_ARTICLE_CLASS.findall(document.raw))
    missed = health.missed_articles(named, parsed.units)
    return replace(parsed, health=health.with_problems(parsed.health, missed))
