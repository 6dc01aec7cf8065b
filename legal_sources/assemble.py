"""From a filled TreeBuilder to a ParsedAct: units with ids and paths, the act bound to its hashes, health."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from claimrag.legal_sources import health
from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import UNKNOWN_DATE, ActHead, ParsedAct, Problem
from claimrag.legal_sources.tree import Node, TreeBuilder
from claimrag.legal_sources.word_count import VisibleText
from claimrag.schemas.act import Act
from claimrag.schemas.base import ActId, UnitId
from claimrag.schemas.canonical import sha256_text
from claimrag.schemas.unit import Unit, UnitKind

_FIELDS_OF_A_UNIT = set(Unit.model_fields)
_FOOTNOTE = UnitKind.FOOTNOTE
_set = object.__setattr__


_Place = tuple[UnitId | None, int, tuple[str, ...]]
"""Where the children of a node stand: below which unit, how deep, and under which headings."""


def assemble(
    builder: TreeBuilder,
    head: ActHead,
    source: Source,
    source_words: VisibleText | Counter[str] | None,
    notes: Sequence[Problem] = (),
) -> ParsedAct:
    """Close `builder` and build the act, its units and its health report.

    `source_words` is the source's visible text (`health.visible_text`) or the words of it, None where they
    cannot be counted apart from the parse. `notes` are what the parser itself found. A head with
    UNKNOWN_DATE gets the note `version_date_unknown`.
    """
    text, nodes = builder.finish()
    act_id = ActId(head.act_id)
    units = _units(act_id, text, nodes)
    builder.release()
    act = _act(head, act_id, source, text)
    problems = list(notes)
    if head.version_date == UNKNOWN_DATE:
        problems.append(Problem(code="version_date_unknown", detail="no date could be read from the source"))
    problems.extend(_footnotes_not_called(units))
    return ParsedAct(
        act=act,
        text=text,
        units=units,
        health=health.check(units, text, source_words, problems, consolidated=head.consolidated),
    )


def _act(head: ActHead, act_id: ActId, source: Source, text: str) -> Act:
    return Act(
        id=act_id,
        publisher=head.publisher,
        work=head.work,
        celex=head.celex,
        eli=head.eli,
        title=head.title,
        short_title=head.short_title,
        language=head.language,
        version_date=head.version_date,
        consolidated=head.consolidated,
        layout=head.layout,
        licence=head.licence,
        attribution=head.attribution,
        source_address=source.source_address,
        retrieved_at=source.retrieved_at,
        raw_sha256=source.raw_sha256,
        text_sha256=sha256_text(text),
        text_length=len(text),
    )


def _units(act_id: ActId, text: str, nodes: Sequence[Node]) -> tuple[Unit, ...]:
    below: dict[Node | None, _Place] = {None: (None, 0, ())}
    units: list[Unit] = []
    for order, node in enumerate(nodes):
        parent_id, depth, path = below[node.parent]
        unit_id = UnitId(f"{act_id}#{node.path_id}")
        if node.children:
            below[node] = unit_id, depth + 1, _path_below(node, path)
        start, end = node.start or 0, node.end or 0
        # `Unit(...)` for values that are right by construction, given in the order of the model's fields. Does
        # what `Unit.model_construct` does, at a tenth of its time, and all units share one set of the names of
        # their fields, which else takes more memory than their text.
        unit = Unit.__new__(Unit)
        _set(
            unit,
            "__dict__",
            {
                "id": unit_id,
                "act_id": act_id,
                "kind": node.kind,
                "number": node.number,
                "label": node.label,
                "heading": node.heading,
                "path": path,
                "parent_id": parent_id,
                "order": order,
                "depth": depth,
                "start": start,
                "end": end,
                "text": text[start:end],
                "status": node.status,
                "applicable_from": node.applicable_from,
                "anchor_unit_id": UnitId(f"{act_id}#{node.anchor.path_id}") if node.anchor else None,
                "anchor_offset": node.anchor_offset,
                "row": node.row,
                "column": node.column,
            },
        )
        _set(unit, "__pydantic_fields_set__", _FIELDS_OF_A_UNIT)
        _set(unit, "__pydantic_extra__", None)
        _set(unit, "__pydantic_private__", None)
        units.append(unit)
    return tuple(units)


def _path_below(parent: Node, path: tuple[str, ...]) -> tuple[str, ...]:
    """The path of `parent`'s children: its own path, then its label and heading."""
    printed = " – ".join(part for part in (parent.label, parent.heading) if part)
    return (*path, printed) if printed else path


def _footnotes_not_called(units: Sequence[Unit]) -> list[Problem]:
    return [
        Problem(
            code="footnote_not_called", unit_id=unit.id, detail=f"footnote {unit.label or ''} is not called"
        )
        for unit in units
        if unit.kind is _FOOTNOTE and unit.anchor_unit_id is None
    ]
