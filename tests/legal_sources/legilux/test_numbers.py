from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimrag.legal_sources.legilux.numbers import (
    article_number,
    division_number,
    list_marker,
    paragraph_number,
    tidy_label,
)


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("Art. 2.", "2"),
        ("Art. 12-1.", "12-1"),
        ("Art. L. 234-1.", "L. 234-1"),
        ("Art. L.225-1.", "L. 225-1"),
        ("Art. 1er.", "1er"),
        ("Art. 1 er .", "1er"),
        ("Art. 118bis.", "118bis"),
        ("Art. 372 bis .", "372bis"),
        ("Art. 135-2 bis .", "135-2bis"),
        ("Article 1", "1"),
        ("Article", None),
        ("Art. 0.1.0-1.", "0.1.0-1"),
        ("Art. 17.5.", "17.5"),
        ("Art. 43bis.-2.", "43bis.-2"),
        ("«Art. 2.", "2"),
        ("« Art. 9.", "9"),
        ("", None),
        ("§ 1", "1"),
        ("Règle 1", "1"),
        ("Art. 22 à 64.", "22 à 64"),
        ("Art. 632 et 633.", "632 et 633"),
        ("ARTICLE PREMIER.", "premier"),
        ("Article unique.", "unique"),
        ("Art 454.", "454"),
        ("Art. 1er .", "1er"),
        ("Art. 181. à Art. 192-2.", "181 à 192-2"),
        ("Art. L. 542-4 à L. 542-6.", "L. 542-4 à L. 542-6"),
        ("Art. 559_560.", "559_560"),
    ],
)
def test_every_article_number_shape_of_the_publisher_is_read(label: str, number: str | None) -> None:
    assert article_number(label) == number


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("(1)", "1"),
        ("1.", "1"),
        ("(1bis)", "1bis"),
        ("(2 bis )", "2bis"),
        ("1°", "1"),
        ("I.", "I"),
        ("(2.1.3)", "2.1.3"),
        ("«(1)", "1"),
        ("A.", "A"),
        ("a)", "a"),
        ("(1) (L. du 8 août 2000)", "1"),
        ("", None),
    ],
)
def test_every_paragraph_number_shape_of_the_publisher_is_read(label: str, number: str | None) -> None:
    assert paragraph_number(label) == number


def test_a_division_without_its_word_has_no_number() -> None:
    assert division_number("Chapitre 1er.") == "1er"
    assert division_number("LIVRE PREMIER.") == "PREMIER"
    assert division_number("Dispositions diverses") is None
    assert division_number("Titre Ier.") == "Ier"


def test_editors_spaces_leave_a_label() -> None:
    assert tidy_label("Art. 1\n er\n .") == "Art. 1er."
    assert tidy_label("( 2 )") == "(2)"


@pytest.mark.parametrize(
    ("symbol", "position", "start", "label"),
    [
        ("1°", 0, 1, "1°"),
        ("1°", 2, 5, "7°"),
        ("a)", 1, 1, "b)"),
        ("a)", 26, 1, "aa)"),
        ("(i)", 3, 1, "(iv)"),
        ("I.", 8, 1, "IX."),
        ("i.", 13, 1, "xiv."),
        ("dash", 0, 1, "–"),
        ("dot", 0, 1, "•"),
        ("none", 0, 1, None),
    ],
)
def test_list_markers_are_counted_as_the_page_counts_them(
    symbol: str, position: int, start: int, label: str | None
) -> None:
    assert list_marker(symbol, position, start, None, ordered=True).label == label


def test_an_items_own_symbol_wins_and_unknown_lists_get_a_plain_marker() -> None:
    own = list_marker("custom", 0, 1, "2bis°", ordered=True)
    assert (own.label, own.number) == ("2bis°", "2bis")
    assert list_marker(None, 1, 1, None, ordered=True).label == "2."
    assert list_marker(None, 1, 1, None, ordered=False).label == "–"


@given(st.integers(1, 5000))
def test_roman_and_letter_markers_are_never_empty(position: int) -> None:
    for symbol in ("a)", "A)", "(i)", "I."):
        assert list_marker(symbol, 0, position % 60 + 1, None, ordered=True).number


@given(st.text(max_size=60))
def test_no_label_breaks_the_reading_of_numbers(label: str) -> None:
    for number in (article_number(label), paragraph_number(label), division_number(label)):
        assert number is None or number.strip()
