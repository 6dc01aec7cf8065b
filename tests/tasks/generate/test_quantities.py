"""Quantities of English and French law: numbers with units, amounts, dates."""

from __future__ import annotations

import pytest

from claimrag.tasks.generate.quantities import MEASURE, NUMBER_WORDS, quantities_in


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("en", "within 72 hours", ["72 hours"]),
        ("en", "within seventy-two hours or Six Weeks", ["Six Weeks"]),
        ("en", "5 working days, 1 day", ["5 working days", "1 day"]),
        ("en", "a fee of 12 000 euros or EUR 1,500", ["12 000 euros", "EUR 1,500"]),
        ("en", "5 % or 5% or ten per cent", ["5 %", "5%", "ten per cent"]),
        ("en", "on 1 July 2101 and 02 may 2101", ["1 July 2101", "02 may 2101"]),
        ("en", "EUR 12000 before 3 kilometres", ["EUR 12000", "3 kilometres"]),
        ("en", "Article 7, point 3, 12 bells, 1 July", []),
        ("en", "70 daysies", []),
        ("fr", "vingt et un jours francs", ["vingt et un jours francs"]),
        ("fr", "vingt jours ouvrables, dix-huit mois", ["vingt jours ouvrables", "dix-huit mois"]),
        ("fr", "2 500 euros et 15 pour mille", ["2 500 euros", "15 pour mille"]),
        ("fr", "le 1er août 2101 et le 2 février 2102", ["1er août 2101", "2 février 2102"]),
        ("fr", "trois témoins, 25 communes", ["trois témoins", "25 communes"]),
        ("fr", "article 7, alinéa 3, douze cloches", []),
    ],
)
def test_quantities_are_found_in_order(language: str, text: str, found: list[str]) -> None:
    assert quantities_in(text, language) == found


def test_a_measure_knows_its_number_and_its_unit_with_the_space_before_it() -> None:
    match = MEASURE["fr"].search("dans vingt et un  jours")
    assert match is None  # two spaces: no measure
    match = MEASURE["fr"].search("dans vingt et un jours")
    assert match is not None
    assert (match["number"], match["unit"]) == ("vingt et un", " jours")


@pytest.mark.parametrize("language", ["en", "fr"])
def test_a_number_is_never_mistaken_for_itself(language: str) -> None:
    for number, others in NUMBER_WORDS[language].items():
        assert len(set(others) - {number}) == 2
