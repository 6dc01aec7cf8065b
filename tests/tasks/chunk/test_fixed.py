"""Fixed windows of Mistral tokens: exact offsets, nothing lost."""

import sys
from importlib.machinery import ModuleSpec
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimrag.schemas.errors import InputError, MissingDependencyError
from claimrag.tasks.chunk import DEFAULT_CHUNKER, find_chunker, tokens
from claimrag.tasks.chunk.fixed import FixedChunker
from claimrag.tasks.chunk.tokens import MistralTokenizer, count_tokens, mistral_tokenizer

LAW = "".join(
    f"Article {n}\nThe controller’s duty n° {n} applies to l’État, « à l’égard » of 30 days.\n"
    for n in range(90)
)


def test_windows_have_the_size_and_overlap_that_were_asked_for() -> None:
    spans = FixedChunker(600, 120).spans(LAW, [])
    assert len(spans) > 3
    for start, end in spans[:-1]:
        assert abs(count_tokens(LAW[start:end]) - 600) <= 2
    for (_, end), (start, _) in pairwise(spans):
        assert abs(count_tokens(LAW[start:end]) - 120) <= 2
    assert (spans[0][0], spans[-1][1]) == (0, len(LAW))


def test_the_default_chunker_cuts_600_tokens_of_which_120_are_shared() -> None:
    every = mistral_tokenizer().spans(LAW)
    spans = find_chunker(DEFAULT_CHUNKER).spans(LAW, [])
    firsts = range(0, len(every) - 120, 480)
    assert len(firsts) > 3
    expected = [(every[first][0], every[min(first + 600, len(every)) - 1][1]) for first in firsts]
    assert spans == expected


def test_a_fixed_chunker_is_named_by_its_numbers() -> None:
    assert FixedChunker(600, 120).name == "fixed-600-120"
    assert FixedChunker.named("fixed-20-0") == FixedChunker(20, 0)
    assert FixedChunker.named("fixed-99999-99998") == FixedChunker(99999, 99998)
    for other in ("fixed-0600-120", "fixed-600-00", "fixed-600", "fixed-600-120-1", "fixed-100000-1", "article",
                  "xfixed-20-5", "fixed-20--5", "fixed-٢٠-0", ""):  # fmt: skip
        assert FixedChunker.named(other) is None


@pytest.mark.parametrize("pair", [(20, 20), (20, 21), (0, 0), (20, -1)])
def test_an_overlap_that_leaves_nothing_new_is_refused(pair: tuple[int, int]) -> None:
    with pytest.raises(InputError, match="must be below"):
        FixedChunker(*pair)


def test_a_last_window_that_ends_with_the_text_is_not_followed_by_its_own_tail() -> None:
    every = mistral_tokenizer().spans(LAW)
    size = len(every)
    assert FixedChunker(size, 5).spans(LAW, []) == [(0, len(LAW))]
    assert len(FixedChunker(size - 1, 5).spans(LAW, [])) == 2


def test_a_window_of_bytes_that_are_no_character_yet_is_left_out() -> None:
    assert FixedChunker(1, 0).spans("\U0001f9ff", []) == [(0, 1)]


def test_a_text_shorter_than_a_window_is_one_window() -> None:
    assert FixedChunker(600, 120).spans("  Article 1 ", []) == [(0, 12)]


def test_an_empty_text_has_no_window() -> None:
    assert FixedChunker(600, 120).spans("", []) == []


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400), st.integers(1, 12), st.data())
def test_windows_cover_every_character_of_any_text(text: str, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    spans = FixedChunker(size, overlap).spans(text, [])
    covered = {index for start, end in spans for index in range(start, end)}
    assert covered == set(range(len(text)))
    assert all(start < end for start, end in spans)
    assert spans == sorted(spans)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400))
def test_token_spans_join_up_to_the_text(text: str) -> None:
    spans = mistral_tokenizer().spans(text)
    assert "".join(text[start:end] for start, end in spans) == text


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("a\n\n \r\té’😀\u2028\u00a0\u0301"), max_size=60), st.integers(1, 9))
def test_a_text_that_is_read_in_pieces_has_the_tokens_of_the_text(text: str, characters: int) -> None:
    tokenizer = mistral_tokenizer()
    expected, count = tokenizer.spans(text), len(tokenizer._processor.encode(text))
    tokenizer._counts.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "_PIECE_CHARACTERS", characters)
        assert tokenizer.spans(text) == expected
        assert tokenizer.count(text) == tokenizer.count(text) == count
    tokenizer._counts.clear()


def test_a_long_text_is_read_in_pieces_in_front_of_line_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_PIECE_CHARACTERS", 3)
    pieces = list(tokens._pieces("ab\ncdef\n\ngh"))
    assert pieces == [(0, "ab\ncdef"), (7, "\n\ngh")]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("Article 6", 3), ("😀", 2), ("\U0001f9ff", 5)],
    ids=["empty", "words", "emoji", "bytes"],
)
def test_tokens_are_counted_as_mistral_counts_them(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_packages_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tokens, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"mistral-common\[sentencepiece\]"):
        mistral_tokenizer.__wrapped__()
    empty = ModuleSpec("mistral_common", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(tokens, "find_spec", lambda name: empty)
    with pytest.raises(MissingDependencyError, match=r"tokenizer\.model\.v1 is missing"):
        mistral_tokenizer.__wrapped__()
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingDependencyError, match="install sentencepiece"):
        MistralTokenizer(tmp_path / "any")


def test_the_tokenizer_is_loaded_once_and_counts_each_text_once() -> None:
    tokenizer = mistral_tokenizer()
    assert tokenizer is mistral_tokenizer()
    tokenizer._counts.clear()
    assert (count_tokens("Article 7"), count_tokens("Article 7")) == (3, 3)
    assert list(tokenizer._counts.values()) == [3]
