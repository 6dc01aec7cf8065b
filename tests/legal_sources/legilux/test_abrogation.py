from __future__ import annotations

import pytest

from claimrag.legal_sources.legilux.abrogation import says_abrogated


@pytest.mark.parametrize(
    "text",
    [
        "Abrogé ( L. 12 décembre 1972 )",
        "Abrogés ( L. 23 avril 1934 )",
        "Abrogés( L. 4 juillet 2014 )",
        "Abrogés implicitement ( L. 12 février 1964 )",
        "Implicitement abrogé ( L. 13 juin 1994 ).",
        "(...) (abrogé par la loi du 23 juillet 2015 )",
        "( L. du 15 juillet 1993 ) Article abrogé.",
        "(abrogé)",
        "Abrogé.",
        "Abrogés ( L. 2 avril 1908 , L. 2 août 1910 )",
        "(abrogé Loi du 5 février 2021 )",
        "Supprimé",
    ],
)
def test_a_text_that_is_only_the_statement_is_an_abrogation(text: str) -> None:
    assert says_abrogated(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Quiconque aura supprimé une lettre confiée à la poste sera puni.",
        "Les références à des dispositions abrogées par la présente loi sont remplacées.",
        "Alinéa 1er abrogé implicitement ( L. 13 juin 1994 ) En ce qui concerne les contraventions, le délai court.",
        "(1) Abrogé ( L. 7 août 2023 ) (2) L'exercice des droits du créancier est suspendu.",
        "La loi du 3 mai 1990 est abrogée.",
        "Abrogé " + "(" * 3000,
    ],
)
def test_a_text_that_says_anything_else_is_in_force(text: str) -> None:
    assert not says_abrogated(text)
