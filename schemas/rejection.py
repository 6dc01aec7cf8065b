"""What `claimrag rejected` answers: how many rows each stage rejected for which reason, and the rows themselves."""

from __future__ import annotations

from typing import Literal

from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected

Kind = Literal["judgement", "malfunction", "unknown"]


class RejectedCount(Noun):
    """How many rows of a stage were rejected for one reason, with what the reason means.

    `kind` is unknown, and `meaning` says so, where a table of another version of claimrag names a reason that this
    one does not have. `asked_again`: the next run asks the model again.
    """

    stage: str
    reason: str
    rows: int
    meaning: str
    kind: Kind
    asked_again: bool

    @classmethod
    def of(cls, stage: str, code: str, rows: int) -> RejectedCount:
        """The count with what its reason means."""
        try:
            reason = Reason.of(code)
        except KeyError:
            meaning = "a reason of another version of claimrag"
            return cls(
                stage=stage, reason=code, rows=rows, meaning=meaning, kind="unknown", asked_again=False
            )
        return cls(
            stage=stage,
            reason=code,
            rows=rows,
            meaning=reason.meaning,
            kind=reason.kind,
            asked_again=reason.asked_again,
        )


class RejectedRow(Noun):
    """One rejected row of the table of `stage` with that scope. `act_id` is None where the scope names no act.

    `item`, `detail` and `raw` are as the table holds them: a model's output, unchanged.
    """

    stage: str
    scope: str
    act_id: ActId | None
    item: str
    reason: Reason
    detail: str
    raw: str

    @classmethod
    def of(cls, stage: str, scope: str, act_id: ActId | None, row: Rejected) -> RejectedRow:
        """The row with the table that it stands in."""
        return cls(
            stage=stage,
            scope=scope,
            act_id=act_id,
            item=row.item,
            reason=row.reason,
            detail=row.detail,
            raw=row.raw,
        )


class Rejections(Noun):
    """`considered` and `kept` of each stage that `counts` names or that rejected nothing.

    For a stage, `kept` and its rows of `counts` add up to `considered`, unless a reason was asked for. `rows` is
    empty unless rows were asked for; `damaged` says of each table that could not be read what is wrong with it.
    """

    considered: dict[str, int]
    kept: dict[str, int]
    counts: tuple[RejectedCount, ...]
    rows: tuple[RejectedRow, ...] = ()
    damaged: tuple[str, ...] = ()
