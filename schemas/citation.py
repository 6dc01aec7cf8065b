"""Citation: a place in a law's text that refers to another provision, and the units it leads to."""

from __future__ import annotations

from enum import StrEnum

from pydantic import model_validator

from claimrag.schemas.base import Noun, UnitId


class CitationKind(StrEnum):
    """Where a reference leads.

    `unresolved` covers what cannot be told with certainty: a provision that is not there, a number that two
    provisions bear, a reference quoted from the text of another act.
    """

    INTERNAL = "internal"
    EXTERNAL = "external"
    UNRESOLVED = "unresolved"


class Citation(Noun):
    """One reference. `act_text[start:end] == text`.

    `source_unit_id` is the smallest unit that holds it. `target_unit_ids` are in the order of the reference,
    ranges spelled out, and empty unless `kind` is internal. The first subparagraph of a paragraph has no
    unit of its own: its target is the paragraph. `named_act` is what an external reference calls the other
    act, where it names one.
    """

    start: int
    end: int
    text: str
    source_unit_id: UnitId
    target_unit_ids: tuple[UnitId, ...] = ()
    kind: CitationKind
    named_act: str | None = None

    @model_validator(mode="after")
    def _targets_are_those_of_an_internal_reference(self) -> Citation:
        if self.start < 0 or self.end - self.start != len(self.text) or not self.text:
            raise ValueError(f"citation at {self.start}: offsets do not measure its text")
        if bool(self.target_unit_ids) is not (self.kind is CitationKind.INTERNAL):
            raise ValueError(
                f"citation at {self.start}: only an internal reference has targets, and it has some"
            )
        return self
