"""The words that the published ClaimRAG-LAW set uses for categories, personas and what its experts found.

Writing takes the published word. Reading also takes our own code and the paper's (CG1 to CG4, P1 to P3), in any case.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TypeVar

from claimrag.schemas.question import Category, Persona

E = TypeVar("E", bound=StrEnum)

CATEGORY_WORDS: dict[Category, str] = {
    Category.GENERAL_RESEARCH: "General legal research",
    Category.FACTUAL_RECALL: "Factual recall",
    Category.FALSE_PREMISE: "False premise",
    Category.JURISDICTION_TIME: "Jurisdiction/time-specific",
}
PERSONA_WORDS: dict[Persona, str] = {
    Persona.CITIZEN: "Citizen",
    Persona.CIVIL_OFFICER: "Civil officer",
    Persona.LEGAL_EXPERT: "Legal expert",
}


class Correctness(StrEnum):
    """What an expert of the set found of an answer."""

    CORRECT = "Correct"
    PARTIALLY_CORRECT = "Partially Correct"
    INCORRECT = "Incorrect"


def category_of(word: str) -> Category | None:
    """The category that a set calls so, or None."""
    return _found(CATEGORY_WORDS, "CG", word)


def persona_of(word: str) -> Persona | None:
    """The persona that a set calls so, or None."""
    return _found(PERSONA_WORDS, "P", word)


def correctness_of(word: str) -> Correctness | None:
    """The finding that a set calls so, or None."""
    return next((one for one in Correctness if _folded(one) == _folded(word)), None)


def _found(words: dict[E, str], paper: str, word: str) -> E | None:
    """Members are in the paper's order, so that their place is their number there."""
    for number, (member, published) in enumerate(words.items(), start=1):
        if _folded(word) in {_folded(published), _folded(member), _folded(f"{paper}{number}")}:
            return member
    return None


def _folded(word: str) -> str:
    return re.sub(r"[\W_]+", " ", word.casefold()).strip()
