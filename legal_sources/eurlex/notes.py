"""Footnotes of EUR-Lex HTML: which elements call one, which hold one, and which page marks are neither text.

A call is `<a href="#ntr1-...">` and its note `<p class="note"><a id="ntr1-...">` in the Official Journal;
consolidated texts use `#E0001` and `p.footnote`. A call to a note that is not there stays as printed.
"""

from __future__ import annotations

import re

from lxml import etree

from claimrag.legal_sources.eurlex.flow import css_class, inline_text
from claimrag.legal_sources.markup import text_content
from claimrag.legal_sources.parsed import Problem
from claimrag.legal_sources.tree import TreeBuilder, normalise

_AMENDMENT_MARK = re.compile(r"[►▼ ]?\s?[A-Z]{1,3}\d{0,3}")
_NOTE_CLASSES = frozenset(("note", "footnote"))
_LABEL = re.compile(r"\s*(\(?\s*(?P<number>[0-9]{1,4}[a-z]?|\*+\d*|[a-z])\s*\)?)\s*")


class FootnoteReader:
    """Finds the notes of a page once, then answers for each element; hands notes to the builder at the end.

    `calls` are the elements that became call marks: their text stands in the source, not in the act.
    """

    def __init__(self, builder: TreeBuilder, root: etree._Element) -> None:
        self._builder = builder
        self._keys: dict[etree._Element, str] = {}
        self._bodies: dict[str, dict[etree._Element, str]] = {}
        self._missing: set[str] = set()
        self.calls: set[etree._Element] = set()
        self._last_key: str | None = None
        self.problems: list[Problem] = []
        seen: set[etree._Element] = set()
        for anchor in root.iter("a"):
            # A note holds an anchor; the paragraphs around the anchors are few.
            for element in anchor.iterancestors("p", "div"):
                if element in seen:
                    break
                seen.add(element)
                key = self._key_of(element)
                if key is not None:
                    self._keys[element] = key
        self._known = frozenset(self._keys.values())

    @staticmethod
    def _key_of(element: etree._Element) -> str | None:
        """The key of the note that `element` is; None when it is no note."""
        name = css_class(element)
        is_note = name in _NOTE_CLASSES or (
            name == "tbl-norm" and len(element) > 0 and (element[0].get("id") or "").startswith("E0")
        )
        if element.tag == "div" and not is_note:
            return None
        if not is_note and (len(element) == 0 or element[0].tag != "a"):
            return None
        for anchor in element.iter("a"):
            href = anchor.get("href") or ""
            if href.startswith("#src."):
                return href[len("#src.") :]
            if is_note and (anchor.get("id") or anchor.get("name")):
                return anchor.get("id") or anchor.get("name")
        return None

    def call(self, element: etree._Element) -> str | None:
        """A call mark for an element that calls a note; "" for a note, which is kept; None for the rest."""
        if element in self._keys:
            self.take(element, css_class(element))
            return ""
        if element.tag != "a":
            return None
        if is_amendment_mark(element):
            return ""
        href = element.get("href") or ""
        if not href.startswith("#") or element.get("id") in self._known:
            return None
        key = href[1:]
        if key in self._known:
            self.calls.add(element)
            return self._builder.call(key)
        if key.startswith(("ntr", "E00")) and key not in self._missing:
            self._missing.add(key)
            self.problems.append(
                Problem(
                    code="call_without_footnote",
                    detail=f"{normalise(inline_text(element, _no_call))} at {href}",
                )
            )
        return None

    def take(self, element: etree._Element, name: str) -> bool:
        """Keep `element` if it is a note; a note paragraph without its own anchor goes on with the last."""
        key = self._keys.get(element)
        if key is None:
            if name not in _NOTE_CLASSES or element.tag != "p" or self._last_key is None:
                return False
            key = self._last_key
        self._bodies.setdefault(key, {})[element] = inline_text(element, _no_call)
        self._last_key = key
        return True

    def write(self) -> None:
        """Give the builder every note that was taken, in order."""
        for key, bodies in self._bodies.items():
            text = " ".join(bodies.values())
            match = _LABEL.match(text)
            label = re.sub(r"\s", "", match.group(1)) if match else None
            number = match.group("number") if match else None
            self._builder.footnote(
                key, number=number, label=label, text=text[match.end() :] if match else text
            )


def is_amendment_mark(element: etree._Element) -> bool:
    """Whether `element` is the arrow that tells which act amended the text after it ("►M1", "▼B")."""
    if element.tag != "a" or not (element.get("title") or "")[:1].isdigit():
        return False
    text = text_content(element).strip()
    return bool(_AMENDMENT_MARK.fullmatch(text))


def _no_call(_element: etree._Element) -> str | None:
    return None
