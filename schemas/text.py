"""ActText: the canonical text of an act, into which every offset of its units points."""

from __future__ import annotations

from claimrag.schemas.base import ActId, Noun


class ActText(Noun):
    """One act's text; its SHA-256 is `Act.text_sha256`."""

    act_id: ActId
    text: str
