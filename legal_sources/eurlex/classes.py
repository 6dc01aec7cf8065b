"""What the paragraph classes of EUR-Lex's flat layouts mean, before (`ti-art`) and after conversion.

One table for three layouts: the Official Journal without ELI subdivisions, and consolidated texts with and
without them. Classes of page furniture are named here too, so that the word count can leave them out.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache


class Role(Enum):
    """The role of a block in the act."""

    TITLE = "title"
    ARTICLE = "article"
    ARTICLE_HEADING = "article heading"
    CONTAINER = "container"
    CONTAINER_HEADING = "container heading"
    ANNEX = "annex"
    ANNEX_HEADING = "annex heading"
    SECTION = "section"
    FURNITURE = "furniture"
    CONTENT = "content"


_ROLES = {
    "doc-ti": Role.TITLE,
    "title-doc-first": Role.TITLE,
    "title-doc-last": Role.TITLE,
    "ti-art": Role.ARTICLE,
    "title-article-norm": Role.ARTICLE,
    "sti-art": Role.ARTICLE_HEADING,
    "stitle-article-norm": Role.ARTICLE_HEADING,
    "ti-section-1": Role.CONTAINER,
    "title-division-1": Role.CONTAINER,
    "ti-section-2": Role.CONTAINER_HEADING,
    "title-division-2": Role.CONTAINER_HEADING,
    "ti-annex": Role.ANNEX,
    "title-annex-1": Role.ANNEX,
    "title-annex-2": Role.ANNEX_HEADING,
}
_PREFIXES = (("ti-grseq-", Role.SECTION), ("title-gr-seq-level-", Role.SECTION))
FURNITURE_CLASSES = frozenset(("modref", "arrow", "reference", "disclaimer", "hd-modifiers"))
"""Amendment marks and the lines of a consolidated text's front page."""


@lru_cache(maxsize=1024)
def role_of(name: str) -> Role:
    """The role that a paragraph's class gives it; CONTENT for all others."""
    if name in FURNITURE_CLASSES:
        return Role.FURNITURE
    role = _ROLES.get(name)
    if role:
        return role
    return next((found for prefix, found in _PREFIXES if name.startswith(prefix)), Role.CONTENT)


def level_of(name: str) -> int:
    """The level of a section heading ("ti-grseq-2" is 2); 1 where the class does not say."""
    last = name.rpartition("-")[2]
    return int(last) if last.isdecimal() and len(last) < 3 else 1
