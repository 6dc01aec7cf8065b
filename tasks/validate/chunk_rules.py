"""Rules for chunks: they are the act's text, measured as their chunker says, and together they leave none of it out."""

from __future__ import annotations

import re

from claimrag.schemas.act import Act
from claimrag.schemas.base import Noun
from claimrag.schemas.canonical import content_id, sha256_text
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.unit import Unit
from claimrag.tasks.chunk.by_article import outermost_units
from claimrag.tasks.chunk.tokens import count_tokens
from claimrag.tasks.validate.lookup import Lookup
from claimrag.tasks.validate.rule import LANGUAGE_IS_OF_ACT, TEXT_IS_GIVEN, Rule, is_exact_slice

_FIXED = re.compile(r"fixed-(\d+)-\d+", re.ASCII)
_CUT_TOKENS = 8
"""How many tokens more a piece may have alone than in the running text: its first and last are cut (at most 2 seen)."""


def _body_is_exact(row: Chunk, group: Lookup) -> bool | None:
    return is_exact_slice(group, row.act_id, row.start, row.end, row.body)


def _has_text(row: Chunk, group: Lookup) -> bool:
    del group
    return bool(row.body.strip())


def _tokens_are_counted(row: Chunk, group: Lookup) -> bool:
    del group
    return row.tokens == count_tokens(row.body)


def _size_is_that_of_the_chunker(row: Chunk, group: Lookup) -> bool | None:
    del group
    fixed = _FIXED.fullmatch(row.chunker)
    return None if fixed is None else count_tokens(row.body) <= int(fixed[1]) + _CUT_TOKENS


def _names_what_it_touches(row: Chunk, group: Lookup) -> bool:
    touched = [
        unit.id
        for unit in outermost_units(group.units_of.get(row.act_id, []))
        if unit.start < row.end and row.start < unit.end
    ]
    return list(row.unit_ids) == touched


def _id_is_its_content(row: Chunk, group: Lookup) -> bool:
    del group
    content = [row.act_id, row.chunker, row.start, row.end, sha256_text(row.body)]
    return row.id == content_id("chk", content)


def _chunks_cover_the_act(row: Act, group: Lookup) -> bool | None:
    """Of every chunker that has chunks of the act, or that a run over the act names."""
    text = group.act_texts.get(row.id)
    chunkers = {chunker for act_id, chunker in group.chunks_of if act_id == row.id}
    chunkers |= {run.system.chunker for run in group.runs_of.get(row.id, [])}
    if text is None or not chunkers:
        return None
    return all(_is_covered(text, group.chunks_of.get((row.id, chunker), [])) for chunker in chunkers)


def _is_covered(text: str, chunks: list[Chunk]) -> bool:
    at = 0
    for start, end in sorted((chunk.start, chunk.end) for chunk in chunks):
        if text[at:start].strip():
            return False
        at = max(at, end)
    return not text[at:].strip()


COVERS_ACT = Rule(
    "chunks_cover_act",
    "Every character of the act, white space aside, lies in a chunk of each chunker",
    _chunks_cover_the_act,
    needs=(Chunk,),
)

CHUNK_RULES: dict[type[Noun], tuple[Rule, ...]] = {
    Chunk: (
        TEXT_IS_GIVEN,
        LANGUAGE_IS_OF_ACT,
        Rule("body_is_exact", "Its body is the act's text between its offsets", _body_is_exact),
        Rule("has_text", "Its body is not blank", _has_text),
        Rule(
            "tokens_are_counted",
            "It has as many tokens as the Mistral tokenizer counts in its body",
            _tokens_are_counted,
        ),
        Rule(
            "size_is_of_chunker",
            "A chunk of a fixed size has no more tokens than its chunker's name says",
            _size_is_that_of_the_chunker,
        ),
        Rule(
            "names_what_it_touches",
            "It names the articles, recitals and annexes that its body touches, and no other",
            _names_what_it_touches,
            needs=(Unit,),
        ),
        Rule("id_is_its_content", "The id is the hash of act, chunker, place and body", _id_is_its_content),
    ),
}
