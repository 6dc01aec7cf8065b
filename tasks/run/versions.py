"""Versions of a law: which acts of a workspace are versions of one law in one language, and which is current.

Current is a question with an answer: of the acts at hand, the one with the newest version date; of two with one
date the consolidated one comes last in the order of ids.
"""

from __future__ import annotations

from collections.abc import Iterable

from claimrag.schemas.act import law_of
from claimrag.schemas.base import ActId, LawId


def expression_of(act_id: ActId) -> tuple[LawId, str]:
    """The law and the language that an act is a version of."""
    return law_of(act_id), act_id.rpartition("/")[2]


def version_date_of(act_id: ActId) -> str:
    """The version date, as its id states it (ISO 8601, so that it sorts)."""
    return act_id.rsplit("/", 2)[1]


def newest_first(acts: Iterable[ActId]) -> list[ActId]:
    """Versions by their date, the newest first."""
    return sorted(acts, key=lambda act_id: (version_date_of(act_id), act_id), reverse=True)


def current_acts(acts: Iterable[ActId]) -> list[ActId]:
    """Of each law and language the newest of these acts, in order of their ids."""
    newest: dict[tuple[LawId, str], ActId] = {}
    for act_id in newest_first(acts):
        newest.setdefault(expression_of(act_id), act_id)
    return sorted(newest.values())
