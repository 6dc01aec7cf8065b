"""Unit: a node of the act's tree, with exact offsets into the act's canonical text."""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from pydantic import model_validator

from claimrag.schemas.base import ActId, Noun, UnitId


class UnitKind(StrEnum):
    """What a node is, in the words of legislative drafting."""

    __hash__ = str.__hash__  # that of the string it equals; an enumeration's own is written in Python

    DOCUMENT = "document"
    TITLE_OF_ACT = "title_of_act"
    PREAMBLE = "preamble"
    CITATION = "citation"
    RECITAL = "recital"
    ENACTING_TERMS = "enacting_terms"
    BOOK = "book"
    PART = "part"
    TITLE = "title"
    CHAPTER = "chapter"
    SECTION = "section"
    SUBSECTION = "subsection"
    ARTICLE = "article"
    PARAGRAPH = "paragraph"
    SUBPARAGRAPH = "subparagraph"
    POINT = "point"
    SUBPOINT = "subpoint"
    ANNEX = "annex"
    FINAL_PART = "final_part"
    TABLE = "table"
    CELL = "cell"
    FOOTNOTE = "footnote"
    AMENDMENT_NOTE = "amendment_note"


class UnitStatus(StrEnum):
    """Whether the unit still has force."""

    IN_FORCE = "in_force"
    ABROGATED = "abrogated"


class Unit(Noun):
    """One node. `act_text[start:end] == text` always; children lie inside their parent, in order.

    `number` is the number alone ("6", "5-1", "1er", "a"); `label` is how the law prints it ("Article 6",
    "Art. 5-1.", "(a)"). `path` holds the labels and headings of the containers, outermost first. A
    footnote lies after the body of the act, outside every other unit, and `anchor_unit_id` with
    `anchor_offset` (an offset into the act's text) say where it is called. `row` and `column` are set for
    cells only, counted from 1.
    """

    id: UnitId
    act_id: ActId
    kind: UnitKind
    number: str | None = None
    label: str | None = None
    heading: str | None = None
    path: tuple[str, ...] = ()
    parent_id: UnitId | None = None
    order: int
    depth: int
    start: int
    end: int
    text: str
    status: UnitStatus = UnitStatus.IN_FORCE
    applicable_from: date | None = None
    anchor_unit_id: UnitId | None = None
    anchor_offset: int | None = None
    row: int | None = None
    column: int | None = None

    @model_validator(mode="after")
    def _offsets_measure_the_text(self) -> Unit:
        if self.start < 0 or self.end - self.start != len(self.text):
            raise ValueError(f"unit {self.id}: offsets {self.start}:{self.end} do not measure its text")
        return self
