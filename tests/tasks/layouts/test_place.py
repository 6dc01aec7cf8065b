"""Where words of a set stand in a law: exactly, with other marks and spaces, in passages, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimrag.schemas.reason import Reason
from claimrag.tasks.layouts.place import LawText, NotPlaced

LAW = (
    "Article 1\nOpening hours\nThe village’s library opens at nine – on Sundays at ten.\nIt closes at noon.\n"
    "Article 2\nLoans\nA “reader” may borrow four books.\nIt closes at noon.\n"
    "Article 12\nFines\nA late book costs ten cents a day.\n"
)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("A late book costs ten cents a day.", ["A late book costs ten cents a day."]),
        ("  A late book costs\n", ["A late book costs"]),
        ("Loans\nA “reader” may", ["Loans\nA “reader” may"]),
        ('Loans   A "reader"\u00a0may', ["Loans\nA “reader” may"]),
        ("The village's library opens at nine - on", ["The village’s library opens at nine – on"]),
        ("Loans\n\nA «reader» may", ["Loans\nA “reader” may"]),
        ("Loans A\u200b “rea\u00adder” may", ["Loans\nA “reader” may"]),
        ("opens at nine\n\nten cents a day.", ["opens at nine", "ten cents a day."]),
        ("ten cents a day.\n \t\nopens at\n\nnine", ["ten cents a day.", "opens at nine"]),
        ("Article 1", ["Article 1"]),
        (LAW, [LAW.strip()]),
    ],
)
def test_words_are_found_at_their_offsets(words: str, found: list[str]) -> None:
    assert [LAW[start:end] for start, end in LawText(LAW).place(words)] == found


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("It closes at noon.", Reason.AMBIGUOUS_EVIDENCE),
        ("It  closes at noon.", Reason.AMBIGUOUS_EVIDENCE),
        ("opens at nine\n\nIt closes  at noon.", Reason.AMBIGUOUS_EVIDENCE),
        ("a late book costs", Reason.QUOTATION_NOT_FOUND),
        ("late book cost", Reason.QUOTATION_NOT_FOUND),
        ("ate book costs ten", Reason.QUOTATION_NOT_FOUND),
        ("opens at nine\n\nnothing of the kind", Reason.QUOTATION_NOT_FOUND),
        ("\u200b\u00ad", Reason.QUOTATION_NOT_FOUND),
        ("", Reason.QUOTATION_NOT_FOUND),
        ("Fines\n\n" * 1001, Reason.QUOTATION_NOT_FOUND),
    ],
)
def test_words_without_one_place_are_not_placed(words: str, reason: Reason) -> None:
    with pytest.raises(NotPlaced) as found:
        LawText(LAW).place(words)
    assert found.value.reason is reason


def test_a_quotation_is_found_in_its_part_of_the_law_alone() -> None:
    law, second = LawText(LAW), LAW.index("Article 2")
    assert law.first("It closes at noon.", (second, len(LAW))) == (
        LAW.rindex("It c"),
        LAW.rindex("It c") + 18,
    )
    assert law.first("It closes\tat noon.", (0, second)) == (LAW.index("It c"), LAW.index("It c") + 18)
    assert law.first("It closes at noon.", (second, second + 20)) is None


def test_words_in_decomposed_letters_are_the_same_words() -> None:
    assert LawText("La bibliothèque ouvre.").place("bibliothe\u0300que") == [(3, 15)]


@given(st.text(alphabet="ab \n\u00a0'’“\"–-é\u200b.", max_size=60), st.data())
def test_a_place_is_always_the_words_themselves_or_alike(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    words = text[start : data.draw(st.integers(start, len(text)))]
    law = LawText(text)
    try:
        spans = law.place(words)
    except NotPlaced:
        return
    assert all(0 <= start < end <= len(text) for start, end in spans)
    found = "\n\n".join(text[start:end] for start, end in spans)
    assert LawText(found)._alike.split() == LawText(words.strip())._alike.split()
