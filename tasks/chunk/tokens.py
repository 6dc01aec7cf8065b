"""The Mistral tokenizer (v1, 32,000 pieces) that the paper's 600-token chunks are measured with.

The model file lies in the mistral-common wheel, so nothing is downloaded. Promises token spans as character
offsets into the text, in order and without a gap. Counting is about 2-4 MB/s, so counts are kept by the
text's hash.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from claimrag.schemas.canonical import sha256_text
from claimrag.schemas.errors import MissingDependencyError
from claimrag.tasks.chunk.chunker import Span

_PIECE_CHARACTERS = 50_000


class MistralTokenizer:
    """Spans and counts of tokens. The dummy space that SentencePiece puts in front is not in the offsets."""

    def __init__(self, model_file: Path) -> None:
        self._processor = _processor(model_file)
        self._counts: dict[str, int] = {}

    def spans(self, text: str) -> list[Span]:
        """The characters of each token.

        A character that takes several tokens (bytes) belongs to the last of them, and the others are empty.
        """
        spans: list[Span] = []
        for place, piece in _pieces(text):
            offsets = self._processor.encode(piece, return_type="offset_mapping")["offsets"]
            spans.extend((place + start, place + end) for start, end in offsets[place > 0 :])
        return spans

    def count(self, text: str) -> int:
        """How many tokens `text` has on its own."""
        key = sha256_text(text)
        if key not in self._counts:
            self._counts[key] = sum(
                len(self._processor.encode(piece)) - (place > 0) for place, piece in _pieces(text)
            )
        return self._counts[key]


@cache
def mistral_tokenizer() -> MistralTokenizer:
    """The tokenizer, loaded once. Raises MissingDependencyError where its packages are not installed."""
    package = find_spec("mistral_common")
    if package is None or package.origin is None:
        raise MissingDependencyError(
            "the Mistral tokenizer comes with mistral-common: install mistral-common[sentencepiece]"
        )
    model_file = Path(package.origin).parent / "data" / "tokenizer.model.v1"
    if not model_file.is_file():
        raise MissingDependencyError(
            f"{model_file} is missing: install mistral-common 1.13, whose wheel holds the v1 tokenizer"
        )
    return MistralTokenizer(model_file)


def count_tokens(text: str) -> int:
    """Tokens of `text` by the Mistral tokenizer, counted once per text."""
    return mistral_tokenizer().count(text)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """`text` cut in front of line ends, each piece with its place in the text.

    A line end is a token of its own, so that the tokens are the same as without a cut; but a piece that is not
    the first has one more in front, the dummy space. Short pieces keep the lock of the interpreter short.
    """
    start = 0
    while (cut := text.find("\n", start + _PIECE_CHARACTERS)) >= 0:
        yield start, text[start:cut]
        start = cut
    yield start, text[start:]


def _processor(model_file: Path) -> Any:
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError as error:
        raise MissingDependencyError(
            "the Mistral tokenizer needs sentencepiece 0.2.3 or newer: install sentencepiece"
        ) from error
    return SentencePieceProcessor(model_file=str(model_file))
