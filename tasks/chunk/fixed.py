"""Fixed windows of tokens with overlap: the chunking of ClaimRAG-LAW (600 tokens, 120 of them shared).

Promises that the windows cover every character of the text. Looks at tokens alone, never at articles.
"""

from __future__ import annotations

from collections.abc import Sequence

from claimrag.schemas.unit import Unit
from claimrag.tasks.chunk.tokens import Span, mistral_tokenizer


def fixed_spans(text: str, units: Sequence[Unit], *, size: int, overlap: int) -> list[Span]:
    """Windows of `size` tokens of the whole act, each starting `size - overlap` tokens after the last one.

    The last window ends with the text and may be shorter. An empty text gives no window.
    """
    del units
    tokens = mistral_tokenizer().spans(text)
    spans: list[Span] = []
    for first in range(0, len(tokens), size - overlap):
        last = min(first + size, len(tokens))
        start = 0 if first == 0 else tokens[first][0]
        end = len(text) if last == len(tokens) else tokens[last - 1][1]
        if start < end:
            spans.append((start, end))
        if last == len(tokens):
            break
    return spans
