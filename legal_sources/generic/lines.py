"""A web page as the lines a reader sees, with what marks them: heading level, anchors, place in a table.

Read with BeautifulSoup over lxml, which copes with unclosed tags and upper-case markup. Navigation, scripts,
forms and what is not printed are left out. Nothing is recognised here; see `grammar`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PreformattedString
from lxml import etree

from claimrag.legal_sources.markup import Document, local_name

_XML_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_TAGS = (
    "script style noscript template nav header footer aside form button select option input textarea svg iframe"
    " object head title meta link"
)
CHROME_TAGS = frozenset(_TAGS.split())
_CLASSES = (
    "no-print noprint menu nav navbar navigation breadcrumb breadcrumbs footer header sidebar side-bar toc"
    " cookie cookies share social print-hidden visually-hidden sr-only skip-link"
)
CHROME_CLASSES = frozenset(_CLASSES.split())
_INLINE = (
    "a abbr acronym b bdo big cite code del dfn em font i ins kbd label mark q s samp small span strike strong sub"
    " sup tt u var"
)
INLINE_TAGS = frozenset(_INLINE.split())


@dataclass
class Line:
    """One printed line. `level` is 1-6 in a heading, else 0; `anchors` are the names that links can point to."""

    text: str
    level: int = 0
    anchors: tuple[str, ...] = ()


@dataclass
class _Reader:
    rewrite: Callable[[Tag], str | None]
    lines: list[Line] = field(default_factory=list)
    run: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    level: int = 0

    def flush(self) -> None:
        text = " ".join("".join(self.run).split())
        self.run.clear()
        if text:
            self.lines.append(Line(text, self.level, tuple(self.anchors)))
            self.anchors.clear()

    def read(self, element: Tag) -> None:
        for node in element.children:
            if isinstance(node, PreformattedString):
                continue
            if isinstance(node, NavigableString):
                self.run.append(str(node))
            elif isinstance(node, Tag) and not _hidden(node):
                self.tag(node)

    def tag(self, node: Tag) -> None:
        replaced = self.rewrite(node)
        if replaced is not None:
            self.run.append(replaced)
            return
        anchor = node.get("name") if node.name == "a" else node.get("id")
        if isinstance(anchor, str) and anchor:
            self.anchors.append(anchor)
        if node.name in INLINE_TAGS:
            self.read(node)
            return
        self.flush()
        outer = self.level
        if len(node.name) == 2 and node.name[0] == "h" and node.name[1] in "123456":
            self.level = int(node.name[1])
        self.read(node)
        self.flush()
        self.level = outer


def soup_of(document: Document) -> BeautifulSoup:
    """The page as a BeautifulSoup tree, decoded as `legal_sources.markup` found it to be encoded."""
    text = document.raw.decode(document.encoding, errors="replace").lstrip("\ufeff")
    return BeautifulSoup(_XML_DECLARATION.sub("", text, count=1), "lxml")


def lines_of(elements: Iterable[Tag], rewrite: Callable[[Tag], str | None] = lambda _: None) -> list[Line]:
    """The printed lines of `elements` in order; `rewrite` may replace an element by a text of its own."""
    reader = _Reader(rewrite)
    for element in elements:
        reader.read(element)
        reader.flush()
    return reader.lines


def main_element(soup: BeautifulSoup) -> Tag:
    """The part of the page that holds its content: `main`, an element of that role, else the body."""
    for found in (soup.find("main"), soup.select_one("[role=main]"), soup.body):
        if isinstance(found, Tag) and len(found.get_text()) > 200:
            return found
    return soup


def is_chrome(element: etree._Element) -> bool:
    """The same rule for lxml elements, by which the words of the source are counted."""
    if local_name(element).lower() in CHROME_TAGS or not isinstance(element.tag, str):
        return True
    return _chrome_class((element.get("class") or "").split()) or element.get("hidden") is not None


def _hidden(node: Tag) -> bool:
    classes = node.get("class")
    tokens = classes if isinstance(classes, list) else (classes or "").split()
    return node.name in CHROME_TAGS or _chrome_class(tokens) or node.get("hidden") is not None


def _chrome_class(tokens: Iterable[str]) -> bool:
    return any(token.lower() in CHROME_CLASSES for token in tokens)
