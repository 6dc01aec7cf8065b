"""Chunks of an act: bodies, units, ids, names."""

from typing import Any

import pytest

from claimrag.schemas.errors import InputError
from claimrag.schemas.unit import UnitKind
from claimrag.tasks.chunk import CHUNKERS, DEFAULT_CHUNKER, chunk_act, chunker_names, find_chunker


@pytest.fixture
def act_and_tree(made_up_build: Any) -> tuple[Any, str, list[Any]]:
    act = made_up_build.acts[0]
    return act, made_up_build.texts[act.id], [unit for unit in made_up_build.units if unit.act_id == act.id]


@pytest.mark.parametrize("chunker", [*chunker_names(), "fixed-20-5"])
def test_every_body_is_the_text_at_its_offsets(act_and_tree: Any, chunker: str) -> None:
    act, text, units = act_and_tree
    chunks = chunk_act(act, text, units, chunker)
    assert chunks
    for order, chunk in enumerate(chunks):
        assert text[chunk.start : chunk.end] == chunk.body
        assert (chunk.order, chunk.act_id, chunk.chunker, chunk.language) == (order, act.id, chunker, "en")
        assert chunk.tokens > 0
    covered = {i for chunk in chunks for i in range(chunk.start, chunk.end)}
    assert {i for i, character in enumerate(text) if not character.isspace()} <= covered


def test_a_window_lists_the_articles_that_it_touches_in_order(act_and_tree: Any) -> None:
    act, text, units = act_and_tree
    (only,) = chunk_act(act, text, units, "fixed-600-120")
    assert list(only.unit_ids) == [unit.id for unit in units if unit.kind is UnitKind.ARTICLE]
    first = chunk_act(act, text, units, "fixed-10-0")[0]
    assert list(first.unit_ids) == [f"{act.id}#art_1"]


def test_article_chunks_are_the_articles(act_and_tree: Any) -> None:
    act, text, units = act_and_tree
    articles = [unit for unit in units if unit.kind is UnitKind.ARTICLE]
    chunks = chunk_act(act, text, units, "article")
    assert [(c.body, c.unit_ids) for c in chunks] == [(u.text, (u.id,)) for u in articles]


def test_an_article_inside_an_annex_is_no_chunk_of_its_own_and_text_between_units_is_kept(
    act_and_tree: Any,
) -> None:
    act, text, units = act_and_tree
    articles = [unit for unit in units if unit.kind is UnitKind.ARTICLE]
    last = articles[-1].model_copy(update={"id": f"{act.id}#anx", "kind": UnitKind.ANNEX, "depth": 0})
    tree = [articles[0], articles[-1], last]
    chunks = chunk_act(act, text, tree, "article")
    assert [c.unit_ids for c in chunks] == [(articles[0].id,), (), (last.id,)]
    assert chunks[1].body == text[articles[0].end : last.start].strip()


def test_ids_hash_the_content_and_the_place(act_and_tree: Any) -> None:
    act, text, units = act_and_tree
    one, again = (chunk_act(act, text, units, "fixed-20-5") for _ in range(2))
    assert one == again
    other = chunk_act(act, text, units, "fixed-20-6")
    ids = [chunk.id for chunk in one + other]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("name", ["sentences", "fixed-20", "fixed-0-0", "Article", ""])
def test_an_unknown_chunker_is_refused_with_the_known_names(act_and_tree: Any, name: str) -> None:
    with pytest.raises(InputError, match=r"known are fixed-600-120, article, .*and fixed-<tokens>-<overlap>"):
        chunk_act(*act_and_tree, name)
    with pytest.raises(InputError, match="unknown chunker"):
        find_chunker(name)


def test_every_chunker_is_found_by_its_name() -> None:
    assert chunker_names()[:2] == ["fixed-600-120", "article"]
    assert [find_chunker(name) for name in chunker_names()] == list(CHUNKERS)
    assert find_chunker("fixed-512-0").name == "fixed-512-0"


def test_the_papers_chunker_is_the_default(act_and_tree: Any) -> None:
    assert DEFAULT_CHUNKER == "fixed-600-120"
    assert {chunk.chunker for chunk in chunk_act(*act_and_tree)} == {"fixed-600-120"}


