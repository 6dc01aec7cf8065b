"""The base of every noun: frozen, strict about unknown fields, comparable by value."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, NewType

from pydantic import BaseModel, ConfigDict, StringConstraints

ActId = NewType("ActId", str)
"""`publisher/work/version-date/language`, as in `eu/32016R0679/2016-05-04/en`."""
LawId = NewType("LawId", str)
"""`publisher/work`, as in `eu/32016R0679`: the law itself, whatever its version and language."""
UnitId = NewType("UnitId", str)
"""Act id, `#`, and the structural path, as in `...#art_6.par_1.pnt_f`."""
ContextUnitId = NewType("ContextUnitId", str)
QuestionId = NewType("QuestionId", str)
ClaimId = NewType("ClaimId", str)
ChunkId = NewType("ChunkId", str)
RunId = NewType("RunId", str)
SystemId = NewType("SystemId", str)

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Noun(BaseModel):
    """A frozen model; an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_enum_values=False)


class Language(StrEnum):
    """Languages in which claimrag generates and checks."""

    EN = "en"
    FR = "fr"
