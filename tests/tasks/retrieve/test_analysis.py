"""Index terms of English and French law."""

import pytest

from claimrag.schemas.errors import InputError
from claimrag.tasks.retrieve.analysis import analyzer, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Article 6(1)(f)", ["article", "6", "1", "f"]),
        ("Regulation (EU) 2016/679", ["regulation", "eu", "2016", "679"]),
        ("Art. 12-1", ["art", "12", "1"]),
        ("l’État, aujourd'hui", ["l'état", "aujourd'hui"]),
        ("5\u00a0\u0025 of \ufb01nes", ["5", "of", "fines"]),
        ("e\u0301tat", ["état"]),
        ("", []),
    ],
)
def test_words_keep_numbers_and_single_letters(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("loi", "lois"),
        ("le travail", "le travaux"),
        ("bail", "baux"),
        ("l’obligation", "obligations"),
        ("qu’il oblige", "il oblige"),
        ("jusqu'au jugement", "au jugements"),
        ("légal", "légaux"),
        ("un bateau", "un bateaux"),
    ],
)
def test_french_forms_of_a_word_meet(one: str, other: str) -> None:
    analyze = analyzer("fr")
    assert analyze(one) == analyze(other) != []


@pytest.mark.parametrize(
    ("one", "other"), [("controllers", "controller's"), ("processing", "processed"), ("Duties", "duty")]
)
def test_english_forms_of_a_word_meet(one: str, other: str) -> None:
    analyze = analyzer("en")
    assert analyze(one) == analyze(other) != []


def test_short_words_and_numbers_stay_as_they_are() -> None:
    assert analyzer("fr")("as 1998 s") == ["as", "1998", "s"]


def test_another_language_is_refused() -> None:
    with pytest.raises(InputError, match="'de'"):
        analyzer("de")