def test_a_text_that_is_not_the_acts_is_refused(act_and_tree: Any) -> None:
    act, text, units = act_and_tree
    with pytest.raises(InputError, match="parse it again"):
        chunk_act(act, text + " ", units, "article")


@pytest.mark.parametrize("chunker", ["fixed-3-1", "fixed-20-5", "article"])
def test_a_chunk_lists_every_unit_that_it_shares_a_character_with(act_and_tree: Any, chunker: str) -> None:
    act, text, units = act_and_tree
    articles = [unit for unit in units if unit.kind is UnitKind.ARTICLE]
    for chunk in chunk_act(act, text, units, chunker):
        characters = set(range(chunk.start, chunk.end))
        shared = [u.id for u in articles if characters & set(range(u.start, u.end))]
        assert list(chunk.unit_ids) == shared


def test_a_chunk_is_numbered_and_measured(act_and_tree: Any) -> None:
    chunks = chunk_act(*act_and_tree, "fixed-20-5")
    assert [chunk.order for chunk in chunks] == list(range(len(chunks)))
    assert {(chunk.part, chunk.prefix, chunk.references) for chunk in chunks} == {(1, "", ())}
    assert {chunk.tokens for chunk in chunks[:-1]} <= {19, 20, 21}


def test_white_space_between_units_is_no_chunk_and_the_text_around_them_is(act_and_tree: Any) -> None:
    act, text, units = act_and_tree
    middle = next(unit for unit in units if unit.id.endswith("#art_2"))
    chunks = chunk_act(act, text, [middle], "article")
    assert [chunk.body for chunk in chunks] == [
        text[: middle.start].strip(),
        middle.text,
        text[middle.end :].strip(),
    ]
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.body


def test_units_in_any_order_and_empty_ones_give_the_same_chunks(act_and_tree: Any) -> None:
    act, text, units = act_and_tree
    first = next(unit for unit in units if unit.kind is UnitKind.ARTICLE)
    empty = first.model_copy(update={"id": f"{act.id}#art_0", "end": first.start, "text": ""})
    inner = first.model_copy(update={"id": f"{act.id}#art_i", "start": first.start + 3, "depth": 2})
    same = first.model_copy(update={"id": f"{act.id}#art_s", "depth": 2})
    expected = chunk_act(act, text, units, "article")
    assert chunk_act(act, text, [same, inner, empty, *reversed(units)], "article") == expected


def test_the_longer_of_two_units_that_begin_together_is_the_chunk(act_and_tree: Any) -> None:
    act, text, units = act_and_tree
    first = next(unit for unit in units if unit.kind is UnitKind.ARTICLE)
    shorter = first.model_copy(update={"id": f"{act.id}#art_s", "end": first.end - 5})
    expected = chunk_act(act, text, units, "article")
    for tree in ([shorter, *units], [*units, shorter]):
        assert chunk_act(act, text, tree, "article") == expected


def test_a_unit_without_text_is_no_chunk_and_cuts_nothing(act_and_tree: Any) -> None:
    act, text, units = act_and_tree
    first, second, *_ = (unit for unit in units if unit.kind is UnitKind.ARTICLE)
    empty = first.model_copy(
        update={"id": f"{act.id}#art_e", "start": first.start + 4, "end": first.start + 4}
    )
    assert [c.body for c in chunk_act(act, text, [empty], "article")] == [text.strip()]
    assert [c.unit_ids for c in chunk_act(act, text, [empty, second], "article")] == [(), (second.id,), ()]


@pytest.mark.parametrize("kind", [UnitKind.RECITAL, UnitKind.ANNEX, UnitKind.ARTICLE])
def test_articles_recitals_and_annexes_are_chunks_of_their_own(act_and_tree: Any, kind: UnitKind) -> None:
    act, text, units = act_and_tree
    renamed = [
        unit.model_copy(update={"kind": kind}) if unit.kind is UnitKind.ARTICLE else unit for unit in units
    ]
    assert [chunk.body for chunk in chunk_act(act, text, renamed, "article")] == [
        unit.text for unit in units if unit.kind is UnitKind.ARTICLE
    ]
    chapters = [unit.model_copy(update={"kind": UnitKind.CHAPTER}) for unit in units]
    assert [chunk.body for chunk in chunk_act(act, text, chapters, "article")] == [text.strip()]
