"""Small chunks to search in."""

from collections.abc import Callable

import pytest

from claimrag.schemas.base import ActId, ChunkId
from claimrag.schemas.canonical import content_id
from claimrag.schemas.chunk import Chunk


@pytest.fixture
def make_chunk() -> Callable[..., Chunk]:
    def make(body: str, order: int, language: str = "en", prefix: str = "") -> Chunk:
        return Chunk(
            id=ChunkId(content_id("chk", [body, order])),
            act_id=ActId(f"x/law/2024-01-01/{language}"),
            chunker="article",
            language=language,
            order=order,
            part=1,
            unit_ids=(),
            start=0,
            end=len(body),
            tokens=5,
            body=body,
            prefix=prefix,
        )

    return make
