"""What changed between two parses of a law, article by article: added, changed, removed.

Articles are matched by number (and, where a number repeats, by its order among them) and compared by their
text with blanks folded, so that two layouts of the same wording compare as equal. Renumbering shows as a
removal and an addition; nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from claimrag.schemas.base import Noun
from claimrag.schemas.unit import Unit, UnitKind


class Changes(Noun):
    """Numbers of the articles in the order of the law; `unchanged` counts the rest."""

    kind: UnitKind
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0

    @property
    def any(self) -> bool:
        """Whether anything differs."""
        return bool(self.added or self.changed or self.removed)

    def sentences(self) -> list[str]:
        """One sentence per article, for `--check`."""
        name = self.kind.value
        found = (("added", self.added), ("changed", self.changed), ("removed", self.removed))
        return [f"{name} {number} was {what}" for what, numbers in found for number in numbers]


def compare(old: Iterable[Unit], new: Iterable[Unit], kind: UnitKind = UnitKind.ARTICLE) -> Changes:
    """Compare the units of one kind; `old` empty means that everything was added."""
    before, after = _by_number(old, kind), _by_number(new, kind)
    same = [number for number in after if number in before and before[number] == after[number]]
    return Changes(
        kind=kind,
        added=tuple(number for number in after if number not in before),
        changed=tuple(number for number in after if number in before and before[number] != after[number]),
        removed=tuple(number for number in before if number not in after),
        unchanged=len(same),
    )


def _by_number(units: Iterable[Unit], kind: UnitKind) -> dict[str, str]:
    seen: Counter[str] = Counter()
    found: dict[str, str] = {}
    for unit in units:
        if unit.kind is not kind:
            continue
        number = " ".join((unit.number or "without number").split())
        seen[number.casefold()] += 1
        repeat = seen[number.casefold()]
        found[number if repeat == 1 else f"{number} ({repeat})"] = " ".join(unit.text.split())
    return found
