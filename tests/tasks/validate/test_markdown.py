"""Untrusted text in Markdown stays text: what a reader's renderer shows is what was written."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from claimrag.tasks.validate.markdown import literal, table

HOSTILE = [
    "[click](https://evil.example)",
    "![x](https://evil.example/x.png)",
    "<img src=x onerror=alert(1)>",
    "# heading",
    "- item",
    "1. item",
    "2) item",
    "+ item",
    "> quote",
    "a | b",
    "`code` **bold** __bold__ ~~gone~~",
    "https://evil.example www.evil.example",
    "&lt;b&gt;",
    "\\",
    "---",
    "===",
    "Article 5(1)\n\n# injected",
]


def shown(markdown):
    """The text of the rendered page, and the tags in it."""
    renderer = MarkdownIt("gfm-like", {"linkify": False}).enable("table")
    rendered = renderer.render(markdown)
    tags = [piece.split(">")[0] for piece in rendered.split("<")[1:]]
    text = "".join(piece.split(">", 1)[-1] for piece in ("x>" + rendered).split("<"))
    return html.unescape(text), tags


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_as_written(text):
    found, tags = shown(literal(text))
    assert found.strip() == " ".join(text.split())
    assert set(tags) <= {"p", "/p"}


@given(st.text(alphabet=st.sampled_from(list("ab1 .*_[]()!|<>&#`~\\-+:/=$\n"))))
def test_any_mix_of_markup_characters_is_shown_as_written(text):
    found, tags = shown("x" + literal(text))
    assert found.strip() == ("x" + " ".join(text.split())).strip()
    assert set(tags) <= {"p", "/p"}


@given(st.text(alphabet=st.sampled_from(list("ab|\\`*\n"))))
def test_any_text_fills_exactly_one_table_cell(text):
    _, tags = shown(table(("a", "b"), [(literal(text), "end")]))
    assert tags.count("td") == 2


def test_invisible_direction_marks_and_controls_are_dropped():
    assert literal("a\u202eb\u0000c\u200bd") == "abcd"


def test_a_table_aligns_numbers_to_the_right():
    assert table(("a", "n"), [("x", 1)], numbers_from=1) == "| a | n |\n| --- | --: |\n| x | 1 |"
