"""Fixed windows of Mistral tokens: exact offsets, nothing lost."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimrag.tasks.chunk.fixed import fixed_spans
from claimrag.tasks.chunk.tokens import count_tokens, mistral_tokenizer

LAW = "".join(
    f"Article {n}\nThe controller’s duty n° {n} applies to l’État, « à l’égard » of 30 days.\n"
    for n in range(90)
)


def test_windows_have_the_size_and_overlap_that_were_asked_for() -> None:
    spans = fixed_spans(LAW, [], size=600, overlap=120)
    assert len(spans) > 3
    for start, end in spans[:-1]:
        assert abs(count_tokens(LAW[start:end]) - 600) <= 2
    for (_, end), (start, _) in pairwise(spans):
        assert abs(count_tokens(LAW[start:end]) - 120) <= 2
    assert (spans[0][0], spans[-1][1]) == (0, len(LAW))


def test_a_text_shorter_than_a_window_is_one_window() -> None:
    assert fixed_spans("  Article 1 ", [], size=600, overlap=120) == [(0, 12)]


def test_an_empty_text_has_no_window() -> None:
    assert fixed_spans("", [], size=600, overlap=120) == []


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400), st.integers(1, 12), st.data())
def test_windows_cover_every_character_of_any_text(text: str, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    spans = fixed_spans(text, [], size=size, overlap=overlap)
    covered = {index for start, end in spans for index in range(start, end)}
    assert covered == set(range(len(text)))
    assert spans == sorted(spans)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400))
def test_token_spans_join_up_to_the_text(text: str) -> None:
    spans = mistral_tokenizer().spans(text)
    assert "".join(text[start:end] for start, end in spans) == text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("Article 6", 3), ("😀", 2), ("\U0001f9ff", 5)],
    ids=["empty", "words", "emoji", "bytes"],
)
def test_tokens_are_counted_as_mistral_counts_them(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens
