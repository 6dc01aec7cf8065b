"""Labels of European drafting, English and French."""

from __future__ import annotations

import pytest

from claimrag.legal_sources.eurlex.headings import (
    annex_label,
    article_label,
    container_label,
    number_across_languages,
    opens_quotation,
    paragraph_label,
    point_label,
)


@pytest.mark.parametrize(
    ("text", "number", "rest"),
    [
        ("Article 6", "6", ""),
        ("Article premier", "1", ""),
        ("ARTICLE PREMIER", "1", ""),
        ("Article 1er", "1", ""),
        ("Article unique", "1", ""),
        ("Sole Article", "1", ""),
        ("Article 16 bis", "16 bis", ""),
        ("Article 4a", "4a", ""),
        ("Article 369zc", "369zc", ""),
        ("Article 3: Scope", "3", "Scope"),
        ("Article 7 — Heat", "7", "Heat"),
        ("Art. XII", "XII", ""),
        ("Article 75 quinquies bis", "75 quinquies bis", ""),
    ],
)
def test_an_article_label_gives_its_number_and_what_follows(text: str, number: str, rest: str) -> None:
    label = article_label(text)
    assert label is not None
    assert (label.number, label.rest) == (number, rest)


@pytest.mark.parametrize(
    "text", ["Article 5 of the Treaty", "Articles 1 and 2", "‘Article 9", "Article", "5"]
)
def test_a_sentence_or_quotation_is_no_article_label(text: str) -> None:
    assert article_label(text) is None


@pytest.mark.parametrize(
    ("text", "kind", "number", "rest"),
    [
        ("CHAPTER II PRINCIPLES", "chapter", "II", "PRINCIPLES"),
        ("CHAPITRE PREMIER", "chapter", "I", ""),
        ("Section première", "section", "1", ""),
        ("TITRE IV bis", "title", "IV bis", ""),
        ("TITLE IVa", "title", "IVa", ""),
        ("Chapter 3A", "chapter", "3A", ""),
        ("Section A. List", "section", "A", "List"),
        ("Sous-section 2", "subsection", "2", ""),
        ("PARTIE II", "part", "II", ""),
    ],
)
def test_a_container_label_gives_kind_number_and_heading(
    text: str, kind: str, number: str, rest: str
) -> None:
    label = container_label(text)
    assert label is not None
    assert (label.kind.value, label.number, label.rest) == (kind, number, rest)


@pytest.mark.parametrize(
    ("marker", "number", "in_ids"),
    [
        ("(a)", "a", "a"),
        ("1)", "1", "1"),
        ("a bis)", "a bis", "aa"),
        ("(b ter)", "b ter", "bb"),
        ("xviii)", "xviii", "xviii"),
        ("4.1.", "4.1", "4.1"),
        ("2.1.1", "2.1.1", "2.1.1"),
        ("(13b)", "13b", "13b"),
        ("1°", "1", "1"),
        ("aa)", "aa", "aa"),
        ("IV.", "IV", "IV"),
        ("—", None, None),
        ("☐", None, None),
    ],
)
def test_a_point_marker_gives_its_number_and_the_one_for_ids(
    marker: str, number: str | None, in_ids: str | None
) -> None:
    label = point_label(marker)
    assert label is not None
    assert (label.number, number_across_languages(label.number)) == (number, in_ids)


@pytest.mark.parametrize("marker", ["", "note)", "ou d)", "a very long first cell", "and"])
def test_other_words_are_no_point_marker(marker: str) -> None:
    assert point_label(marker) is None


def test_latin_suffixes_map_to_the_letters_of_eli_ids() -> None:
    printed = ["16 bis", "75 quinquies", "75 novodecies", "75 sexvicies", "5", "bis"]
    assert [number_across_languages(number) for number in printed] == ["16a", "75d", "75r", "75y", "5", "bis"]


def test_paragraph_labels_need_a_space_after_the_point() -> None:
    label = paragraph_label("1a. Bread")
    assert label is not None and (label.number, label.rest) == ("1a", "Bread")
    other = paragraph_label("3 bis . Bread")
    assert other is not None and other.number == "3 bis"
    assert paragraph_label("1.Bread") is None
    assert paragraph_label("2 the. a") is None


def test_annex_labels_may_lack_a_number() -> None:
    labels = [annex_label(text) for text in ("ANNEX", "ANNEXE II", "Appendix 1", "ANNEX to the Act")]
    assert [label.number if label else "none" for label in labels] == [None, "II", "1", "none"]


def test_a_definition_does_not_open_a_quotation_but_new_text_does() -> None:
    assert not opens_quotation("‘bread’ means bread;")
    assert opens_quotation("‘3. Bread is bread.")
    assert not opens_quotation("")
