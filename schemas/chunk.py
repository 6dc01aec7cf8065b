"""Chunk: a piece of an act as a retriever indexes it."""

from __future__ import annotations

from claimrag.schemas.base import ActId, ChunkId, Noun, UnitId


class Chunk(Noun):
    """`act_text[start:end] == body`. The index text is prefix, body and references; scores use the body.

    `unit_ids` are the articles, recitals and annexes that the body touches, in order of the text.
    """

    id: ChunkId
    act_id: ActId
    chunker: str
    language: str
    order: int
    part: int
    unit_ids: tuple[UnitId, ...]
    start: int
    end: int
    tokens: int
    body: str
    prefix: str = ""
    references: tuple[str, ...] = ()
