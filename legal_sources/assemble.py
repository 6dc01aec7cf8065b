"""From a finished TreeBuilder to a ParsedAct: units with ids and paths, the act bound to its hashes, health."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from legal_sources import health
from legal_sources.markup import Source
from legal_sources.parsed import UNKNOWN_DATE, ActHead, ParsedAct, Problem
from legal_sources.tree import Node, TreeBuilder
from schemas.act import Act
from schemas.base import ActId, UnitId
from schemas.canonical import sha256_text
from schemas.unit import Unit


def assemble(
    builder: TreeBuilder,
    head: ActHead,
    source: Source,
    source_words: Counter[str] | None,
    notes: Sequence[Problem] = (),
) -> ParsedAct:
    """Finish `builder` and make the act, its units and its health report.

    `source_words` are the words of the source's visible text (`health.words_in_tree`), None where they
    cannot be counted apart from the parse. `notes` are what the parser itself found. A head with
    UNKNOWN_DATE gets the note `version_date_unknown`.
    """
    text, nodes = builder.finish()
    act_id = ActId(head.act_id)
    units = _units(act_id, text, nodes)
    act = _act(head, act_id, source, text)
    found = list(notes)
    if head.version_date == UNKNOWN_DATE:
        found.append(Problem(code="version_date_unknown", detail="no date could be read from the source"))
    found.extend(_footnotes_not_called(units))
    return ParsedAct(
        act=act,
        text=text,
        units=units,
        health=health.check(units, text, source_words, found, consolidated=head.consolidated),
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
    paths: dict[int, tuple[str, ...]] = {}
    depths: dict[int, int] = {}
    units: list[Unit] = []
    for order, node in enumerate(nodes):
        parent = node.parent
        depth = depths[id(parent)] + 1 if parent else 0
        path = _path_below(parent, paths[id(parent)]) if parent else ()
        depths[id(node)], paths[id(node)] = depth, path
        start, end = node.start or 0, node.end or 0
        units.append(
            Unit(
                id=_unit_id(act_id, node),
                act_id=act_id,
                kind=node.kind,
                number=node.number,
                label=node.label,
                heading=node.heading,
                path=path,
                parent_id=_unit_id(act_id, parent) if parent else None,
                order=order,
                depth=depth,
                start=start,
                end=end,
                text=text[start:end],
                status=node.status,
                applicable_from=node.applicable_from,
                anchor_unit_id=_unit_id(act_id, node.anchor) if node.anchor else None,
                anchor_offset=node.anchor_offset,
                row=node.row,
                column=node.column,
            )
        )
    return tuple(units)


def _unit_id(act_id: ActId, node: Node) -> UnitId:
    return UnitId(f"{act_id}#{node.path_id}")


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
        if unit.kind.value == "footnote" and unit.anchor_unit_id is None
    ]
