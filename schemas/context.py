"""ContextUnit: the piece of law that a question generator sees, cut into numbered sentences."""

from __future__ import annotations

from enum import StrEnum

from claimrag.schemas.base import ActId, ContextUnitId, Noun, UnitId


class ContextStrategy(StrEnum):
    """How context units are cut: by article (default), or packed from `<p>` parts as in the paper."""

    ARTICLE = "article"
    P = "p"


class Sentence(Noun):
    """A sentence by its offsets into the act's canonical text; numbered from 1 in its context unit."""

    number: int
    start: int
    end: int
    unit_id: UnitId


class ContextUnit(Noun):
    """What the generator sees. `act_text[start:end] == text`; `sentences` cover it without overlap.

    The id is derived from the act's work and language, the strategy, and the text, so that it survives
    re-chunking, and a new version of the act that leaves this text unchanged.
    """

    id: ContextUnitId
    act_id: ActId
    strategy: ContextStrategy
    unit_ids: tuple[UnitId, ...]
    heading: str
    language: str
    order: int
    start: int
    end: int
    text: str
    text_sha256: str
    tokens: int
    sentences: tuple[Sentence, ...]
