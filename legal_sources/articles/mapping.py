"""Which fields of a file of articles hold what: declared, never guessed from values.

Five mappings are known. `PLAIN` is the one to use for a law of one's own::

    {"title": "Tenancy Act", "language": "en", "version_date": "2024-05-01", "work": "tenancy-act",
     "articles": [{"number": "Article 1", "heading": "Scope", "path": ["Chapter I"], "text": "..."}]}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from claimrag.schemas.unit import UnitKind


@dataclass(frozen=True)
class ContainerField:
    """A field that names a division by number, and another that holds its heading; `word` is printed."""

    kind: UnitKind
    number: str
    heading: str | None
    word: str


@dataclass(frozen=True)
class ArticleMapping:
    """Names of the fields. `rows` is the field of the top-level object that holds the list; None for a bare list.

    `number` is the printed label ("Art. 6.") or, with `word`, the number alone ("6" printed "Section 6").
    `path` holds the titles of the divisions, outermost first. `head` maps fields of an act (`title`,
    `language`, `version_date`, `work`, `publisher`, `licence`, `attribution`, `source_id`) to top-level fields.
    `kind` and `kinds` say which rows are annexes. `markdown` texts carry emphasis and lists.
    """

    name: str
    rows: str | None
    number: str
    text: str
    heading: str | None = None
    path: str | None = None
    anchor: str | None = None
    word: str = ""
    containers: tuple[ContainerField, ...] = ()
    applicable_from: str | None = None
    kind: str | None = None
    kinds: Mapping[str, UnitKind] = field(default_factory=dict)
    head: Mapping[str, str] = field(default_factory=dict)
    markdown: bool = False
    path_separator: str = " — "

    def fits(self, top: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> bool:
        """Whether the first row has the fields that this mapping needs (and the file the list it names)."""
        needed = {self.number, self.text} | {each.number for each in self.containers}
        return bool(rows) and needed <= rows[0].keys() and (self.rows is None or self.rows in top)


_OWN_HEAD = {
    name: name
    for name in ("title", "language", "version_date", "work", "publisher", "licence", "attribution")
}

LEX_ARTICLES = ArticleMapping(
    name="lex-articles",
    rows="provisions",
    number="num",
    text="text_md",
    heading="heading",
    path="path",
    anchor="anchor",
    applicable_from="article_valid_from",
    kind="type",
    kinds={"annex": UnitKind.ANNEX},
    head={
        "title": "title",
        "language": "language",
        "version_date": "valid_from",
        "source_id": "lex_id",
        "licence": "license",
        "attribution": "attribution",
    },
    markdown=True,
)
_CHAPTER = ContainerField(UnitKind.CHAPTER, "chapter", None, "Chapter")
PLAIN = ArticleMapping("plain", "articles", "number", "text", "heading", "path", head=_OWN_HEAD)
PLAIN_ROWS = ArticleMapping("plain-rows", None, "number", "text", "heading", "path")
INDIA_CHAPTER_TITLES = ArticleMapping(
    "india-chapter-titles",
    None,
    "Section",
    "section_desc",
    "section_title",
    word="Section",
    containers=(ContainerField(UnitKind.CHAPTER, "chapter", "chapter_title", "Chapter"),),
)
INDIA_CHAPTERS = ArticleMapping(
    "india-chapters", None, "section", "section_desc", "section_title", word="Section", containers=(_CHAPTER,)
)
INDIA_SECTIONS = ArticleMapping("india-sections", None, "section", "description", "title", word="Section")

KNOWN_MAPPINGS: tuple[ArticleMapping, ...] = (
    LEX_ARTICLES,
    PLAIN,
    PLAIN_ROWS,
    INDIA_CHAPTER_TITLES,
    INDIA_CHAPTERS,
    INDIA_SECTIONS,
)
"""Tried in this order by `legal_sources.articles.act.parse`."""
