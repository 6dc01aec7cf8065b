"""Made-up laws of a village: their head, and articles of number, heading and paragraphs, which may carry points."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from string import ascii_lowercase

from claimrag.legal_sources.parsed import ActHead
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.unit import UnitKind, UnitStatus

Paragraph = str | tuple[str, Sequence[str]]
Article = tuple[str, str, Sequence[Paragraph]]


def write_articles(
    builder: TreeBuilder, articles: Sequence[Article], abrogated: Collection[str] = ()
) -> None:
    """Write the articles with numbered paragraphs and lettered points; those named are abrogated."""
    for number, heading, paragraphs in articles:
        status = UnitStatus.ABROGATED if number in abrogated else UnitStatus.IN_FORCE
        builder.open(
            UnitKind.ARTICLE, number=number, label=f"Article {number}", heading=heading, status=status
        )
        for position, paragraph in enumerate(paragraphs, start=1):
            words, points = paragraph if isinstance(paragraph, tuple) else (paragraph, [])
            builder.open(UnitKind.PARAGRAPH, number=str(position), label=f"{position}.", inline=True)
            builder.block(words)
            for letter, point in zip(ascii_lowercase, points, strict=False):
                builder.open(UnitKind.POINT, number=letter, label=f"({letter})", inline=True)
                builder.block(point)
                builder.close()
            builder.close()
        builder.close()


def village_head(language: str, version: str, short_title: str | None = None) -> ActHead:
    """The head of the regulation on village bells, in the version of an ISO date."""
    return ActHead(
        publisher="eu",
        work="32090R0001",
        title="Regulation on village bells",
        short_title=short_title,
        language=language,
        version_date=date.fromisoformat(version),
        consolidated=False,
        layout="made-up",
        licence="CC0-1.0",
        attribution="The village",
    )
