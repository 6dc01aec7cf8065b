"""How the per-article reference beside the five codes reads a law, rule by rule, and how it reads without its losses.

The reference (`lex-articles.fr.json`, by "lex derive", profile akn-lu/1) prints the same XML as Markdown.
`REFERENCE` prints each of its articles byte for byte, so all its rules are known, and among them the three that
lose text of the law or add to it. `WHOLE` is the same reading without these and without Markdown's emphasis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lxml import etree

from claimrag.legal_sources.markup import local_name

_EMPHASIS = {"b": "**", "i": "*"}
_SPACE_IN_NUMBER = re.compile(r"\s+(?=\**\))|(?<=\d)\s+(?=er\b)")


@dataclass(frozen=True)
class Reading:
    """Rules by which an article's XML becomes Markdown; `DEFECTS` and `SPACED_NUMBERS` say what each does."""

    drops_words_in_list_items: bool
    keeps_struck_out_words: bool
    drops_space_between_elements: bool
    keeps_spaces_in_numbers: bool
    markdown: bool
    """Stars and tables are printed as Markdown; without it they are not, and a quoted list keeps its dashes."""

    def article(self, article: etree._Element) -> str:
        """What the article prints below its number and heading."""
        parts = (part for part in _children(article) if local_name(part) not in ("num", "heading"))
        return "\n\n".join(block for part in parts for block in self._blocks(part))

    def without(self, rule: str) -> Reading:
        """The same reading with one rule turned off."""
        return replace(self, **{rule: False})

    def _blocks(self, element: etree._Element) -> list[str]:
        name = local_name(element)
        if name == "del" and not self.keeps_struck_out_words:
            return []
        if name == "paragraph":
            return self._paragraph(element)
        if name == "table":
            return [self._table(element)]
        if name in ("ol", "ul"):
            return ["\n".join(self._items(element))]
        if name in ("p", "heading") or not len(element):
            return [line for line in [self._line(element)] if line]
        return [block for part in _children(element) for block in self._blocks(part)]

    def _paragraph(self, paragraph: etree._Element) -> list[str]:
        num, *parts = _children(paragraph)
        number = self._line(num)
        if not self.keeps_spaces_in_numbers:
            number = _SPACE_IN_NUMBER.sub("", number)
        label = f"**{number}**" if self.markdown else number
        blocks = [block for part in parts for block in self._blocks(part)]
        if not blocks:
            return []
        if blocks[0].startswith(("|", "-", "1.")):
            return [label, *blocks]
        return [f"{label} {blocks[0]}", *blocks[1:]]

    def _items(self, items: etree._Element) -> Iterator[str]:
        keeps_dash = not self.markdown and _stands_in(items, "embeddedStructure")
        for item in items.iterchildren("{*}li"):
            yield f"{'–' if keeps_dash else _marker(item)} {self._item(item)}"

    def _item(self, item: etree._Element) -> str:
        if self.drops_words_in_list_items:
            blocks = [block for part in _children(item) for block in self._blocks(part)]
            return " ".join(blocks) if blocks else self._line(item)
        blocks, run = [], [self._kept(item.text)]
        for part in item:
            if local_name(part) in ("p", "ol", "ul", "embeddedStructure"):
                blocks += [_collapsed("".join(run)), *self._blocks(part)]
                run.clear()
            else:
                run.append(self._printed(part))
            run.append(self._kept(part.tail))
        return " ".join(block for block in [*blocks, _collapsed("".join(run))] if block)

    def _table(self, table: etree._Element) -> str:
        rows = [[self._line(cell) for cell in row.iterchildren("{*}td")] for row in table.iter("{*}tr")]
        if not self.markdown:
            return "\n".join(cell for row in rows for cell in row)
        width = max(map(len, rows))
        lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
        return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])

    def _line(self, element: etree._Element) -> str:
        return _collapsed(self._inside(element))

    def _inside(self, element: etree._Element) -> str:
        inside = [self._kept(element.text)]
        for part in element:
            inside += [self._printed(part), self._kept(part.tail)]
        return "".join(inside)

    def _printed(self, element: etree._Element) -> str:
        name = local_name(element)
        if _is_publishers(element) or (name == "del" and not self.keeps_struck_out_words):
            return ""
        if name == "br" and not self.drops_space_between_elements:
            return " "
        if name == "ref" and self.drops_space_between_elements:
            return _collapsed("".join(self._kept(str(text)) for text in element.itertext()))
        stars = _EMPHASIS.get(name, "") if self.markdown else ""
        return f"{stars}{self._inside(element)}{stars}"

    def _kept(self, text: str | None) -> str:
        return "" if text is None or (self.drops_space_between_elements and not text.strip()) else text


DEFECTS = {
    "drops_words_in_list_items": "a list item that holds elements (links, raised letters) is printed without"
    " the words beside them",
    "keeps_struck_out_words": "words that an amendment struck out (`del`) are printed",
    "drops_space_between_elements": "white space that alone parts two elements, or ends a link, is lost:"
    " words run together",
}
"""The rules by which the reference loses text of the law or adds to it, and what they do."""
SPACED_NUMBERS = "keeps_spaces_in_numbers"
"""The rule that a paragraph's number keeps the editor's spaces: "(1 bis )" where we print "(1 bis)"."""
REFERENCE = Reading(True, True, True, True, True)
WHOLE = Reading(False, False, False, False, False)


def articles_of(root: etree._Element) -> list[etree._Element]:
    """The articles of the act itself, annexes left out, in document order."""
    return [
        each for each in root.iter("{*}article") if next(each.iterancestors("{*}attachment"), None) is None
    ]


def markers_of(article: etree._Element) -> list[str]:
    """What the reference prints before each list item of the law itself: "2.", "-", nothing in a table's cell."""
    items = [item for item in article.iter("{*}li") if not _stands_in(item, "embeddedStructure")]
    return ["" if _stands_in(item, "table") else _marker(item) for item in items]


def _marker(item: etree._Element) -> str:
    before = item.itersiblings(str(item.tag), preceding=True)
    return f"{len(list(before)) + 1}." if next(item.iterancestors("{*}ol"), None) is item.getparent() else "-"


def _stands_in(element: etree._Element, name: str) -> bool:
    return next(element.iterancestors(f"{{*}}{name}"), None) is not None


def _children(element: etree._Element) -> list[etree._Element]:
    return [part for part in element if not _is_publishers(part)]


def _is_publishers(element: etree._Element) -> bool:
    """Whether the element is a description by the publisher (`scl:`), which is not printed."""
    return str(element.tag).startswith("{http://www.scl.lu}")


def _collapsed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
