"""Markdown from untrusted text: law titles, questions and ids shown exactly as they are, never as markup."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\`*_\[\]|~:$])")
_AT_START = re.compile(r"^([#+>=-]|\d+(?=[.)](?:\s|$)))")
_WWW = re.compile(r"(www)\.", re.IGNORECASE)


def literal(text: str) -> str:
    """`text` on one line as literal Markdown: no link, image, heading, table cell, HTML or formula.

    Control and invisible direction-changing characters are dropped; what could begin markup, or an address
    that readers would turn into a link, is escaped with a backslash.
    """
    flat = " ".join(text.split())
    visible = "".join(c for c in flat if unicodedata.category(c) not in ("Cc", "Cf", "Co", "Cs"))
    escaped = _SPECIAL.sub(r"\\\1", visible.replace("&", "&amp;").replace("<", "&lt;"))
    return _AT_START.sub(_escaped_start, _WWW.sub(r"\1\\.", escaped))


def _escaped_start(match: re.Match[str]) -> str:
    r"""`-` becomes `\-`; for a number the sign after it is escaped, as in `1\.`."""
    found = match.group(1)
    return f"{found}\\" if found.isdigit() else f"\\{found}"


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], numbers_from: int | None = None) -> str:
    """A Markdown table of cells that are already escaped; columns from `numbers_from` on are right-aligned."""
    first_number = len(headings) if numbers_from is None else numbers_from
    marks = ["---" if place < first_number else "--:" for place in range(len(headings))]
    lines = [headings, marks, *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)
