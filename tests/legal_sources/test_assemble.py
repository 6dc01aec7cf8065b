"""Units as they come out of a parse: equal to validated ones in every way."""

from __future__ import annotations

import copy
import gc
import pickle
from datetime import date

import pytest
from pydantic import ValidationError

from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import ActHead, ParsedAct
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.unit import Unit, UnitKind


def head() -> ActHead:
    return ActHead(
        publisher="eu",
        work="32031R0077",
        title="On bread",
        language="en",
        version_date=date(2031, 5, 4),
        consolidated=False,
        layout="made-up",
        licence="none",
        attribution="nobody",
    )


def built() -> TreeBuilder:
    builder = TreeBuilder()
    builder.open(UnitKind.CHAPTER, number="I", label="CHAPTER I", heading="Bread")
    builder.open(UnitKind.ARTICLE, number="1", label="Article 1")
    builder.open(UnitKind.PARAGRAPH, number="1", label="1.", inline=True, applicable_from=date(2032, 1, 1))
    builder.block(f"Weigh it{builder.call('n')}.")
    builder.close_to(0)
    builder.open(UnitKind.TABLE)
    builder.open(UnitKind.CELL, row=1, column=2)
    builder.block("rye")
    builder.footnote("n", number="1", label="(1)", text="Twice.")
    return builder


@pytest.fixture
def parsed() -> ParsedAct:
    return assemble(built(), head(), Source.of(b"x", origin="x"), None)


def test_units_equal_validated_ones(parsed: ParsedAct) -> None:
    for unit in parsed.units:
        validated = Unit(**unit.__dict__)
        assert unit == validated and hash(unit) == hash(validated)
        assert unit.model_dump_json() == validated.model_dump_json()
        assert list(unit.model_dump()) == list(Unit.model_fields)
        assert unit.model_fields_set == validated.model_fields_set == set(Unit.model_fields)
        assert repr(unit) == repr(validated)
        assert Unit.model_validate_json(unit.model_dump_json()) == unit


def test_units_can_be_copied_and_pickled_and_not_changed(parsed: ParsedAct) -> None:
    unit = parsed.units[2]
    assert copy.deepcopy(unit) == pickle.loads(pickle.dumps(unit)) == unit
    other = unit.model_copy(update={"number": "2"})
    assert (other.number, unit.number, other.text) == ("2", "1", unit.text)
    assert unit.model_fields_set == parsed.units[0].model_fields_set == set(Unit.model_fields)
    with pytest.raises(ValidationError):
        unit.number = "3"  # type: ignore[misc]


def test_places_and_paths(parsed: ParsedAct) -> None:
    by_id = {unit.id.partition("#")[2]: unit for unit in parsed.units}
    paragraph = by_id["art_1.par_1"]
    assert (paragraph.depth, paragraph.path) == (2, ("CHAPTER I – Bread", "Article 1"))
    assert paragraph.parent_id == by_id["art_1"].id
    note = by_id["fn_1"]
    assert (note.anchor_unit_id, parsed.text[: note.anchor_offset or 0].splitlines()[-1]) == (
        paragraph.id,
        "1. Weigh it",
    )
    assert [unit.order for unit in parsed.units] == list(range(len(parsed.units)))


def test_nothing_of_the_tree_waits_for_the_garbage_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        assemble(built(), head(), Source.of(b"x", origin="x"), None)
        assert not [found for found in gc.get_objects() if type(found).__name__ == "Node"]
    finally:
        gc.enable()
