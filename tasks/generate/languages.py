"""Tables by language: what the rules of generation know of each language they work in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from claimrag.schemas.errors import InputError

T = TypeVar("T")


class ByLanguage(dict[str, T]):
    """One value per language (`en`, `fr`). A language that is not there raises InputError, which names the table."""

    def __init__(self, table: str, values: Mapping[str, T]) -> None:
        super().__init__(values)
        self._table = table

    def __missing__(self, language: str) -> T:
        known = ", ".join(sorted(self))
        raise InputError(
            f"no questions can be written in language {language!r}: the table of {self._table} in tasks/generate "
            f"knows {known}; leave out acts in {language!r}, or add the language to every such table"
        )
