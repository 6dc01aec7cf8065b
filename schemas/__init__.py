"""The vocabulary: the nouns of claimrag, its settings, and its errors. Imports nothing else of ours."""

from schemas.act import Act
from schemas.chunk import Chunk
from schemas.claim import Claim, ClaimOrigin, Label
from schemas.context import ContextStrategy, ContextUnit, Sentence
from schemas.decision import Decision
from schemas.question import Category, Evidence, Hop, ModelTrace, Persona, Question, ReviewStatus
from schemas.rejected import Rejected, StageCounts
from schemas.release import Release
from schemas.run import MeanScore, RagSystem, Retrieval, Run, ScoredAnswer, ScoreStatus
from schemas.unit import Unit, UnitKind, UnitStatus

__all__ = [
    "Act",
    "Category",
    "Chunk",
    "Claim",
    "ClaimOrigin",
    "ContextStrategy",
    "ContextUnit",
    "Decision",
    "Evidence",
    "Hop",
    "Label",
    "MeanScore",
    "ModelTrace",
    "Persona",
    "Question",
    "RagSystem",
    "Rejected",
    "Release",
    "Retrieval",
    "ReviewStatus",
    "Run",
    "ScoreStatus",
    "ScoredAnswer",
    "Sentence",
    "StageCounts",
    "Unit",
    "UnitKind",
    "UnitStatus",
]
