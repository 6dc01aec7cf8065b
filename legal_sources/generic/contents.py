"""The contents list of a web page, as an oracle: which articles the page must hold.

A contents list is links within the page whose words are the heading of an article. Where the last of them
lead nowhere, the page was saved or served without its end, however well its markup is closed. One that leads
nowhere between others is a slip of the page.
"""

from __future__ import annotations

from itertools import takewhile

from lxml import etree

from claimrag.legal_sources.generic.grammar import Role, classify
from claimrag.legal_sources.generic.lines import Line
from claimrag.legal_sources.markup import text_content
from claimrag.legal_sources.parsed import Problem

LOST_AT_THE_END = 3
"""So many of the last links must lead nowhere."""


def missing_end(root: etree._Element) -> list[Problem]:
    """The problem `truncated` when the contents list goes on after the last article of the page."""
    targets = {element.get(name) for element in root.iter(etree.Element) for name in ("id", "name")}
    entries = [
        (" ".join(text_content(link).split()), (link.get("href") or "")[1:] in targets)
        for link in root.iter("a")
        if (link.get("href") or "").startswith("#")
    ]
    articles = [entry for entry in entries if classify([Line(entry[0])])[0].role is Role.ARTICLE]
    lost = list(takewhile(lambda entry: not entry[1], reversed(articles)))
    if len(lost) < LOST_AT_THE_END or len(lost) == len(articles):
        return []
    first = lost[-1][0][:60]
    detail = f"the last {len(lost)} articles of its contents list, from '{first}' on, are not on the page"
    return [Problem(code="truncated", detail=f"{detail}; fetch the law again")]
