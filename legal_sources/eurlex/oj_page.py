"""The furniture of an Official Journal page: its running header, and the lines after the act.

Named page chrome, left out of the text and of the word count: the header table (date, language, title and
number of the issue), the "ELI:" and "ISSN" lines after the act, scripts, styles and the document head.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from lxml import etree

from claimrag.legal_sources.eurlex.flow import css_class
from claimrag.legal_sources.eurlex.identity import pointed_date
from claimrag.legal_sources.markup import text_content

_CHROME_TAGS = ("head", "script", "style", "noscript")


@dataclass(frozen=True)
class PageHeader:
    """Date of publication and language, as the header prints them; None where it does not."""

    published: date | None
    language: str | None


def page_header(root: etree._Element) -> PageHeader:
    """Read the header's date (`hd-date`) and language (`hd-lg`)."""
    published: date | None = None
    language: str | None = None
    for element in root.iter("p"):
        name = css_class(element)
        if name == "hd-date" and published is None:
            published = pointed_date(text_content(element))
        elif name == "hd-lg" and language is None:
            code = text_content(element).strip().lower()
            language = code if len(code) == 2 and code.isalpha() else None
        if published and language:
            break
    return PageHeader(published, language)


def page_furniture(root: etree._Element) -> frozenset[etree._Element]:
    """The elements that are page chrome."""
    furniture = set(root.iter(*_CHROME_TAGS))
    for element in root.iter("p"):
        if "hd-" in (element.get("class") or "") and css_class(element).startswith("hd-"):
            table = next(element.iterancestors("table"), None)
            furniture.add(element if table is None else table)
    for body in root.iter("body"):
        for element in body.iterchildren("p"):
            if css_class(element) == "normal" and _is_after_the_act(text_content(element)):
                furniture.add(element)
    return frozenset(furniture)


def _is_after_the_act(text: str) -> bool:
    return text.strip().startswith(("ELI:", "ISSN ", "ELI :"))
