"""Counting the words of a source and of its text, exactly and without looking at each."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from claimrag.legal_sources.word_count import (
    VisibleText,
    count_words,
    visible_text,
    visible_text_without,
    words,
)

LETTERS = st.sampled_from("aB1_é’“–·œñß²ªÜŁжλ中\u0301\u00ad\u00a0\u200b\ud800 .,:;()'\n\t")
TEXTS = st.text(LETTERS, max_size=40)
BLOCKS = st.lists(
    st.sampled_from(("(a)", "rye bread", "rye  bread", "1. rye", "salt", "é’œ", "")), max_size=8
)


@given(TEXTS | st.text(max_size=40))
def test_words_are_counted_as_if_each_had_been_made(text: str) -> None:
    assert count_words(text) == words(text).total()


def test_a_law_in_another_script_is_counted_too() -> None:
    text = "Ο αρτοποιός ζυγίζει το ψωμί. Пекарь взвешивает хлеб."
    assert count_words(text) == 8


@given(BLOCKS, BLOCKS)
def test_striking_out_blocks_does_not_change_what_is_counted(source: list[str], kept: list[str]) -> None:
    text = "\n".join(" ".join(line.split()) for line in kept)
    counted = VisibleText(Counter(source)).counted_against(text)
    assert counted == counted_one_by_one(source, text)


@given(st.lists(TEXTS, max_size=6), TEXTS)
def test_what_is_lost_is_exact_for_any_text(source: list[str], text: str) -> None:
    assert VisibleText(Counter(source)).counted_against(text) == counted_one_by_one(source, text)


def counted_one_by_one(source: list[str], text: str) -> tuple[int, int]:
    there = sum((words(block) for block in source), Counter[str]())
    return there.total(), (there - words(text)).total()


def test_a_label_set_apart_in_the_source_is_not_lost() -> None:
    visible = VisibleText(Counter(["(a)", "\u00a0 rye\n bread", "salt"]))
    assert visible.counted_against("(a) rye bread") == (4, 1)


def test_text_longer_than_a_piece_is_counted_across_its_ends() -> None:
    for length in (65535, 65536, 65537, 131072):
        assert count_words("a" * length) == 1
        assert count_words("a" * (length - 1) + " b") == 2
    assert count_words("") == 0


def test_blocks_end_words_and_inline_elements_do_not() -> None:
    root = etree.fromstring(
        "<body><nav>menu <b>deep</b></nav>after<p> <b>on</b>e <i>t</i>wo</p><p/><p>three</p>\n<p>four</p></body>"
    )
    expected = Counter(["after", "one two", "three", "four"])
    chrome = frozenset(root.iter("nav"))
    for found in (visible_text(root, chrome.__contains__), visible_text_without(root, chrome)):
        assert Counter(block.strip() for block in found.blocks.elements() if block.strip()) == expected


MARKUP = st.recursive(
    st.sampled_from(("", "rye", " ", "\n", "salt. ")),
    lambda inside: st.builds(
        "{}<{tag}>{}</{tag}>{}".format, inside, inside, inside, tag=st.sampled_from(("p", "div", "b", "a"))
    ),
    max_leaves=12,
)


@given(MARKUP, st.integers(0, 6))
def test_all_blocks_at_once_are_the_blocks_one_by_one(markup: str, chosen: int) -> None:
    root = etree.fromstring(f"<body>{markup}</body>")
    left_out = frozenset(list(root.iter("p"))[chosen : chosen + 1])
    one_by_one = visible_text(root, left_out.__contains__).words()
    assert visible_text_without(root, left_out).words() == one_by_one


def test_namespaces_do_not_hide_an_inline_element() -> None:
    root = etree.fromstring('<x:p xmlns:x="urn:x"><p/>t<x:b>w</x:b>o<x:q-x>three</x:q-x></x:p>')
    assert visible_text(root, lambda _element: False).words() == Counter(["two", "three"])
