"""Counting the words of a source and of its text, exactly and without looking at each."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from legal_sources.word_count import count_words, lost_words, visible_text, words

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
def test_striking_out_blocks_does_not_change_what_is_lost(source: list[str], kept: list[str]) -> None:
    visible, text = "\0".join(source), "\n".join(" ".join(line.split()) for line in kept)
    assert lost_words(visible, text) == words(visible) - words(text)


@given(st.lists(TEXTS, max_size=6), TEXTS)
def test_what_is_lost_is_exact_for_any_text(source: list[str], text: str) -> None:
    visible = "\0".join(source)
    assert lost_words(visible, text) == words(visible) - words(text)


def test_a_label_set_apart_in_the_source_is_not_lost() -> None:
    assert lost_words("\0(a)\0\u00a0 rye\n bread\0salt", "(a) rye bread") == Counter(["salt"])


def test_blocks_end_words_and_inline_elements_do_not() -> None:
    root = etree.fromstring(
        "<body><nav>menu <b>deep</b></nav>after<p> <b>on</b>e <i>t</i>wo</p><p/><p>three</p>\n<p>four</p></body>"
    )
    text = visible_text(root, lambda element: element.tag == "nav")
    assert [block.strip() for block in text.split("\0") if block.strip()] == [
        "after",
        "one two",
        "three",
        "four",
    ]


def test_namespaces_do_not_hide_an_inline_element() -> None:
    root = etree.fromstring('<x:p xmlns:x="urn:x">t<x:b>w</x:b>o<x:q-x>three</x:q-x></x:p>')
    assert words(visible_text(root, lambda _element: False)) == Counter(["two", "three"])
