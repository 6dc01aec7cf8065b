"""The long patterns of both grammars, each by a table of texts and what it takes of them."""

from __future__ import annotations

import re

import pytest

from claimrag.legal_sources.citations.english import ENGLISH
from claimrag.legal_sources.citations.french import FRENCH
from claimrag.legal_sources.citations.grammar import Level


def groups(pattern: re.Pattern[str], text: str) -> dict[str, str] | None:
    """The named groups that took part in the first match; None without a match."""
    found = pattern.search(text)
    return {name: value for name, value in found.groupdict().items() if value} if found else None


def taken(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.match(text)
    return found[0] if found else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("under this Article", {"this": "this Article"}),
        ("This paragraph", {"this": "This paragraph"}),
        ("the first and second subparagraphs", {"ordinal": "first and second"}),
        ("first, second or the third paragraph", {"ordinal": "first, second or the third"}),
        ("Articles 5 and 6", {"word": "Articles"}),
        ("points\u00a0(a)", {"word": "points"}),
        ("Annexes I and II", {"word": "Annexes"}),
        ("the article on bread", None),
        ("particles 5", None),
        ("this Articles", None),
    ],
)
def test_the_word_that_opens_a_part_in_english(text: str, expected: dict[str, str] | None) -> None:
    assert groups(ENGLISH.head, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("au présent article", {"this": "présent article"}),
        ("la présente section", {"this": "présente section"}),
        ("les premier, deuxième et troisième alinéas", {"ordinal": "premier, deuxième et troisième"}),
        ("le 2e alinéa", {"ordinal": "2e"}),
        ("Articles 5 et 6", {"word": "Articles"}),
        ("l'art. L. 234-1", {"word": "art."}),
        ("§§ 1 et 2", {"word": "§§"}),
        ("al.2", {"word": "al."}),
        ("lettres a) et b)", {"word": "lettres"}),
        ("l'article ?", None),
        ("sous-section II", None),
    ],
)
def test_the_word_that_opens_a_part_in_french(text: str, expected: dict[str, str] | None) -> None:
    assert groups(FRENCH.head, text) == expected


@pytest.mark.parametrize(
    ("level", "text", "expected"),
    [
        (Level.ARTICLE, "234-1 et", "234-1"),
        (Level.ARTICLE, "L. 234-1", "L. 234-1"),
        (Level.ARTICLE, "1er du", "1er"),
        (Level.ARTICLE, "16 bis-2", "16 bis-2"),
        (Level.ARTICLE, "premier", "premier"),
        (Level.ARTICLE, "2016/679", None),
        (Level.PARAGRAPH, "(1) du", "(1)"),
        (Level.PARAGRAPH, "2 bis,", "2 bis"),
        (Level.PARAGRAPH, "premier", "premier"),
        (Level.PARAGRAPH, "2,5", None),
        (Level.POINT, "a) à c)", "a)"),
        (Level.POINT, "(iv)", "(iv)"),
        (Level.POINT, "c bis)", "c bis)"),
        (Level.POINT, "1° et", "1°"),
        (Level.POINT, "2.1", "2.1"),
        (Level.POINT, "abc", None),
        (Level.TITLE, "Ier du", "Ier"),
        (Level.TITLE, "IV bis", "IV bis"),
        (Level.TITLE, "2-1", "2-1"),
        (Level.TITLE, "3a", "3a"),
        (Level.TITLE, "A du", "A"),
        (Level.TITLE, "du", None),
    ],
)
def test_how_a_number_is_written_at_each_level_in_french(
    level: Level, text: str, expected: str | None
) -> None:
    assert taken(FRENCH.number(level), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (", première phrase, et", ", première phrase,"),
        (", la partie introductive", ", la partie introductive"),
        (" deuxième tiret", " deuxième tiret"),
        (", dernière phrase", ", dernière phrase"),
        (", troisième point", None),
    ],
)
def test_what_may_stand_beside_a_part_in_french(text: str, expected: str | None) -> None:
    assert taken(FRENCH.aside, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" of that Article", " of that Article"),
        (", in the said paragraphs", ", in the said paragraphs"),
        (" of each Annex", " of each Annex"),
        (" of this Article", None),
        (" of the Article", None),
    ],
)
def test_a_part_that_only_points_back_in_english(text: str, expected: str | None) -> None:
    assert taken(ENGLISH.vague, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" de cet article", " de cet article"),
        (" dudit paragraphe", " dudit paragraphe"),
        (", de la même annexe", ", de la même annexe"),
        (" de celui-ci", " de celui-ci"),
        (" précédent;", " précédent"),
        (" précédent qui", None),
        (" de l'article", None),
    ],
)
def test_a_part_that_only_points_back_in_french(text: str, expected: str | None) -> None:
    assert taken(FRENCH.vague, text) == expected


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (" TFEU", " TFEU"),
        (" of the Treaty", " of the Treaty"),
        (", of Annex II to the Agreement", ", of Annex II to the Agreement"),
        (" of the Sale of Goods Act 1979", None),
        (" of the Data Protection Act", " of the Data Protection Act"),
        (" of Regulation (EU) 2016/679", " of Regulation"),
        (" of the text", None),
    ],
)
def test_another_act_after_a_part_in_english(text: str, name: str | None) -> None:
    assert taken(ENGLISH.other_act, text) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (" TFUE", " TFUE"),
        (" tfue", None),
        (" du règlement (UE) 2016/679", " du règlement"),
        (" de la même loi", " de la même loi"),
        (", de l'annexe II du traité", ", de l'annexe II du traité"),
        (" du texte", None),
    ],
)
def test_another_act_after_a_part_in_french(text: str, name: str | None) -> None:
    assert taken(FRENCH.other_act, text) == name


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (ENGLISH.act, "Regulation (EU) 2016/679", ("Regulation", "2016", "679")),
        (ENGLISH.act, "Directive 95/46/EC", ("Directive", "95", "46")),
        (ENGLISH.act, "Regulation (EC, Euratom) No 1605/2002", ("Regulation", "1605", "2002")),
        (ENGLISH.act, "Decisions 1/58", ("Decision", "1", "58")),
        (ENGLISH.act, "Regulation of 2016", None),
        (FRENCH.act, "règlement (UE) n° 596/2014", ("règlement", "596", "2014")),
        (FRENCH.act, "Directive 95/46/CE", ("Directive", "95", "46")),
        (FRENCH.act, "règlement d’exécution (UE) 2019/1", ("règlement", "2019", "1")),
        (FRENCH.act, "décision déléguée 2020/12", ("décision", "2020", "12")),
        (FRENCH.act, "directive du 24 octobre 1995", None),
    ],
)
def test_an_act_named_by_its_number(
    pattern: re.Pattern[str], text: str, expected: tuple[str, str, str] | None
) -> None:
    found = pattern.search(text)
    assert (found and (found["kind"], found["first"], found["second"])) == expected


@pytest.mark.parametrize(
    ("pattern", "text", "own"),
    [
        (ENGLISH.mention, "under this Regulation", "this Regulation"),
        (ENGLISH.mention, "This Directive", "This Directive"),
        (ENGLISH.mention, "the Charter", ""),
        (ENGLISH.mention, "Lawful bread", None),
        (FRENCH.mention, "la présente loi", "présente loi"),
        (FRENCH.mention, "du présent code", "présent code"),
        (FRENCH.mention, "La Charte", ""),
        (FRENCH.mention, "le pain", None),
    ],
)
def test_a_mention_of_this_act_or_of_another(pattern: re.Pattern[str], text: str, own: str | None) -> None:
    found = pattern.search(text)
    assert (found and (found["own"] or "")) == own


@pytest.mark.parametrize(
    ("pattern", "text", "amends"),
    [
        (ENGLISH.amends, "Directive 2014/65/EU is amended as follows:", True),
        (ENGLISH.amends, "Article 5 is hereby replaced by the following:", True),
        (ENGLISH.amends, "the following point (a) is inserted", True),
        (ENGLISH.amends, "Article 5(2) and (3) are deleted", True),
        (ENGLISH.amends, "the list is added to the file", False),
        (FRENCH.amends, "La directive est modifiée comme suit:", True),
        (FRENCH.amends, "le point a) est remplacé par le texte suivant", True),
        (FRENCH.amends, "il est inséré un article 5 bis", True),
        (FRENCH.amends, "Les articles 5 et 6 sont supprimés", True),
        (FRENCH.amends, "la demande est modifiée par écrit", False),
    ],
)
def test_the_words_of_an_article_that_changes_another_act(
    pattern: re.Pattern[str], text: str, amends: bool
) -> None:
    assert (pattern.search(text) is not None) is amends
