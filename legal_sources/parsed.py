"""What a parser returns: the act, its canonical text, its tree of units, and a health report.

Promises: `text[unit.start:unit.end] == unit.text` for every unit; units stand in document order (a parent
before its children); the same bytes give the same ids and offsets. Does not parse anything itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from claimrag.legal_sources.problem_codes import FAILING_CODES
from claimrag.schemas.act import Act
from claimrag.schemas.base import Noun, UnitId
from claimrag.schemas.unit import Unit, UnitKind

UNKNOWN_DATE = date(1, 1, 1)
"""Version date of a law whose bytes carry no date; always with the note `version_date_unknown`."""


class Problem(Noun):
    """One finding of the health check. `code` is one of `legal_sources.problem_codes.PROBLEM_CODES`."""

    code: str
    unit_id: UnitId | None = None
    detail: str


class Health(Noun):
    """Whether the parse can be relied on.

    `ok` is False when a problem has a failing code; other problems are notes. `words_in_source` counts the
    words of the source's visible text (page chrome left out), `words_landed` those that reached a unit.
    """

    ok: bool
    problems: tuple[Problem, ...] = ()
    words_in_source: int
    words_landed: int

    @property
    def failures(self) -> tuple[Problem, ...]:
        """The problems that make the parse unhealthy."""
        return tuple(problem for problem in self.problems if problem.code in FAILING_CODES)

    @property
    def notes(self) -> tuple[Problem, ...]:
        """The other problems. `health.warning_sentences` says which of them a build should show, and how."""
        return tuple(problem for problem in self.problems if problem.code not in FAILING_CODES)

    @property
    def landed_share(self) -> float:
        """Words landed over words in source; 1.0 for a source without words."""
        return self.words_landed / self.words_in_source if self.words_in_source else 1.0


@dataclass(frozen=True)
class ActHead:
    """What a parser knows of an act before its text is hashed: identity, title, language, licence.

    `work` is the publisher's number of the law (for EUR-Lex the CELEX number of the act, also for its
    consolidated versions). `version_date` is UNKNOWN_DATE when the bytes do not say.
    """

    publisher: str
    work: str
    title: str
    language: str
    version_date: date
    consolidated: bool
    layout: str
    licence: str
    attribution: str
    celex: str | None = None
    eli: str | None = None
    short_title: str | None = None

    @property
    def act_id(self) -> str:
        """`publisher/work/version-date/language`."""
        return f"{self.publisher}/{self.work}/{self.version_date.isoformat()}/{self.language}"


@dataclass(frozen=True)
class ParsedAct:
    """An act read from its bytes; `units` in document order, footnotes last."""

    act: Act
    text: str
    units: tuple[Unit, ...]
    health: Health

    def counts(self) -> dict[str, int]:
        """Units by kind, kinds in alphabetical order; kinds that do not occur are absent."""
        by_kind = Counter([unit.kind for unit in self.units])
        return {kind.value: by_kind[kind] for kind in sorted(by_kind)}

    def of_kind(self, kind: UnitKind) -> Iterator[Unit]:
        """The units of one kind, in document order."""
        return (unit for unit in self.units if unit.kind is kind)


def own_text_start(unit: Unit) -> int:
    """Offset into the act's text at which `unit` goes on after its printed label and heading.

    Equals `unit.end` for a unit that prints nothing but its label and heading.
    """
    position = 0
    for printed in (unit.label, unit.heading):
        if printed and unit.text.startswith(printed, position):
            position += len(printed)
            while position < len(unit.text) and unit.text[position] in " \n":
                position += 1
    return unit.start + position
