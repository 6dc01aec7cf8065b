"""The exception that carries the reason for giving an item up to where the item began."""

from __future__ import annotations

from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected

STAGE = "generate"


class ItemRejectedError(Exception):
    """One item is given up; caught where the item began and never seen outside `tasks.generate`."""

    def __init__(self, reason: Reason, detail: str, raw: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.raw = raw

    def row(self, item: str) -> Rejected:
        """The rejected row for `item`."""
        return Rejected(stage=STAGE, item=item, reason=self.reason, detail=self.detail, raw=self.raw)
