"""Builds regular expressions from named parts, so that each part can be explained and tested by itself."""

from __future__ import annotations

import re


def any_of(
    *, before: str = r"\b", after: str = r"\b", ignore_case: bool = True, **parts: str
) -> re.Pattern[str]:
    """A pattern that finds any of `parts`, the first that fits at a place; `match.lastgroup` is the part's name.

    `before` and `after` stand around each part: word boundaries, unless the parts say it themselves.
    """
    named = "|".join(f"(?P<{name}>{before}(?:{part}){after})" for name, part in parts.items())
    return re.compile(named, re.IGNORECASE if ignore_case else 0)


def words(text: str) -> str:
    """Alternatives from a list of words separated by white space, or of phrases separated by commas."""
    listed = text.split(",") if "," in text else text.split()
    return "|".join(" ".join(one.split()) for one in listed)
