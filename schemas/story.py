"""What `claimrag show` answers: one thing of a workspace with all that is known of it. One model per kind of thing."""

from __future__ import annotations

from typing import Literal

from claimrag.schemas.base import ActId, Noun, RunId, UnitId
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.claim import Claim
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import Question
from claimrag.schemas.rejection import RejectedRow
from claimrag.schemas.run import MeanScore, RagSystem, ScoreStatus
from claimrag.schemas.status import RunStatus
from claimrag.schemas.unit import Unit


class Passage(Noun):
    """Words of a law in place: `before + quotation + after` stands in the act's text, byte for byte.

    `place` is the path of the unit from the outermost container, labels and headings; `start` is the quotation's
    offset in the act's text.
    """

    act_id: ActId
    unit_id: UnitId
    place: tuple[str, ...]
    start: int
    before: str
    quotation: str
    after: str


class AnswerScore(Noun):
    """How one system answered one question. `scores` are fractions 0..1 by heading, those that are defined."""

    run_id: RunId
    system: str
    act_id: ActId
    status: ScoreStatus
    response: str | None
    scores: dict[str, float]


class QuestionStory(Noun):
    """A question from its draft to its releases. `written_for` and `holds_in` are versions of the law.

    `title` is the law's. `passages` are the quotations in the newest version in which it holds. `rejections` are rows
    about it in later stages: versions that lack its words, claims and answers that were lost. `releases` have it,
    the newest first.
    """

    kind: Literal["question"] = "question"
    question: Question
    title: str | None
    written_for: tuple[ActId, ...]
    holds_in: tuple[ActId, ...]
    passages: tuple[Passage, ...]
    claims: tuple[Claim, ...]
    scores: tuple[AnswerScore, ...]
    rejections: tuple[RejectedRow, ...]
    releases: tuple[str, ...]
    damaged: tuple[str, ...] = ()


class ClaimStory(Noun):
    """A claim with its question, whose passages are what the label was judged by; None when that is not there."""

    kind: Literal["claim"] = "claim"
    claim: Claim
    question: QuestionStory | None
    releases: tuple[str, ...]
    damaged: tuple[str, ...] = ()


class UnitStory(Noun):
    """A unit of a law, or a context unit made of some, with the questions that rest on it and what was rejected."""

    kind: Literal["unit", "context unit"]
    unit: Unit | ContextUnit
    title: str | None
    place: tuple[str, ...]
    questions: tuple[Question, ...]
    rejections: tuple[RejectedRow, ...]
    damaged: tuple[str, ...] = ()


class ChunkStory(Noun):
    """A chunk, how many questions it was retrieved for, and for how many of them it holds evidence."""

    kind: Literal["chunk"] = "chunk"
    chunk: Chunk
    title: str | None
    retrieved: int
    with_evidence: int
    damaged: tuple[str, ...] = ()


class EvaluationStory(Noun):
    """An evaluated system: means in percent by heading, and how many answers have which status."""

    kind: Literal["run"] = "run"
    run_id: RunId
    system: RagSystem
    language: str
    acts: tuple[ActId, ...]
    questions: int
    scores: dict[str, MeanScore]
    answers: dict[ScoreStatus, int]
    rejections: int
    damaged: tuple[str, ...] = ()


class BuildStory(Noun):
    """A build by its manifest."""

    kind: Literal["build"] = "build"
    build: RunStatus
    damaged: tuple[str, ...] = ()


class RejectedStory(Noun):
    """Something that was not kept: every rejected row that is about `item`."""

    kind: Literal["rejected"] = "rejected"
    item: str
    rejections: tuple[RejectedRow, ...]
    damaged: tuple[str, ...] = ()


Story = QuestionStory | ClaimStory | UnitStory | ChunkStory | EvaluationStory | BuildStory | RejectedStory
