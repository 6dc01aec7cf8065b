"""Rules for what is cut from the law: acts, units and context units.

They come down to two promises: a row's text is the act's text between its offsets, and no article is lost.
"""

from __future__ import annotations

from itertools import pairwise

from claimrag.schemas.act import Act
from claimrag.schemas.base import Noun
from claimrag.schemas.canonical import content_id, sha256_text
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.unit import Unit, UnitKind
from claimrag.schemas.validation import Severity
from claimrag.tasks.validate.lookup import Lookup
from claimrag.tasks.validate.rule import LANGUAGE_IS_OF_ACT, TEXT_IS_GIVEN, Rule, is_exact_slice


def _act_text_is_given(row: Act, group: Lookup) -> bool:
    return row.id in group.act_texts


def _act_text_matches(row: Act, group: Lookup) -> bool | None:
    text = group.act_texts.get(row.id)
    return None if text is None else len(text) == row.text_length and sha256_text(text) == row.text_sha256


def _act_id_is_its_content(row: Act, group: Lookup) -> bool:
    del group
    return row.id == f"{row.publisher}/{row.work}/{row.version_date.isoformat()}/{row.language}"


def _unit_is_exact(row: Unit, group: Lookup) -> bool | None:
    return is_exact_slice(group, row.act_id, row.start, row.end, row.text)


def _unit_belongs_to_act(row: Unit, group: Lookup) -> bool:
    return row.id.startswith(f"{row.act_id}#") and (not group.acts or row.act_id in group.acts)


def _unit_has_its_parent(row: Unit, group: Lookup) -> bool | None:
    return None if row.parent_id is None else row.parent_id in group.units


def _unit_lies_in_its_parent(row: Unit, group: Lookup) -> bool | None:
    parent = group.units.get(row.parent_id or "")
    if parent is None or row.kind is UnitKind.FOOTNOTE:
        return None
    return parent.start <= row.start and row.end <= parent.end


def _cell_has_its_place(row: Unit, group: Lookup) -> bool:
    del group
    if row.kind is not UnitKind.CELL:
        return row.row is None and row.column is None
    return (row.row or 0) >= 1 and (row.column or 0) >= 1


def _article_is_accounted_for(row: Unit, group: Lookup) -> bool | None:
    """An article that another one quotes, and that lies in it, is accounted for with it."""
    if row.kind is not UnitKind.ARTICLE or group.rejected_of(ContextUnit) is None:
        return None
    if row.id in group.accounted_units:
        return True
    return any(start <= row.start and row.end <= end for start, end in group.accounted_spans[row.act_id])


def _context_is_exact(row: ContextUnit, group: Lookup) -> bool | None:
    return is_exact_slice(group, row.act_id, row.start, row.end, row.text)


def _context_hash_matches(row: ContextUnit, group: Lookup) -> bool:
    del group
    return sha256_text(row.text) == row.text_sha256


def _context_id_is_its_content(row: ContextUnit, group: Lookup) -> bool | None:
    """The second and later context units of an act with the same words have their count in the id."""
    act = group.acts.get(row.act_id)
    if act is None:
        return None
    same = group.same_words[row.act_id, row.text_sha256]
    number = 1 + sum(one.order < row.order for one in same)
    identity = [act.publisher, act.work, act.language, row.strategy.value, row.text]
    return row.id == content_id("ctx", identity if number == 1 else [*identity, str(number)])


def _sentences_are_in_order(row: ContextUnit, group: Lookup) -> bool:
    del group
    numbered = [sentence.number for sentence in row.sentences] == list(range(1, len(row.sentences) + 1))
    inside = all(row.start <= s.start < s.end <= row.end for s in row.sentences)
    return numbered and inside and all(a.end <= b.start for a, b in pairwise(row.sentences))


def _sentences_cover_the_text(row: ContextUnit, group: Lookup) -> bool:
    del group
    left_out, at = [], 0
    for sentence in row.sentences:
        left_out.append(row.text[at : max(at, sentence.start - row.start)])
        at = max(at, sentence.end - row.start)
    return not "".join([*left_out, row.text[at:]]).strip()


def _units_are_known(row: ContextUnit, group: Lookup) -> bool:
    named = {*row.unit_ids, *(sentence.unit_id for sentence in row.sentences)}
    found = [group.units.get(unit_id) for unit_id in named]
    return all(unit is not None and unit.act_id == row.act_id for unit in found)


def _names_a_unit(row: ContextUnit, group: Lookup) -> bool:
    del group
    return bool(row.unit_ids)


LAW_RULES: dict[type[Noun], tuple[Rule, ...]] = {
    Act: (
        Rule("act_text_is_given", "The text of the act was given", _act_text_is_given),
        Rule("text_matches_hash", "The act's text has the recorded length and SHA-256", _act_text_matches),
        Rule(
            "id_is_its_content",
            "The id is publisher, number of the law, date of the version and language",
            _act_id_is_its_content,
        ),
    ),
    Unit: (
        TEXT_IS_GIVEN,
        Rule("text_is_exact", "Its text is the act's text between its offsets", _unit_is_exact),
        Rule("belongs_to_act", "Its id begins with the id of a known act", _unit_belongs_to_act),
        Rule("parent_exists", "Its parent is in the table", _unit_has_its_parent),
        Rule(
            "lies_in_parent",
            "It lies inside its parent (footnotes lie after the body)",
            _unit_lies_in_its_parent,
        ),
        Rule("cell_has_place", "Cells, and only cells, have a row and a column from 1", _cell_has_its_place),
        Rule(
            "article_is_accounted_for",
            "An article is in a context unit, or a rejected row says why not",
            _article_is_accounted_for,
            needs=(ContextUnit,),
        ),
    ),
    ContextUnit: (
        TEXT_IS_GIVEN,
        LANGUAGE_IS_OF_ACT,
        Rule("text_is_exact", "Its text is the act's text between its offsets", _context_is_exact),
        Rule("text_matches_hash", "Its text has the recorded SHA-256", _context_hash_matches),
        Rule(
            "id_is_its_content",
            "The id is the hash of law, language, strategy and words",
            _context_id_is_its_content,
            needs=(Act,),
        ),
        Rule(
            "sentences_in_order",
            "Its sentences are numbered from 1, lie inside it and do not overlap",
            _sentences_are_in_order,
        ),
        Rule(
            "sentences_cover_text",
            "No word of it lies outside its sentences",
            _sentences_cover_the_text,
            Severity.WARNING,
        ),
        Rule("names_a_unit", "It names at least one unit of the law", _names_a_unit),
        Rule(
            "units_exist",
            "It and its sentences name units of the same act that exist",
            _units_are_known,
            needs=(Unit,),
        ),
    ),
}
