"""Packing to 1,300 +- 200 tokens, at the bounds. A block's words are its tokens, written as a number."""

from __future__ import annotations

import re

import pytest

from claimrag.tasks.segment.packing import packed_parts


def count(text: str) -> int:
    return sum(map(int, re.findall(r"\d+", text)))


@pytest.mark.parametrize(
    ("blocks", "parts"),
    [
        (["1300", "1"], [[1300], [1]]),
        (["1299", "1"], [[1299, 1]]),
        (["1299", "1", "1"], [[1299, 1], [1]]),
        (["1299", "201"], [[1299, 201]]),
        (["1299", "202"], [[1299], [202]]),
        (["700", "800", "5"], [[700, 800], [5]]),
        (["700", "801", "5"], [[700], [801, 5]]),
        (["400", "400", "400", "400"], [[400, 400, 400], [400]]),
        (["1500", "1"], [[1500], [1]]),
        (["1", "1500"], [[1], [1500]]),
        ([], []),
    ],
)
def test_blocks_are_packed_until_the_target_or_the_upper_bound(
    blocks: list[str], parts: list[list[int]]
) -> None:
    text = "\n".join(blocks)
    packed = packed_parts(text, 0, len(text), count)
    assert [[int(one) for one in text[start:end].split()] for start, end in packed] == parts


def test_a_block_above_the_upper_bound_is_cut_at_sentence_ends_and_one_at_it_is_not() -> None:
    cut, uncut = "5 a. \n \n900 b. 601 c.", "500 d.\n900 e. 600 f."
    packed = packed_parts(cut, 0, len(cut), count)
    assert [cut[start:end] for start, end in packed] == ["5 a. \n \n900 b.", "601 c."]
    packed = packed_parts(uncut, 0, len(uncut), count)
    assert [uncut[start:end] for start, end in packed] == ["500 d.", "900 e. 600 f."]


def test_a_single_sentence_above_the_upper_bound_stays_longer() -> None:
    text = "x 2000 y\n3"
    assert packed_parts(text, 0, len(text), count) == [(0, 8), (9, 10)]


def test_only_the_span_asked_for_is_packed_with_offsets_into_the_text() -> None:
    text = "7\n\n  700\n800\n9"
    start, end = 2, text.index("\n9")
    assert [text[left:right] for left, right in packed_parts(text, start, end, count)] == ["  700\n800"]
    assert packed_parts("\n \n", 0, 3, count) == []
