"""The chunkers by name, and the chunks that they make.

A chunker is one row here and one file beside it. `fixed-<tokens>-<overlap>` takes any two numbers. Promises
that every body is `text[start:end]`, that the units a body touches are listed in the order of the text, and that
ids hash the content.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from claimrag.schemas.act import Act
from claimrag.schemas.base import ChunkId, UnitId
from claimrag.schemas.canonical import content_id, sha256_text
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.errors import InputError
from claimrag.schemas.unit import Unit
from claimrag.tasks.chunk.by_article import ArticleChunker, outermost_units
from claimrag.tasks.chunk.chunker import Chunker, Span
from claimrag.tasks.chunk.fixed import FixedChunker
from claimrag.tasks.chunk.tokens import count_tokens

CHUNKERS: tuple[Chunker, ...] = (FixedChunker(600, 120), ArticleChunker())
_BY_NAME = {chunker.name: chunker for chunker in CHUNKERS}

DEFAULT_CHUNKER = CHUNKERS[0].name
"""The paper's: 600 tokens, 120 of them shared with the chunk before."""


def chunker_names() -> list[str]:
    """The names that `find_chunker` knows, the paper's first; `fixed-<tokens>-<overlap>` takes any numbers."""
    return list(_BY_NAME)


def find_chunker(name: str) -> Chunker:
    """The chunker called `name`; raises InputError that lists the known ones."""
    chunker = _BY_NAME.get(name) or FixedChunker.named(name)
    if chunker is None:
        raise InputError(
            f"unknown chunker {name!r}: known are {', '.join(chunker_names())}, and fixed-<tokens>-<overlap>"
        )
    return chunker


def chunk_act(act: Act, text: str, units: Sequence[Unit], chunker: str = DEFAULT_CHUNKER) -> list[Chunk]:
    """The chunks of one act, in order. `text` is the act's canonical text, `units` its tree.

    Raises InputError when the text is not the one that the act was read from, or the chunker is unknown.
    """
    if sha256_text(text) != act.text_sha256:
        raise InputError(f"act {act.id}: this is not the text that its offsets point into; parse it again")
    spans = find_chunker(chunker).spans(text, units)
    listed = outermost_units(units)
    starts, ends = [unit.start for unit in listed], [unit.end for unit in listed]
    return [
        _chunk(act, text, chunker, order, span, _touched(listed, starts, ends, span))
        for order, span in enumerate(spans)
    ]


def _chunk(act: Act, text: str, chunker: str, order: int, span: Span, unit_ids: tuple[UnitId, ...]) -> Chunk:
    start, end = span
    body = text[start:end]
    return Chunk(
        id=ChunkId(content_id("chk", [act.id, chunker, start, end, sha256_text(body)])),
        act_id=act.id,
        chunker=chunker,
        language=act.language,
        order=order,
        part=1,
        unit_ids=unit_ids,
        start=start,
        end=end,
        tokens=count_tokens(body),
        body=body,
    )


def _touched(
    listed: Sequence[Unit], starts: Sequence[int], ends: Sequence[int], span: Span
) -> tuple[UnitId, ...]:
    """The ids of the units that share a character with the span; starts and ends both ascend."""
    first, last = bisect_right(ends, span[0]), bisect_left(starts, span[1])
    return tuple(unit.id for unit in listed[first:last])
