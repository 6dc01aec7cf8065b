"""The vectors in the body of an embeddings response, in the order of the texts."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray


class NoVectorsError(ValueError):
    """A response body that holds no vectors; the message says what is wrong with it."""


def read_vectors(body: bytes) -> tuple[NDArray[np.float32], int | None]:
    """The rows by their index, and the tokens that the endpoint counted if it says so.

    Raises NoVectorsError where indexes repeat or leave gaps, rows differ in length, or a number is not finite.
    """
    try:
        payload = json.loads(body)
        rows = sorted(payload["data"], key=lambda row: int(row["index"]))
        indexes = [row["index"] for row in rows]
        vectors = np.array([row["embedding"] for row in rows], dtype=np.float32)
        tokens = (payload.get("usage") or {}).get("prompt_tokens")
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise NoVectorsError("it has no data with index and embedding") from error
    if indexes != list(range(len(rows))):
        raise NoVectorsError("its indexes are not 0, 1, 2 ...")
    if vectors.ndim != 2 or not vectors.shape[1] or not np.isfinite(vectors).all():
        raise NoVectorsError("its vectors are empty, differ in length, or hold what is not a number")
    return vectors, _count(tokens)


def _count(tokens: Any) -> int | None:
    return tokens if isinstance(tokens, int) and tokens >= 0 else None
