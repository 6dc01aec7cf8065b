"""The builder of canonical text and units."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimrag.legal_sources.tree import Node, TreeBuilder, normalise, number_in_id
from claimrag.schemas.unit import UnitKind


def built(builder: TreeBuilder) -> tuple[str, dict[str, Node]]:
    text, nodes = builder.finish()
    return text, {node.path_id: node for node in nodes}


def slice_of(text: str, node: Node) -> str:
    return text[node.start : node.end]


def test_no_break_spaces_and_invisible_characters_do_not_survive() -> None:
    assert normalise("  a\u00a0\u202f\u2009b\n c\u00ad\u200bd\ufeff ") == "a b cd"
    assert normalise("e\u0301t\u00e9") == "été"


@given(st.text(max_size=60))
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert "\n" not in once and once == once.strip()


@given(
    st.text(
        st.sampled_from("aé\u0301\u030a \u00a0\u2000\u2009\n\t\x1c\x85\u00ad\u200b\ufeffÅ’;\u037e"),
        max_size=12,
    )
)
def test_normalising_removes_what_is_invisible_composes_and_joins(text: str) -> None:
    visible = "".join(one for one in text if one not in "\u00ad\u200b\ufeff")
    assert normalise(text) == " ".join(unicodedata.normalize("NFC", visible).split())


def test_numbers_in_ids_are_plain() -> None:
    assert [number_in_id(number) for number in ("16 bis", "4.1", "L. 234-1", "1er", "9 et 10", "…")] == [
        "16bis",
        "4-1",
        "L-234-1",
        "1er",
        "9-et-10",
        "",
    ]


def test_labels_stand_on_their_own_line_or_start_the_first_block() -> None:
    builder = TreeBuilder()
    builder.open(UnitKind.ARTICLE, number="6", label="Article 6", heading="Bread")
    builder.open(UnitKind.PARAGRAPH, number="1", label="1.", inline=True)
    builder.open(UnitKind.POINT, number="a", label="(a)", inline=True)
    builder.block(" of   rye ")
    text, nodes = built(builder)
    assert text == "Article 6\nBread\n1. (a) of rye"
    assert slice_of(text, nodes["art_6.par_1.pnt_a"]) == "(a) of rye"
    assert slice_of(text, nodes["art_6.par_1"]) == "1. (a) of rye"


def test_an_article_id_ignores_containers_and_containers_nest() -> None:
    builder = TreeBuilder()
    builder.open(UnitKind.ENACTING_TERMS)
    builder.open(UnitKind.CHAPTER, number="III", label="CHAPTER III")
    builder.open(UnitKind.SECTION, number="1", label="Section 1")
    builder.open(UnitKind.ARTICLE, number="12", label="Article 12")
    builder.close_to(0)
    builder.open(UnitKind.ANNEX, number="I", label="ANNEX I")
    builder.open(UnitKind.SECTION, number="A", label="Section A")
    builder.open(UnitKind.ARTICLE, number="12", label="Article 12")
    _, nodes = built(builder)
    assert list(nodes) == [
        "enc_1",
        "cpt_III",
        "cpt_III.sct_1",
        "art_12",
        "anx_I",
        "anx_I.sct_A",
        "anx_I.art_12",
    ]


def test_a_taken_id_gets_a_number() -> None:
    builder = TreeBuilder()
    for _ in range(3):
        builder.open(UnitKind.ARTICLE, number="1")
        builder.block("x")
        builder.close()
    builder.open(UnitKind.ARTICLE, number="1_2")
    _, nodes = built(builder)
    assert list(nodes) == ["art_1", "art_1_2", "art_1_3", "art_1-2"]


def test_a_unit_without_text_stands_between_its_neighbours() -> None:
    builder = TreeBuilder()
    builder.open(UnitKind.TABLE)
    for column, cell in enumerate(("a", "", "b"), start=1):
        builder.open(UnitKind.CELL, row=1, column=column)
        builder.block(cell)
        builder.close()
    text, nodes = built(builder)
    assert text == "a\nb"
    assert [(node.start, node.end) for node in nodes.values()] == [(0, 3), (0, 1), (1, 1), (2, 3)]


def test_a_label_without_any_text_is_still_printed() -> None:
    builder = TreeBuilder()
    point = builder.open(UnitKind.POINT, number="a", label="(a)", inline=True)
    builder.close(point)
    text, nodes = built(builder)
    assert (text, slice_of(text, nodes["pnt_a"])) == ("(a)", "(a)")


def test_a_call_leaves_no_trace_but_its_offset() -> None:
    builder = TreeBuilder()
    builder.open(UnitKind.ARTICLE, number="1")
    builder.block(f"Rule 5 ({builder.call('a')}), and  rule{builder.call('b')}7 {builder.call('c')}.")
    builder.footnote("c", number="3", label="(3)", text="third")
    builder.footnote("a", number="1", label="(1)", text="first")
    builder.footnote("lost", number="9", label="(9)", text="never called")
    text, nodes = built(builder)
    assert text == "Rule 5, and rule7.\n(3) third\n(1) first\n(9) never called"
    assert [nodes[f"fn_{number}"].anchor_offset for number in (3, 1, 9)] == [17, 6, None]
    assert nodes["fn_1"].anchor is nodes["art_1"]


def test_a_forged_call_mark_does_no_harm() -> None:
    builder = TreeBuilder()
    builder.open(UnitKind.ARTICLE, number="1")
    builder.block("a \ufdd099\ufdd1 b")
    text, _ = built(builder)
    assert text == "a b"


def test_punctuation_can_join_the_block_before_it() -> None:
    builder = TreeBuilder()
    builder.open(UnitKind.ARTICLE, number="1")
    builder.open(UnitKind.POINT, number="a", label="(a)", inline=True)
    builder.block("rye’")
    builder.close()
    builder.extend(";")
    text, nodes = built(builder)
    assert text == "(a) rye’;"
    assert nodes["art_1"].end == len(text)


def test_misuse_is_an_error() -> None:
    builder = TreeBuilder()
    with pytest.raises(ValueError, match="needs an open unit"):
        builder.block("x")
    with pytest.raises(ValueError, match="needs an open unit"):
        builder.add_heading("x")
    with pytest.raises(ValueError, match="no such unit"):
        builder.close()
    node = builder.open(UnitKind.ARTICLE, number="1")
    builder.close()
    with pytest.raises(ValueError, match="no such unit"):
        builder.close(node)


ACTIONS = st.lists(
    st.one_of(
        st.tuples(
            st.just("open"), st.sampled_from(list(UnitKind)), st.sampled_from(["1", "a", "16 bis", None])
        ),
        st.tuples(st.just("block"), st.text(max_size=12), st.booleans()),
        st.tuples(st.just("close"), st.none(), st.none()),
        st.tuples(st.just("extend"), st.sampled_from([";", "’.", ""]), st.none()),
    ),
    max_size=40,
)


def replay(actions: list[tuple[str, object, object]]) -> tuple[str, list[Node]]:
    builder = TreeBuilder()
    for name, first, second in actions:
        if name == "open" and isinstance(first, UnitKind):
            number = second if isinstance(second, str) else None
            builder.open(first, number=number, label=f"({number})" if number else None, inline=number == "a")
        elif name == "block" and builder.depth and isinstance(first, str):
            builder.block(first + (builder.call("k") if second else ""))
        elif name == "close" and builder.depth:
            builder.close()
        elif name == "extend" and builder.depth and isinstance(first, str):
            builder.extend(first)
    builder.footnote("k", number="1", label="(1)", text="note")
    return builder.finish()


@given(ACTIONS)
def test_whatever_is_written_units_nest_stay_in_order_and_repeat(
    actions: list[tuple[str, object, object]],
) -> None:
    text, nodes = replay(actions)
    again, others = replay(actions)
    assert text == again
    assert [(node.path_id, node.start, node.end) for node in nodes] == [
        (node.path_id, node.start, node.end) for node in others
    ]
    assert len({node.path_id for node in nodes}) == len(nodes)
    last: dict[int, int] = {}
    for node in nodes:
        assert node.start is not None and node.end is not None
        assert 0 <= node.start <= node.end <= len(text)
        if node.parent is not None:
            assert node.parent.start is not None and node.parent.end is not None
            assert node.parent.start <= node.start and node.end <= node.parent.end
        assert node.start >= last.get(id(node.parent), 0)
        last[id(node.parent)] = node.end
