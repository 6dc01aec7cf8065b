"""One chart for the card: questions by category, a bar per language. Plain SVG text, no library, no script."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from claimrag.tasks.release.figures import LanguageFigures

_COLOURS = ("#1f4e79", "#c55a11", "#548235", "#7f6000", "#7030a0")
_WIDTH, _LABELS, _BAR, _GAP = 720, 190, 18, 14


def category_chart(figures: Sequence[LanguageFigures]) -> str:
    """An SVG document for one entry per language, without the total; bars are to scale from zero."""
    categories = list(figures[0].categories)
    most = max((count for one in figures for count in one.categories.values()), default=0) or 1
    group = _BAR * len(figures) + _GAP
    top = 40
    height = top + group * len(categories) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        'font-family="sans-serif" font-size="13">',
        f"<title>Questions by category and language, at most {most}</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        *_legend(figures),
    ]
    for row, category in enumerate(categories):
        y = top + row * group
        name = escape(category.replace("_", " "))
        middle = y + _BAR * len(figures) / 2 + 5
        parts.append(f'<text x="{_LABELS - 10}" y="{middle:.1f}" text-anchor="end">{name}</text>')
        for place, one in enumerate(figures):
            parts.extend(_bar(one.categories[category], most, y + place * _BAR, place))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _legend(figures: Sequence[LanguageFigures]) -> list[str]:
    parts = []
    for place, one in enumerate(figures):
        x = _LABELS + place * 90
        parts.append(f'<rect x="{x}" y="12" width="12" height="12" fill="{_colour(place)}"/>')
        parts.append(f'<text x="{x + 18}" y="23">{escape(one.language)}</text>')
    return parts


def _bar(count: int, most: int, y: int, place: int) -> list[str]:
    width = (_WIDTH - _LABELS - 60) * count / most
    return [
        f'<rect x="{_LABELS}" y="{y}" width="{width:.1f}" height="{_BAR - 3}" fill="{_colour(place)}"/>',
        f'<text x="{_LABELS + width + 6:.1f}" y="{y + _BAR - 6}">{count}</text>',
    ]


def _colour(place: int) -> str:
    return _COLOURS[place % len(_COLOURS)]
