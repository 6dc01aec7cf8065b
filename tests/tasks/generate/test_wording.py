"""Comparable forms of words."""

from __future__ import annotations

import pytest

from claimrag.tasks.generate.wording import content_words, folded, is_number, stems


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("L’été, À DÉFAUT d'œuvre !", "l ete a defaut d œuvre"),
        ("Straße_3 (a) 12.5", "strasse 3 a 12 5"),
        ("ﬁn ½", "fin 1 2"),
        ("", ""),
    ],
)
def test_folded_words_have_no_accents_case_or_punctuation(text: str, expected: str) -> None:
    assert folded(text) == expected


def test_words_of_four_letters_and_numbers_carry_meaning() -> None:
    assert content_words("The bell rang six or 9 times, one day") == {"bell", "rang", "six", "9", "times"}
    assert content_words("un an vingt-quatre et une") == {"vingt", "quatre"}


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("six", True),
        ("dix", True),
        ("a1", True),
        ("one", False),
        ("une", False),
        ("et", False),
        ("bell", False),
    ],
)
def test_numbers_are_figures_or_words_above_one(word: str, number: bool) -> None:
    assert is_number(word) is number


def test_stems_have_five_letters_and_numbers_are_not_cut() -> None:
    assert stems("reporting reports repo quarante 2016679 thirty") == {
        "repor",
        "repo",
        "quarante",
        "2016679",
        "thirty",
    }
