"""Seeds, ranks and personas that depend on content alone: no clock, no global random state.

Ranks are hashes, so that a change in one article never changes what is drawn for another.
"""

from __future__ import annotations

from collections.abc import Sequence

from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.schemas.question import Persona

_MAX_SEED = 2**31


def item_seed(seed: int, *parts: str) -> int:
    """The seed of one request, within the 31 bits that every server takes."""
    return int(sha256_text(canonical_json([seed, *parts]))[:12], 16) % _MAX_SEED


def rank(seed: int, *parts: str) -> str:
    """A key to sort by, in an order that looks random and is the same every time."""
    return sha256_text(canonical_json(["rank", seed, *parts]))


def choose_persona(seed: int, *parts: str) -> Persona:
    """Who asks; the three personas are equally likely."""
    personas: Sequence[Persona] = tuple(Persona)
    return personas[item_seed(seed, "persona", *parts) % len(personas)]
