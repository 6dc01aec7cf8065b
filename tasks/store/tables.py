"""TableRef: the name of a table. Flows pass these, never rows."""

from __future__ import annotations

import re

from pydantic import field_validator

from claimrag.schemas.base import Noun
from claimrag.schemas.canonical import sha256_text

_STAGE = re.compile(r"^[a-z][a-z_]*$")
_SAFE = re.compile(r"[^A-Za-z0-9._-]+")


class TableRef(Noun):
    """`stage` says what the rows are; `scope` whose they are: an act id, or a run's name."""

    stage: str
    scope: str

    @field_validator("stage")
    @classmethod
    def _stage_is_a_plain_name(cls, value: str) -> str:
        if not _STAGE.match(value):
            raise ValueError(f"a stage is lower-case letters and underscores, not {value!r}")
        return value

    @property
    def slug(self) -> str:
        """The scope as a file name, never a path: `/` becomes `~`, anything unusual `_` and a hash."""
        parts = [_SAFE.sub("_", part).strip(".") or "_" for part in self.scope.split("/")]
        changed = "/".join(parts) != self.scope
        return "~".join(parts) + (f"-{sha256_text(self.scope)[:8]}" if changed else "")
