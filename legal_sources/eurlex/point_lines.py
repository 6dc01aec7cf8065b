"""Points recognised by the marker of their line ("(a) ...", "- ..."), where no markup shows how they nest.

A marker of a style that is not open yet goes one level deeper; one of an open style closes down to it.
"(i)" after "(h)" is a letter, elsewhere a Roman number.
"""

from __future__ import annotations

import re

from claimrag.legal_sources.eurlex.headings import Label, after_label, leading_marker
from claimrag.legal_sources.eurlex.provisions import ProvisionWriter
from claimrag.legal_sources.tree import Node, normalise
from claimrag.schemas.unit import UnitKind

_ROMAN = re.compile(r"[ivxl]+")
_POINTS = (UnitKind.POINT, UnitKind.SUBPOINT)


class PointLines:
    """Opens points line by line; `close` ends them all."""

    def __init__(self, provisions: ProvisionWriter) -> None:
        self._provisions = provisions
        self._open: list[tuple[Node, str, str]] = []

    def line(self, text: str) -> bool:
        """Write `text` as a point when it starts with a marker; False when it does not."""
        label = leading_marker(normalise(text))
        if label is None or self._provisions.quoting:
            return False
        style = self._style(label)
        while self._open and any(open_style == style for _, open_style, _ in self._open):
            _, closed, _ = self._open.pop()
            if closed == style:
                break
        self._close_down()
        node = self._provisions.open_point(label)
        self._open.append((node, style, label.number or ""))
        self._provisions.alinea(after_label(text, label.label))
        return True

    def close(self) -> None:
        """End every open point."""
        self._open.clear()
        self._close_down()

    @property
    def is_open(self) -> bool:
        """Whether a point is open."""
        return bool(self._open)

    def _close_down(self) -> None:
        """Close the builder's units down to the innermost point that is still open here."""
        keep = self._open[-1][0] if self._open else None
        builder = self._provisions.builder
        while builder.current is not None and builder.current is not keep:
            if builder.current.kind not in (*_POINTS, UnitKind.SUBPARAGRAPH):
                return
            if (
                keep is None
                and builder.current.kind is UnitKind.SUBPARAGRAPH
                and not _in_point(builder.current)
            ):
                return
            builder.close()

    def _style(self, label: Label) -> str:
        number = label.number
        if number is None:
            return "dash"
        brackets = "()" if label.label.startswith("(") else label.label[-1:]
        if number[:1].isdigit():
            return f"digit{brackets}{number.count('.')}"
        if number.isupper():
            return f"upper{brackets}"
        if _ROMAN.fullmatch(number) and not self._follows_letter(number, brackets):
            return f"roman{brackets}"
        return f"letter{brackets}"

    def _follows_letter(self, number: str, brackets: str) -> bool:
        """Whether the list of letters that is open has come to just before `number`."""
        if len(number) != 1:
            return False
        for _, style, last in reversed(self._open):
            if style == f"letter{brackets}":
                return len(last) == 1 and ord(number) - ord(last) == 1
        return number not in "iv"


def _in_point(node: Node) -> bool:
    return node.parent is not None and node.parent.kind in _POINTS
