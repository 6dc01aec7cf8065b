"""Text of others on a terminal: a model's output and a law's words must neither move the cursor nor turn a line.

Promises: no control character, terminal escape, line break, direction mark or invisible character leaves `visible`;
each is written as its escape (`\\x1b`), so that it can be seen. Nothing is lost but by `shortened`, which says so.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator

LONGEST_TEXT, LONGEST_RAW = 1500, 400
_NOT_SHOWN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_SOFT_HYPHEN, _JOINERS = "\u00ad", "\u200c\u200d"
"""Characters of category Cf that belong to words of some languages and do nothing on a terminal."""


def visible(text: str) -> str:
    """`text` on one line, white space as single spaces, everything that is not to be printed as its escape."""
    return "".join(_shown(character) for character in " ".join(text.split()))


def _shown(character: str) -> str:
    if character in _JOINERS or character == _SOFT_HYPHEN:
        return character
    if unicodedata.category(character) not in _NOT_SHOWN:
        return character
    return ascii(character)[1:-1]


def shortened(text: str, longest: int) -> str:
    """`visible`, cut in the middle of a word if need be; what is left out is counted."""
    line = visible(text)
    if len(line) <= longest:
        return line
    return f"{line[:longest].rstrip()}… ({len(line) - longest:,} more characters)"


def paragraph(label: str, text: str, width: int, indent: int = 0) -> list[str]:
    """`label` and `text` (visible already) in lines of at most `width` columns, the later ones below the text."""
    first = f"{' ' * indent}{label}"
    if not text:
        return [first.rstrip()]
    return textwrap.wrap(
        text,
        max(width, len(first) + 20),
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_on_hyphens=False,
    )


def fields(pairs: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    """One field per line, values below each other; empty ones are left out."""
    known = [(label, shortened(value, LONGEST_TEXT)) for label, value in pairs if value]
    longest = max((len(label) for label, _ in known), default=0)
    for label, value in known:
        yield from paragraph(f"{label}:{' ' * (longest - len(label) + 1)}", value, width, 2)
