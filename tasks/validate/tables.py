"""What a validation reads: the tables of one build, and what its rules look up across them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from pydantic import ValidationError

from claimrag.schemas.act import Act
from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.claim import Claim
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.decision import Decision
from claimrag.schemas.question import Question
from claimrag.schemas.rejected import StageCounts
from claimrag.schemas.run import Run
from claimrag.schemas.unit import Unit

T = TypeVar("T", bound=Noun)


@dataclass(frozen=True)
class TableInput:
    """One table: the noun its rows are, the rows, and the counts of the stage that made it, if it has any."""

    model: type[Noun]
    rows: Sequence[Noun]
    counts: StageCounts | None = None


@dataclass(frozen=True)
class Build:
    """All tables of one build by name, and the canonical text of each act.

    Rows are looked up only when they are valid for their schema, so that a rule that follows a reference
    meets well-formed rows.
    """

    tables: Mapping[str, TableInput]
    act_texts: Mapping[ActId, str] = field(default_factory=dict)

    def holds(self, model: type[Noun]) -> bool:
        """Whether a table of `model` was given, empty or not."""
        return any(table.model is model for table in self.tables.values())

    def slice(self, act_id: ActId, start: int, end: int) -> str | None:
        """The act's text from `start` to `end`; None when the text was not given or the offsets leave it."""
        text = self.act_texts.get(act_id)
        return None if text is None or not 0 <= start <= end <= len(text) else text[start:end]

    @cached_property
    def valid(self) -> dict[str, list[bool]]:
        """For each table, which of its rows are valid for their schema, in order."""
        return {
            name: [is_valid(table.model, row) for row in table.rows] for name, table in self.tables.items()
        }

    def rows_of(self, model: type[T]) -> Iterator[T]:
        """Every valid row of every table of `model`."""
        for name, table in self.tables.items():
            if table.model is model:
                for row, well_formed in zip(table.rows, self.valid[name], strict=True):
                    if well_formed and isinstance(row, model):
                        yield row

    @cached_property
    def acts(self) -> dict[str, Act]:
        """Acts by id."""
        return {row.id: row for row in self.rows_of(Act)}

    @cached_property
    def units(self) -> dict[str, Unit]:
        """Units by id."""
        return {row.id: row for row in self.rows_of(Unit)}

    @cached_property
    def context_units(self) -> dict[tuple[str, str], ContextUnit]:
        """Context units by act and id: versions of an act that leave a text unchanged share its id."""
        return {(row.act_id, row.id): row for row in self.rows_of(ContextUnit)}

    @cached_property
    def questions(self) -> dict[str, Question]:
        """Questions by id."""
        return {row.id: row for row in self.rows_of(Question)}

    @cached_property
    def claims(self) -> dict[str, Claim]:
        """Claims by id."""
        return {row.id: row for row in self.rows_of(Claim)}

    @cached_property
    def chunks(self) -> dict[str, Chunk]:
        """Chunks by id."""
        return {row.id: row for row in self.rows_of(Chunk)}

    @cached_property
    def runs(self) -> dict[str, Run]:
        """Runs by id."""
        return {row.id: row for row in self.rows_of(Run)}

    @cached_property
    def decided_items(self) -> frozenset[str]:
        """The ids of the items on which an expert decided anything."""
        return frozenset(row.item_id for row in self.rows_of(Decision))

    @cached_property
    def question_texts(self) -> Counter[tuple[str, str]]:
        """How often each question, apart from case and spacing, is asked of one act."""
        return Counter(question_key(row) for row in self.rows_of(Question))

    @cached_property
    def triplets(self) -> Counter[tuple[str, str, str, str]]:
        """How often each triplet, apart from case and spacing, stands under one question."""
        return Counter(triplet_key(row) for row in self.rows_of(Claim))


def is_valid(model: type[Noun], row: Noun) -> bool:
    """Whether `row` is a `model` whose every value, nested ones included, its schema allows."""
    if not isinstance(row, model):
        return False
    try:
        model.model_validate(row.model_dump(warnings=False))
    except ValidationError:
        return False
    return True


def question_key(row: Question) -> tuple[str, str]:
    """What makes two questions the same question to a reader."""
    return (row.act_id, _folded(row.question))


def triplet_key(row: Claim) -> tuple[str, str, str, str]:
    """What makes two claims of one question the same claim to a reader."""
    return (row.question_id, _folded(row.subject), _folded(row.predicate), _folded(row.object))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
