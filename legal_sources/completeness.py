"""Whether the bytes of a law break off before their end, as a download that was cut off does.

Only what the bytes themselves show counts: a tag, comment or root element that is never closed, a PDF without
its trailer. A text that ends early between two complete lines looks complete, and passes.
Well-formed XML is complete; ask only of markup that is not.
"""

from __future__ import annotations

import re

_SPACE_AND_REMARKS = re.compile(
    rb"""
    (?: \s++                    # white space,
      | <!-- .*? -->            # a comment,
      | <\?  .*? \?>            # a processing instruction, the XML declaration among them,
      | <!DOCTYPE [^>\[]*+ (?: \[ [^\]]*+ \] [^>]*+ )? >
    )*+
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
"""What may stand before the root element."""

_START_TAG = re.compile(rb"<(?P<name>[A-Za-z][\w.:-]*)")
_BEGINS_A_TAG = re.compile(rb"<(?:[/!?]?[A-Za-z]|[/!?]?\s*+\Z)")
_END_OF_PAGE = re.compile(rb"</(?:html|body)\s*>", re.IGNORECASE)
_END_TAG_OPTIONAL = frozenset(
    (
        *("p", "li", "dt", "dd", "td", "th", "tr", "option", "thead", "tbody", "tfoot", "colgroup"),
        *("br", "hr", "img", "meta", "link", "input", "base", "col", "area"),
    )
)
_NEVER_READ = re.compile(
    rb"""
    <(?P<kind> script | style | noscript )\b .*? (?: </(?P=kind)\s*> | \Z )
    | <!-- .*? (?: --> | \Z )
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(rb"<[^>]*+>")


def root_name(raw: bytes) -> str:
    """The name of the first element, as it is written; empty when there is none."""
    prolog = _SPACE_AND_REMARKS.match(raw)
    start = _START_TAG.search(raw, prolog.end() if prolog else 0)
    return start["name"].decode("ascii", errors="replace") if start else ""


def markup_cut_off(raw: bytes) -> str | None:
    """How markup that is not well-formed breaks off (`ends inside a tag`); None when nothing shows it.

    `raw` is in an encoding whose first 128 characters are ASCII. A page may leave out either of the end tags
    of `html` and `body`, and more may follow them; only after `body` alone no text may.
    """
    comment = raw.rfind(b"<!--")
    if comment >= 0 and b"-->" not in raw[comment:] and _END_OF_PAGE.search(raw, comment) is None:
        return "it ends inside a comment"
    opening = raw.rfind(b"<")
    if opening > raw.rfind(b">") and _BEGINS_A_TAG.match(raw, opening):
        return "it ends inside a tag"
    name = root_name(raw)
    if name.lower() in ("html", "body", "head"):
        return None if _page_is_closed(raw) else f"it ends before its root element <{name}> is closed"
    return f"it ends before an element <{name}> is closed" if name and not _is_closed(raw, name) else None


def pdf_cut_off(raw: bytes) -> str | None:
    """How a PDF breaks off; None when its trailer is where it must be.

    After the last end-of-file mark there may be padding, but no further object: the first mark of a file
    written for the web stands near its beginning.
    """
    mark = raw.rfind(b"%%EOF")
    if mark < 0:
        return "it has no end-of-file mark"
    if re.search(rb"\b\d+\s+\d+\s+obj\b", raw[mark:]):
        return "objects follow its last end-of-file mark"
    return None


def _page_is_closed(raw: bytes) -> bool:
    """Whether every `html` is closed, or nothing that is read follows the last end tag of `body`."""
    shown = _NEVER_READ.sub(b"", raw)
    opened, closed = _count(shown, "html")
    if closed and closed >= opened:
        return True
    ends = [end.end() for end in _END_OF_PAGE.finditer(shown)]
    return bool(ends) and not _TAG.sub(b"", shown[ends[-1] :]).strip()


def _is_closed(raw: bytes, name: str) -> bool:
    """Whether elements of this name are closed as often as opened; those that need no end tag are."""
    if name.lower() in _END_TAG_OPTIONAL:
        return True
    opened, closed = _count(raw, name)
    return closed >= opened


def _count(raw: bytes, name: str) -> tuple[int, int]:
    """How many elements of this name are opened, those that close themselves left out, and how many closed."""
    word = re.escape(name.encode("ascii", errors="replace"))
    opened = re.findall(rb"<" + word + rb"(?=[\s>])(?![^>]*+/>)", raw, re.IGNORECASE)
    return len(opened), len(re.findall(rb"</" + word + rb"\s*>", raw, re.IGNORECASE))


__all__ = ["markup_cut_off", "pdf_cut_off", "root_name"]
