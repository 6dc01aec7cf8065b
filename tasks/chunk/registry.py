"""The chunkers by name. A chunker gives spans of the act's text; ids, bodies and units are added here once.

Names: `fixed-<tokens>-<overlap>` for any two numbers, and those that modules register. Promises that every
body is `text[start:end]`, that the units a body touches are listed in the order of the text, and that ids
hash the content.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from claimrag.schemas.act import Act
from claimrag.schemas.base import ChunkId, UnitId
from claimrag.schemas.canonical import content_id, sha256_text
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.errors import InputError
from claimrag.schemas.unit import Unit
from claimrag.tasks.chunk.by_article import article_spans, outermost_units
from claimrag.tasks.chunk.fixed import fixed_spans
from claimrag.tasks.chunk.tokens import Span, count_tokens

Chunker = Callable[[str, Sequence[Unit]], list[Span]]

DEFAULT_CHUNKER = "fixed-600-120"
_FIXED = re.compile(r"fixed-(\d{1,5})-(\d{1,5})")
_CHUNKERS: dict[str, Chunker] = {
    DEFAULT_CHUNKER: lambda text, units: fixed_spans(text, units, size=600, overlap=120),
    "article": article_spans,
}


def chunker_names() -> list[str]:
    """The names that `chunk_act` knows, the paper's first; `fixed-<tokens>-<overlap>` takes any numbers."""
    return list(_CHUNKERS)


def find_chunker(name: str) -> Chunker:
    """The chunker called `name`; raises InputError that lists the known ones."""
    if name in _CHUNKERS:
        return _CHUNKERS[name]
    if match := _FIXED.fullmatch(name):
        size, overlap = int(match[1]), int(match[2])
        if not 0 <= overlap < size:
            raise InputError(f"chunker {name!r}: the overlap must be below the {size} tokens of a chunk")
        return lambda text, units: fixed_spans(text, units, size=size, overlap=overlap)
    raise InputError(
        f"unknown chunker {name!r}: known are {', '.join(chunker_names())}, and fixed-<tokens>-<overlap>"
    )


def chunk_act(act: Act, text: str, units: Sequence[Unit], chunker: str = DEFAULT_CHUNKER) -> list[Chunk]:
    """The chunks of one act, in order. `text` is the act's canonical text, `units` its tree.

    Raises InputError when the text is not the one that the act was read from, or the chunker is unknown.
    """
    if sha256_text(text) != act.text_sha256:
        raise InputError(f"act {act.id}: this is not the text that its offsets point into; parse it again")
    spans = find_chunker(chunker)(text, units)
    listed = outermost_units(units)
    return [
        _chunk(act, text, chunker, order, span, _touched(listed, span)) for order, span in enumerate(spans)
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


def _touched(units: Sequence[Unit], span: Span) -> tuple[UnitId, ...]:
    """The ids of the units that share a character with the span."""
    return tuple(unit.id for unit in units if unit.start < span[1] and span[0] < unit.end)
