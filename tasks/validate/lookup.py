"""Lookup: one group of tables, and what its rules look up across them.

Rows are looked up only when they are valid for their schema, so that a rule that follows a reference meets
well-formed rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TypeVar

from claimrag.schemas.act import Act, law_of
from claimrag.schemas.base import ActId, ContextUnitId, LawId, Noun, QuestionId, RunId
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.claim import Claim, ClaimOrigin
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.decision import Decision
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.question import Question, ReviewStatus
from claimrag.schemas.rejected import Rejected
from claimrag.schemas.run import Retrieval, Run, ScoredAnswer
from claimrag.schemas.unit import Unit, UnitKind
from claimrag.tasks.generate.wording import folded
from claimrag.tasks.validate.seen import Seen
from claimrag.tasks.validate.tables import Group, is_valid

T = TypeVar("T", bound=Noun)
Asked = tuple[RunId, QuestionId]


class Lookup:
    """`seen` is what the groups before this one held."""

    def __init__(self, group: Group, seen: Seen) -> None:
        self.tables, self.act_texts, self.seen = group.tables, group.act_texts, seen
        self.valid: Mapping[str, list[bool]] = {
            name: [is_valid(table.model, row) for row in table.rows] for name, table in self.tables.items()
        }

    def holds(self, model: type[Noun]) -> bool:
        """Whether a table of `model` was given, empty or not."""
        return any(table.model is model for table in self.tables.values())

    def slice(self, act_id: ActId, start: int, end: int) -> str | None:
        """The act's text from `start` to `end`; None when the text was not given or the offsets leave it."""
        text = self.act_texts.get(act_id)
        return None if text is None or not 0 <= start <= end <= len(text) else text[start:end]

    def rows_of(self, model: type[T]) -> Iterator[T]:
        """Every valid row of every table of `model`."""
        for name, table in self.tables.items():
            if table.model is model:
                for row, well_formed in zip(table.rows, self.valid[name], strict=True):
                    if well_formed and isinstance(row, model):
                        yield row

    def rejected_of(self, model: type[Noun]) -> dict[str, list[Rejected]] | None:
        """What the stage of `model` rejected, by item; None where that was not given."""
        if model not in self._rejected:
            self._rejected[model] = self._read_rejected(model)
        return self._rejected[model]

    @cached_property
    def _rejected(self) -> dict[type[Noun], dict[str, list[Rejected]] | None]:
        return {}

    def _read_rejected(self, model: type[Noun]) -> dict[str, list[Rejected]] | None:
        given = [table.rejected for table in self.tables.values() if table.model is model]
        if all(rows is None for rows in given):
            return None
        found: defaultdict[str, list[Rejected]] = defaultdict(list)
        for row in (row for rows in given for row in rows or ()):
            found[row.item].append(row)
        return found

    @cached_property
    def acts(self) -> dict[ActId, Act]:
        """Acts by id."""
        return {row.id: row for row in self.rows_of(Act)}

    @cached_property
    def versions(self) -> dict[tuple[LawId, str], list[ActId]]:
        """The acts of each law in each language."""
        found: defaultdict[tuple[LawId, str], list[ActId]] = defaultdict(list)
        for act in self.acts.values():
            found[law_of(act.id), act.language].append(act.id)
        return dict(found)

    @cached_property
    def units(self) -> dict[str, Unit]:
        """Units by id."""
        return {row.id: row for row in self.rows_of(Unit)}

    @cached_property
    def units_of(self) -> dict[ActId, list[Unit]]:
        """Units by act."""
        found: defaultdict[ActId, list[Unit]] = defaultdict(list)
        for row in self.units.values():
            found[row.act_id].append(row)
        return found

    @cached_property
    def context_units(self) -> dict[tuple[ActId, ContextUnitId], ContextUnit]:
        """Context units by act and id: versions of an act that leave a text unchanged share its id."""
        return {(row.act_id, row.id): row for row in self.rows_of(ContextUnit)}

    @cached_property
    def context_by_id(self) -> dict[ContextUnitId, ContextUnit]:
        """Context units by id, in any of the acts that hold it."""
        return {row.id: row for row in self.rows_of(ContextUnit)}

    @cached_property
    def same_words(self) -> dict[tuple[ActId, str], list[ContextUnit]]:
        """Context units of one act that say the same, in order of the text."""
        found: defaultdict[tuple[ActId, str], list[ContextUnit]] = defaultdict(list)
        for row in sorted(self.context_units.values(), key=lambda row: row.order):
            found[row.act_id, row.text_sha256].append(row)
        return found

    @cached_property
    def accounted_units(self) -> frozenset[str]:
        """The units that a context unit or a rejected row names."""
        named: set[str] = {unit_id for row in self.rows_of(ContextUnit) for unit_id in row.unit_ids}
        return frozenset(named | (self.rejected_of(ContextUnit) or {}).keys())

    @cached_property
    def accounted_spans(self) -> dict[ActId, list[tuple[int, int]]]:
        """Where the articles that are accounted for lie in their act."""
        found: defaultdict[ActId, list[tuple[int, int]]] = defaultdict(list)
        for row in self.units.values():
            if row.kind is UnitKind.ARTICLE and row.id in self.accounted_units:
                found[row.act_id].append((row.start, row.end))
        return found

    @cached_property
    def questions(self) -> dict[QuestionId, list[Question]]:
        """The rows of each question: one, or one for each version of the law that it was written for."""
        found: defaultdict[QuestionId, list[Question]] = defaultdict(list)
        for row in self.rows_of(Question):
            found[row.id].append(row)
        return dict(found)

    @cached_property
    def occurrences(self) -> dict[QuestionId, dict[ActId, Occurrence]]:
        """Where each question holds."""
        found: defaultdict[QuestionId, dict[ActId, Occurrence]] = defaultdict(dict)
        for row in self.rows_of(Occurrence):
            found[row.question_id][row.act_id] = row
        return dict(found)

    @cached_property
    def bound_acts(self) -> frozenset[ActId]:
        """The acts that some question was found to hold in."""
        return frozenset(act_id for acts in self.occurrences.values() for act_id in acts)

    @cached_property
    def claims(self) -> dict[QuestionId, dict[str, list[Claim]]]:
        """The rows of each claim, by question and claim."""
        found: defaultdict[QuestionId, dict[str, list[Claim]]] = defaultdict(dict)
        for row in self.rows_of(Claim):
            found[row.question_id].setdefault(row.id, []).append(row)
        return dict(found)

    @cached_property
    def reference_claims(self) -> Counter[QuestionId]:
        """How many claims each reference answer makes: extracted ones that no expert rejected, each once."""
        kept = {
            (row.question_id, row.id)
            for row in self.rows_of(Claim)
            if row.origin is ClaimOrigin.EXTRACTED and row.review is not ReviewStatus.EXPERT_REJECTED
        }
        return Counter(question_id for question_id, _ in kept)

    @cached_property
    def chunks(self) -> dict[str, Chunk]:
        """Chunks by id."""
        return {row.id: row for row in self.rows_of(Chunk)}

    @cached_property
    def chunks_of(self) -> dict[tuple[ActId, str], list[Chunk]]:
        """Chunks by act and chunker."""
        found: defaultdict[tuple[ActId, str], list[Chunk]] = defaultdict(list)
        for row in self.rows_of(Chunk):
            found[row.act_id, row.chunker].append(row)
        return dict(found)

    @cached_property
    def runs(self) -> dict[RunId, Run]:
        """Runs by id."""
        return {row.id: row for row in self.rows_of(Run)}

    @cached_property
    def runs_of(self) -> dict[ActId, list[Run]]:
        """The runs over each act."""
        found: defaultdict[ActId, list[Run]] = defaultdict(list)
        for run in self.runs.values():
            for act_id in set(run.acts):
                found[act_id].append(run)
        return found

    def acts_of_run(self, run: Run) -> frozenset[ActId]:
        """The acts of a run, as a set."""
        if run.id not in self._run_acts:
            self._run_acts[run.id] = frozenset(run.acts)
        return self._run_acts[run.id]

    @cached_property
    def _run_acts(self) -> dict[RunId, frozenset[ActId]]:
        return {}

    @cached_property
    def retrieved(self) -> dict[Asked, list[Retrieval]]:
        """What each run retrieved for each question, by rank."""
        found: defaultdict[Asked, list[Retrieval]] = defaultdict(list)
        for row in self.rows_of(Retrieval):
            found[row.run_id, row.question_id].append(row)
        for rows in found.values():
            rows.sort(key=lambda row: row.rank)
        return dict(found)

    @cached_property
    def scored(self) -> frozenset[Asked]:
        """Which questions have a scored answer in which run."""
        return frozenset((row.run_id, row.question_id) for row in self.rows_of(ScoredAnswer))

    @cached_property
    def decided_items(self) -> frozenset[str]:
        """The ids of the items on which an expert decided anything."""
        return frozenset(row.item_id for row in self.rows_of(Decision))

    @cached_property
    def question_texts(self) -> Counter[tuple[str, str, str]]:
        """How many questions of a law and language ask the same, apart from case, accents and punctuation."""
        return Counter(asked_words(rows[0]) for rows in self.questions.values())

    @cached_property
    def triplets(self) -> Counter[tuple[str, str, str, str]]:
        """How many claims of one question say the same, apart from case and spacing."""
        return Counter(claimed_words(rows[0]) for claims in self.claims.values() for rows in claims.values())


def asked_words(row: Question) -> tuple[str, str, str]:
    """What makes two questions the same question to a reader."""
    return row.law_id, row.language, folded(row.question)


def claimed_words(row: Claim) -> tuple[str, str, str, str]:
    """What makes two claims of one question the same claim to a reader."""
    parts = (" ".join(part.casefold().split()) for part in (row.subject, row.predicate, row.object))
    subject, predicate, object_ = parts
    return row.question_id, subject, predicate, object_
