"""Chunker: one way to cut an act into pieces, as an object with a name. The registry lists them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from claimrag.schemas.unit import Unit

Span = tuple[int, int]
"""Start and end of a piece in the act's canonical text, in characters."""


class Chunker(Protocol):
    """Gives spans; ids, bodies and the units of a chunk are added in one place (registry.chunk_act)."""

    @property
    def name(self) -> str:
        """The setting's value, and a part of every chunk's id: all that decides the spans is in it."""

    def spans(self, text: str, units: Sequence[Unit]) -> list[Span]:
        """The pieces of `text`, in order; `units` is the act's tree, whose offsets point into `text`."""
