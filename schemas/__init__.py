"""The vocabulary: the nouns of claimrag, its settings, and its errors. Imports nothing else of ours."""

from claimrag.schemas.act import Act
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.claim import Claim, ClaimOrigin, Label
from claimrag.schemas.context import ContextStrategy, ContextUnit, Sentence
from claimrag.schemas.decision import Decision
from claimrag.schemas.occurrence import Evidence, Occurrence
from claimrag.schemas.question import (
    AlterationKind,
    Category,
    FalsePremise,
    Hop,
    ModelTrace,
    Persona,
    Question,
    Quotation,
    ReviewStatus,
)
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.schemas.release import Release
from claimrag.schemas.run import MeanScore, RagSystem, Retrieval, Run, ScoredAnswer, ScoreStatus
from claimrag.schemas.unit import Unit, UnitKind, UnitStatus

__all__ = [
    "Act",
    "AlterationKind",
    "Category",
    "Chunk",
    "Claim",
    "ClaimOrigin",
    "ContextStrategy",
    "ContextUnit",
    "Decision",
    "Evidence",
    "FalsePremise",
    "Hop",
    "Label",
    "MeanScore",
    "ModelTrace",
    "Occurrence",
    "Persona",
    "Question",
    "Quotation",
    "RagSystem",
    "Reason",
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
