"""A made-up act as nested tuples, turned into canonical text and units, for tests of references."""

from __future__ import annotations

from datetime import date

from claimrag.legal_sources.citations import resolve_citations
from claimrag.schemas.act import Act
from claimrag.schemas.base import ActId, UnitId
from claimrag.schemas.unit import Unit, UnitKind

CODES = {
    UnitKind.RECITAL: "rct", UnitKind.TITLE: "tis", UnitKind.CHAPTER: "cpt", UnitKind.SECTION: "sct",
    UnitKind.ARTICLE: "art", UnitKind.PARAGRAPH: "par", UnitKind.SUBPARAGRAPH: "sub", UnitKind.POINT: "pnt",
    UnitKind.SUBPOINT: "pnt", UnitKind.ANNEX: "anx", UnitKind.BOOK: "bok",
}  # fmt: skip
Spec = tuple[UnitKind, str, str, list["Spec"]]


def spec(kind: str, number: str, text: str = "", *children: Spec) -> Spec:
    return UnitKind(kind), number, text, list(children)


class SmallAct:
    """`text`, `units` and `act`; unit ids are `art_1.par_2`, without the act's."""

    def __init__(
        self, *top: Spec, language: str = "en", celex: str | None = None, title: str = "An act"
    ) -> None:
        self.lines: list[str] = []
        self.length = 0
        self.units: list[Unit] = []
        for each in top:
            self._add(each, None)
        self.text = "\n".join(self.lines)
        self.act = Act(
            id=ActId("a"), publisher="p", work="w", celex=celex, title=title, language=language,
            version_date=date(2020, 1, 1), consolidated=False, layout="l", licence="l", attribution="a",
            raw_sha256="0" * 64, text_sha256="0" * 64, text_length=len(self.text),
        )  # fmt: skip
        self.units = [self._cut(unit) for unit in self.units]

    def _line(self, text: str) -> None:
        self.lines.append(text)
        self.length += len(text) + 1

    def _add(self, one: Spec, parent: Unit | None) -> None:
        kind, number, text, children = one
        label = {
            "article": f"Article {number}",
            "chapter": f"CHAPTER {number}",
            "annex": f"ANNEX {number}",
        }.get(kind.value)
        start = self.length
        short = f"{CODES[kind]}_{number}"
        nested = kind in (UnitKind.ARTICLE, UnitKind.CHAPTER, UnitKind.ANNEX, UnitKind.BOOK)
        unit_id = short if parent is None or kind is UnitKind.ARTICLE else f"{parent.id}.{short}"
        unit = Unit(
            id=UnitId(unit_id), act_id=ActId("a"), kind=kind, label=label,
            number=None if kind is UnitKind.SUBPARAGRAPH else number,
            parent_id=parent.id if parent else None, order=len(self.units), depth=0, start=start, end=start, text="",
        )  # fmt: skip
        self.units.append(unit)
        place = len(self.units) - 1
        if nested and label:
            self._line(label)
        if text:
            self._line(text)
        for child in children:
            self._add(child, unit)
        end = max(start, self.length - 1)
        self.units[place] = unit.model_construct(**(dict(unit) | {"end": end}))

    def _cut(self, unit: Unit) -> Unit:
        return Unit(**(dict(unit) | {"text": self.text[unit.start : unit.end]}))


def found(small: SmallAct) -> list[tuple[str, str, list[str]]]:
    citations = resolve_citations(small.act, small.units, small.text)
    return [(c.text, c.kind.value, list(c.target_unit_ids)) for c in citations]
