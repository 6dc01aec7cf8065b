"""Rules for what is cut from the law: acts, units, context units and chunks.

All of them come down to one promise: a row's text is the act's text between its offsets.
"""

from __future__ import annotations

from itertools import pairwise

from claimrag.schemas.act import Act
from claimrag.schemas.base import Noun
from claimrag.schemas.canonical import sha256_text
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.unit import Unit, UnitKind
from claimrag.schemas.validation import Severity
from claimrag.tasks.validate.rule import TEXT_IS_GIVEN, Rule, is_exact_slice
from claimrag.tasks.validate.tables import Build


def _act_text_is_given(row: Act, build: Build) -> bool:
    return row.id in build.act_texts


def _act_text_matches(row: Act, build: Build) -> bool | None:
    text = build.act_texts.get(row.id)
    return None if text is None else len(text) == row.text_length and sha256_text(text) == row.text_sha256


def _unit_is_exact(row: Unit, build: Build) -> bool | None:
    if row.end - row.start != len(row.text):
        return False
    return is_exact_slice(build, row.act_id, row.start, row.end, row.text)


def _unit_belongs_to_act(row: Unit, build: Build) -> bool:
    return row.id.startswith(f"{row.act_id}#") and (not build.acts or row.act_id in build.acts)


def _unit_has_its_parent(row: Unit, build: Build) -> bool | None:
    return None if row.parent_id is None else row.parent_id in build.units


def _unit_lies_in_its_parent(row: Unit, build: Build) -> bool | None:
    parent = build.units.get(row.parent_id or "")
    if parent is None or row.kind is UnitKind.FOOTNOTE:
        return None
    return parent.start <= row.start and row.end <= parent.end


def _cell_has_its_place(row: Unit, build: Build) -> bool | None:
    del build
    if row.kind is not UnitKind.CELL:
        return row.row is None and row.column is None
    return (row.row or 0) >= 1 and (row.column or 0) >= 1


def _context_is_exact(row: ContextUnit, build: Build) -> bool | None:
    return is_exact_slice(build, row.act_id, row.start, row.end, row.text)


def _context_hash_matches(row: ContextUnit, build: Build) -> bool:
    del build
    return sha256_text(row.text) == row.text_sha256


def _sentences_are_in_order(row: ContextUnit, build: Build) -> bool:
    del build
    numbered = [sentence.number for sentence in row.sentences] == list(range(1, len(row.sentences) + 1))
    inside = all(row.start <= s.start < s.end <= row.end for s in row.sentences)
    return numbered and inside and all(a.end <= b.start for a, b in pairwise(row.sentences))


def _sentences_cover_the_text(row: ContextUnit, build: Build) -> bool:
    del build
    left_out, at = "", 0
    for sentence in row.sentences:
        left_out += row.text[at : max(at, sentence.start - row.start)]
        at = max(at, sentence.end - row.start)
    return not (left_out + row.text[at:]).strip()


def _units_are_known(row: ContextUnit | Chunk, build: Build) -> bool:
    return all(unit_id in build.units for unit_id in row.unit_ids)


def _names_a_unit(row: ContextUnit, build: Build) -> bool:
    del build
    return bool(row.unit_ids)


def _chunk_is_exact(row: Chunk, build: Build) -> bool | None:
    return is_exact_slice(build, row.act_id, row.start, row.end, row.body)


def _chunk_has_text(row: Chunk, build: Build) -> bool:
    del build
    return bool(row.body.strip()) and row.tokens > 0


_KNOWN_UNITS = "Every unit that it names is in the table of units"

LAW_RULES: dict[type[Noun], tuple[Rule, ...]] = {
    Act: (
        Rule("act_text_is_given", "The text of the act was given to the validation", _act_text_is_given),
        Rule("text_matches_hash", "The act's text has the recorded length and SHA-256", _act_text_matches),
    ),
    Unit: (
        TEXT_IS_GIVEN,
        Rule(
            "text_is_exact",
            "The text is as long as its offsets say and equals act_text[start:end]",
            _unit_is_exact,
        ),
        Rule("belongs_to_act", "The id begins with the id of a known act", _unit_belongs_to_act),
        Rule("parent_exists", "The parent is in the table", _unit_has_its_parent),
        Rule(
            "lies_in_parent",
            "It lies inside its parent (footnotes lie after the body)",
            _unit_lies_in_its_parent,
        ),
        Rule("cell_has_place", "Cells, and only cells, have a row and a column from 1", _cell_has_its_place),
    ),
    ContextUnit: (
        TEXT_IS_GIVEN,
        Rule("text_is_exact", "The text equals act_text[start:end]", _context_is_exact),
        Rule("text_matches_hash", "The text has the recorded SHA-256", _context_hash_matches),
        Rule(
            "sentences_in_order",
            "Sentences are numbered from 1, lie inside the context unit and do not overlap",
            _sentences_are_in_order,
        ),
        Rule(
            "sentences_cover_text",
            "No word of the context unit lies outside its sentences",
            _sentences_cover_the_text,
            Severity.WARNING,
        ),
        Rule("names_a_unit", "It names at least one unit", _names_a_unit),
        Rule("units_exist", _KNOWN_UNITS, _units_are_known, needs=(Unit,)),
    ),
    Chunk: (
        TEXT_IS_GIVEN,
        Rule("body_is_exact", "The body equals act_text[start:end]", _chunk_is_exact),
        Rule("has_text", "The body is not blank and has at least one token", _chunk_has_text),
        Rule("units_exist", _KNOWN_UNITS, _units_are_known, needs=(Unit,)),
    ),
}
