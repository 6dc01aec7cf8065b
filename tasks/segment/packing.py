"""Packs the `<p>` parts of a law to context units of 1,300 +- 200 tokens (ClaimRAG-LAW, data preparation).

A block of the canonical text stands for a `<p>`. Blocks are never reordered or dropped; one that alone
passes the upper bound is cut at sentence ends, and only a single longer sentence stays longer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from claimrag.tasks.segment.sentences import split_sentences

TARGET_TOKENS = 1300
TOLERANCE_TOKENS = 200


def packed_parts(
    text: str, start: int, end: int, count_tokens: Callable[[str], int]
) -> list[tuple[int, int]]:
    """Offsets of the packed parts of `text[start:end]`, in order; together they hold every word once."""
    packed: list[tuple[int, int]] = []
    held: tuple[int, int] | None = None
    tokens = 0
    for left, right in _pieces(text, start, end, count_tokens):
        more = count_tokens(text[left:right])
        if held is None:
            held, tokens = (left, right), more
        elif tokens >= TARGET_TOKENS or tokens + more > TARGET_TOKENS + TOLERANCE_TOKENS:
            packed.append(held)
            held, tokens = (left, right), more
        else:
            held, tokens = (held[0], right), tokens + more
    if held is not None:
        packed.append(held)
    return packed


def _pieces(text: str, start: int, end: int, count_tokens: Callable[[str], int]) -> Iterator[tuple[int, int]]:
    """The blocks; the sentences of a block that is too long."""
    for match in re.finditer(r"[^\n]*[^\s][^\n]*", text[start:end]):
        left, right = start + match.start(), start + match.end()
        if count_tokens(text[left:right]) <= TARGET_TOKENS + TOLERANCE_TOKENS:
            yield left, right
        else:
            yield from split_sentences(text, left, right)
