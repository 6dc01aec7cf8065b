"""Small made-up laws, parsed as the publishers' parsers would leave them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.unit import UnitKind
from tests.tasks.made_up_articles import village_head, write_articles

MakeLaw = Callable[..., ParsedAct]


def build_law(
    articles: list[tuple[str, str, list[str | tuple[str, list[str]]]]],
    *,
    language: str = "en",
    version: str = "2090-01-01",
    abrogated: frozenset[str] = frozenset(),
    footnote: str | None = None,
) -> ParsedAct:
    """`articles`: number, heading, paragraphs; a paragraph may carry points."""
    builder = TreeBuilder()
    builder.open(UnitKind.ENACTING_TERMS)
    write_articles(builder, articles, abrogated)
    builder.close()
    if footnote:
        builder.footnote("n1", number="1", label="(1)", text=footnote)
    head = village_head(language, version)
    source = Source.of(repr(articles).encode(), origin="made-up")
    return assemble(builder, head, source, None)


@pytest.fixture
def make_law() -> MakeLaw:
    return build_law
