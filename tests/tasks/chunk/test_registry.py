"""Chunks of an act: bodies, units, ids, names."""

from typing import Any

import pytest

from claimrag.schemas.errors import InputError
from claimrag.schemas.unit import UnitKind
from claimrag.tasks.chunk import chunk_act, chunker_names


@pytest.fixture
def act_and_tree(made_up_build: Any) -> tuple[Any, str, list[Any]]:
    act = made_up_build.acts[0]
    return act, made_up_build.texts[act.id], [unit for unit in made_up_build.units if unit.act_id == act.id]


@pytest.mark.parametrize("chunker", ["fixed-600-120", "fixed-20-5", "article"])
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
    (whole,) = chunk_act(act, text, units, "fixed-600-120")
    assert list(whole.unit_ids) == [unit.id for unit in units if unit.kind is UnitKind.ARTICLE]
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


@pytest.mark.parametrize("name", ["fixed-20-20", "sentences", "fixed-0-0", "fixed-20", ""])
def test_an_unknown_chunker_is_refused_with_the_known_names(act_and_tree: Any, name: str) -> None:
    with pytest.raises(InputError, match="chunker"):
        chunk_act(*act_and_tree, name)


def test_a_text_that_is_not_the_acts_is_refused(act_and_tree: Any) -> None:
    act, text, units = act_and_tree
    with pytest.raises(InputError, match="parse it again"):
        chunk_act(act, text + " ", units, "article")


def test_the_papers_chunker_comes_first() -> None:
    assert chunker_names()[0] == "fixed-600-120"
