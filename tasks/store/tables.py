"""TableRef: the name of a table. Flows pass these, never rows."""

from __future__ import annotations

import re

from pydantic import field_validator

from claimrag.schemas.base import Noun
from claimrag.schemas.canonical import sha256_text

_STAGE = re.compile(r"[a-z][a-z_]*")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 120


class TableRef(Noun):
    """`stage` says what the rows are; `scope` whose they are: an act id, or a run's name."""

    stage: str
    scope: str

    @field_validator("stage")
    @classmethod
    def _stage_is_a_plain_name(cls, value: str) -> str:
        if not _STAGE.fullmatch(value):
            raise ValueError(f"a stage is lower-case letters and underscores, not {value!r}")
        return value

    @field_validator("scope")
    @classmethod
    def _scope_is_text(cls, value: str) -> str:
        value.encode("utf-8")  # a lone surrogate raises UnicodeEncodeError, which is a ValueError
        return value

    @property
    def slug(self) -> str:
        """The scope as a file name, never a path. It cannot be turned back: a table's record holds its scope.

        `/` becomes `~`; anything unusual becomes `_`, and then a hash of the scope keeps the name apart.
        """
        parts = [_UNSAFE.sub("_", part).strip(".") or "_" for part in self.scope.split("/")]
        plain = "~".join(parts)
        # A folder called `x.json` would lie where the record of `x` lies.
        unchanged = "/".join(parts) == self.scope and len(plain) <= _LONGEST and not plain.endswith(".json")
        return plain if unchanged else f"{plain[:_LONGEST]}-{sha256_text(self.scope)[:8]}"
