"""Fixed windows of tokens with overlap: the chunking of ClaimRAG-LAW (600 tokens, 120 of them shared).

Promises that the windows cover every character of the text. Looks at tokens alone, never at articles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from claimrag.schemas.errors import InputError
from claimrag.schemas.unit import Unit
from claimrag.tasks.chunk.chunker import Span
from claimrag.tasks.chunk.tokens import mistral_tokenizer

# `fixed-600-120`: tokens and overlap, written without leading zeros, so that a chunker has one name
_NAME = re.compile(r"fixed-([1-9]\d{0,4})-(0|[1-9]\d{0,4})", re.ASCII)


@dataclass(frozen=True)
class FixedChunker:
    """Windows of `size` tokens of the act, each starting `size - overlap` tokens after the one before.

    Raises InputError when the overlap is not below the size.
    """

    size: int
    overlap: int

    def __post_init__(self) -> None:
        if not 0 <= self.overlap < self.size:
            raise InputError(
                f"chunker {self.name!r}: the overlap must be below the {self.size} tokens of a chunk"
            )

    @classmethod
    def named(cls, name: str) -> FixedChunker | None:
        """The chunker that a name like `fixed-600-120` means; None for a name of another form."""
        match = _NAME.fullmatch(name)
        return cls(int(match[1]), int(match[2])) if match else None

    @property
    def name(self) -> str:
        """`fixed-<tokens>-<overlap>`."""
        return f"fixed-{self.size}-{self.overlap}"

    def spans(self, text: str, units: Sequence[Unit]) -> list[Span]:
        """The windows. The last one ends with the text and may be shorter; an empty text gives none."""
        del units
        tokens = mistral_tokenizer().spans(text)
        spans: list[Span] = []
        for first in range(0, len(tokens), self.size - self.overlap):
            last = min(first + self.size, len(tokens))
            start = 0 if first == 0 else tokens[first][0]
            end = len(text) if last == len(tokens) else tokens[last - 1][1]
            if start < end:
                spans.append((start, end))
            if last == len(tokens):
                break
        return spans
