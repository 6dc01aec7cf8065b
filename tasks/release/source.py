"""ReleaseSource: what a release is written from, act by act, so that no table is held whole.

The acts, the runs and the counts are small and given at once. Questions and claims are items: a source may give
the same item with several acts, and those written for any version of the law with each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from claimrag.schemas.act import Act
from claimrag.schemas.base import ActId
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.claim import Claim
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.errors import StoreError
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.question import Question
from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.schemas.rejection import RejectedRow
from claimrag.schemas.run import Retrieval, Run, ScoredAnswer
from claimrag.schemas.unit import Unit
from claimrag.tasks.run.versions import expression_of


class ReleaseSource(Protocol):
    """The tables behind a release. Rows may come in any order; each method may be called more than once.

    `counts` are those of each stage, by the name of its table. `occurrences(act_id)` are those of that act;
    `questions` and `claims` are the items that were written for it, or for any version of its law.
    """

    @property
    def acts(self) -> Sequence[Act]:
        """Every act of the release."""
        ...

    @property
    def runs(self) -> Sequence[Run]:
        """The evaluated systems; none when nothing was evaluated."""
        ...

    @property
    def counts(self) -> Mapping[str, StageCounts]:
        """What each stage considered, kept and rejected."""
        ...

    def units(self, act_id: ActId) -> Iterable[Unit]:
        """The units of an act."""
        ...

    def context_units(self, act_id: ActId) -> Iterable[ContextUnit]:
        """The context units of an act."""
        ...

    def questions(self, act_id: ActId) -> Iterable[Question]:
        """The questions written for an act."""
        ...

    def occurrences(self, act_id: ActId) -> Iterable[Occurrence]:
        """Which questions hold in an act, and where."""
        ...

    def claims(self, act_id: ActId) -> Iterable[Claim]:
        """The claims of the answers to an act's questions."""
        ...

    def chunks(self, act_id: ActId) -> Iterable[Chunk]:
        """The chunks of an act that some run retrieved from; none when nothing was evaluated."""
        ...

    def answers(self, act_id: ActId) -> Iterable[ScoredAnswer]:
        """What the runs answered to the questions of an act, run by run."""
        ...

    def retrievals(self, act_id: ActId) -> Iterable[Retrieval]:
        """What was retrieved for those questions."""
        ...

    def rejected(self, act_id: ActId, stage: str) -> Iterable[Rejected]:
        """The rows of an act that a stage of `counts` rejected; over all acts as many as its counts say."""
        ...


@dataclass(frozen=True)
class ReleaseContent:
    """A source in memory, from lists: for a few laws, for examples and tests.

    Raises StoreError for a row that belongs to none of the acts.
    """

    acts: Sequence[Act]
    all_units: Sequence[Unit]
    all_context_units: Sequence[ContextUnit]
    all_questions: Sequence[Question]
    all_occurrences: Sequence[Occurrence]
    all_claims: Sequence[Claim]
    runs: Sequence[Run] = ()
    counts: Mapping[str, StageCounts] = field(default_factory=dict)
    all_chunks: Sequence[Chunk] = ()
    all_answers: Sequence[ScoredAnswer] = ()
    all_retrievals: Sequence[Retrieval] = ()
    all_rejected: Sequence[RejectedRow] = ()

    def __post_init__(self) -> None:
        acts = {act.id for act in self.acts}
        laws = {expression_of(act_id) for act_id in acts}
        of_acts: tuple[Unit | ContextUnit | Occurrence | Chunk | ScoredAnswer, ...]
        of_acts = (
            *self.all_units,
            *self.all_context_units,
            *self.all_occurrences,
            *self.all_chunks,
            *self.all_answers,
        )
        items: tuple[Question | Claim, ...] = (*self.all_questions, *self.all_claims)
        strays: list[str | None] = [
            *(row.act_id for row in self.all_rejected if row.act_id not in acts),
            *(row.act_id for row in of_acts if row.act_id not in acts),
            *(item.law_id for item in items if (item.law_id, item.language) not in laws),
        ]
        if strays:
            raise StoreError(f"a row belongs to {strays[0]}, which is not in the release; give its act")

    def units(self, act_id: ActId) -> list[Unit]:
        """The units of an act."""
        return [unit for unit in self.all_units if unit.act_id == act_id]

    def context_units(self, act_id: ActId) -> list[ContextUnit]:
        """The context units of an act."""
        return [unit for unit in self.all_context_units if unit.act_id == act_id]

    def questions(self, act_id: ActId) -> list[Question]:
        """The questions on the act's law in its language."""
        return [one for one in self.all_questions if (one.law_id, one.language) == expression_of(act_id)]

    def occurrences(self, act_id: ActId) -> list[Occurrence]:
        """The occurrences in an act."""
        return [one for one in self.all_occurrences if one.act_id == act_id]

    def claims(self, act_id: ActId) -> list[Claim]:
        """The claims on the act's law in its language."""
        return [one for one in self.all_claims if (one.law_id, one.language) == expression_of(act_id)]

    def chunks(self, act_id: ActId) -> list[Chunk]:
        """The chunks of an act."""
        return [chunk for chunk in self.all_chunks if chunk.act_id == act_id]

    def answers(self, act_id: ActId) -> list[ScoredAnswer]:
        """The answers to the questions of an act."""
        return [answer for answer in self.all_answers if answer.act_id == act_id]

    def retrievals(self, act_id: ActId) -> list[Retrieval]:
        """What was retrieved for those answers."""
        answered = {(answer.run_id, answer.question_id) for answer in self.answers(act_id)}
        return [row for row in self.all_retrievals if (row.run_id, row.question_id) in answered]

    def rejected(self, act_id: ActId, stage: str) -> list[Rejected]:
        """The rejected rows of an act and stage."""
        return [
            Rejected(stage=row.stage, item=row.item, reason=row.reason, detail=row.detail, raw=row.raw)
            for row in self.all_rejected
            if (row.act_id, row.stage) == (act_id, stage)
        ]
