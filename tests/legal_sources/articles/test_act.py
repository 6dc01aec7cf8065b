from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimrag.legal_sources.articles.act import parse, parse_articles
from claimrag.legal_sources.articles.mapping import ArticleMapping
from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.legal_sources.recognise import parse_source
from claimrag.schemas.errors import SourceError, UnrecognisedLayoutError
from claimrag.schemas.unit import UnitKind, UnitStatus


def source(value: Any) -> Source:
    raw = value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()
    return Source.of(raw, origin="law.json")


def codes(parsed: ParsedAct) -> set[str]:
    return {problem.code for problem in parsed.health.problems}


OWN = {
    "title": "Tenancy Act",
    "language": "en",
    "version_date": "1999-05-01",
    "work": "tenancy act",
    "publisher": "example",
    "licence": "CC0-1.0",
    "attribution": "Me",
    "articles": [
        {
            "number": "Article 1",
            "heading": "Scope",
            "path": ["Chapter I — General"],
            "text": "This Act applies.",
        },
        {
            "number": "Article 2",
            "path": ["Chapter I — General", "Section 1"],
            "text": "(1) Rent.\n\nMore.\n\n(2) Heat.",
        },
        {"number": "Article 3", "path": "Chapter II", "text": "These apply:\na) one;\nb) two."},
    ],
}


def test_a_law_of_ones_own_gets_the_same_tree() -> None:
    parsed = parse_source(source(OWN))
    assert parsed.act.id == "example/tenancy-act/1999-05-01/en"
    assert (parsed.act.licence, parsed.act.attribution) == ("CC0-1.0", "Me")
    assert parsed.health.ok
    assert not parsed.health.problems
    found = {unit.id.partition("#")[2]: unit for unit in parsed.units}
    assert found["art_1"].heading == "Scope"
    assert found["art_2"].path == ("Chapter I – General", "Section 1")
    assert found["art_2.par_1"].text == "(1) Rent.\nMore."
    assert found["art_2.par_2"].text == "(2) Heat."
    assert found["art_3.sub_1.pnt_b"].text == "b) two."
    assert [unit.number for unit in parsed.of_kind(UnitKind.CHAPTER)] == ["I", "II"]


def test_what_a_file_does_not_say_is_noted() -> None:
    parsed = parse(source([{"number": "Art. 1er.", "text": "Le texte de la loi est à lire."}]))
    assert codes(parsed) == {"work_unknown", "language_unknown", "version_date_unknown"}
    assert parsed.act.work.startswith("unknown-")
    assert parsed.act.licence == "not stated"


def test_the_language_is_told_from_the_words_when_the_file_does_not_say() -> None:
    text = "Le juge de la cour est saisi par une des parties qui en fait la demande dans les délais. " * 3
    assert parse(source([{"number": "Art. 1.", "text": text}])).act.language == "fr"


def test_json_lines_are_read_row_by_row() -> None:
    lines = "\n".join(json.dumps({"number": f"Article {n}", "text": f"Text {n}."}) for n in (1, 2))
    assert parse(source(lines.encode())).counts()["article"] == 2


def test_per_article_json_of_a_code_is_read_with_its_dates_and_paths() -> None:
    parsed = parse_source(
        source(
            {
                "lex_id": "lu-legilux:loi-1804-03-21-n1:2025-12-26",
                "language": "fr",
                "title": "Code d’essai",
                "valid_from": "2025-12-26",
                "license": "CC-BY-4.0",
                "attribution": "Legilux",
                "provisions": [
                    {
                        "type": "article",
                        "num": "Art. 9 et 10.",
                        "heading": None,
                        "path": ["**Livre Ier.** — Un"],
                        "article_valid_from": "1934-04-23",
                        "text_md": "Abrogés ( L. 23 avril 1934 )",
                    },
                    {
                        "type": "article",
                        "num": "Art. 11.",
                        "heading": None,
                        "path": ["**Livre Ier.** — Un"],
                        "article_valid_from": None,
                        "text_md": "**(1)** Un [lien](/x).\n\n- a\n- b\n\n| c | d |\n| --- | --- |",
                    },
                    {
                        "type": "annex",
                        "num": None,
                        "heading": "Annexe",
                        "path": [],
                        "article_valid_from": None,
                        "text_md": "Texte.",
                    },
                ],
            }
        )
    )
    assert parsed.act.id == "lu/loi-1804-03-21-n1/2025-12-26/fr"
    first, second = parsed.of_kind(UnitKind.ARTICLE)
    assert (first.number, first.status, first.applicable_from) == (
        "9 et 10",
        UnitStatus.ABROGATED,
        date(1934, 4, 23),
    )
    assert second.path == ("Livre Ier. – Un",)
    assert "(1) Un lien." in second.text
    assert "---" not in second.text
    assert next(parsed.of_kind(UnitKind.ANNEX)).heading == "Annexe"


def test_a_label_that_stands_only_in_the_text_is_found() -> None:
    parsed = parse(
        source(
            {
                "lex_id": "eu-eurlex:32016r0679:2016-04-27",
                "language": "en",
                "valid_from": "2016-04-27",
                "provisions": [
                    {"anchor": "art_6", "num": None, "text_md": "Article 6\n\n1. It is so:\n\n| (a) | one; |"}
                ],
            }
        )
    )
    (article,) = parsed.of_kind(UnitKind.ARTICLE)
    assert (article.number, article.label) == ("6", "Article 6")
    assert parsed.act.celex == "32016R0679"
    assert [unit.number for unit in parsed.of_kind(UnitKind.POINT)] == ["a"]


def test_numbered_definitions_after_a_colon_are_points() -> None:
    rows = [{"number": "Article 4", "text": "For this Act:\n\n(1) ‘a’ means b;\n\n(2) ‘c’ means d."}]
    assert parse(source(rows)).counts()["point"] == 2


@pytest.mark.parametrize(
    ("row", "label", "path"),
    [
        (
            {"chapter": 1, "section": 2, "section_title": "T", "section_desc": "D."},
            "Section 2",
            ("Chapter 1",),
        ),
        (
            {
                "chapter": 1,
                "chapter_title": "intro",
                "Section": "4A",
                "section_title": "T",
                "section_desc": "D.",
            },
            "Section 4A",
            ("Chapter 1 – intro",),
        ),
        ({"section": 7, "title": "T", "description": "D."}, "Section 7", ()),
    ],
)
def test_indian_acts_are_read_by_their_own_field_names(
    row: dict[str, Any], label: str, path: tuple[str, ...]
) -> None:
    (article,) = parse(source([row])).of_kind(UnitKind.ARTICLE)
    assert (article.label, article.heading, article.path) == (label, "T", path)
    assert article.number == label.removeprefix("Section ")


def test_a_repealed_section_is_marked() -> None:
    rows = [{"section": 2, "title": "Repeal", "description": "Rep. by the Repealing Act, 1938, section 2."}]
    assert next(parse(source(rows)).of_kind(UnitKind.ARTICLE)).status is UnitStatus.ABROGATED


def test_an_article_whose_heading_says_that_it_is_abrogated_may_be_empty() -> None:
    rows = [{"number": "1", "heading": "(...) (abrogé par la loi du 3 mai 1901 )", "text": ""}]
    parsed = parse(source(rows))
    assert next(parsed.of_kind(UnitKind.ARTICLE)).status is UnitStatus.ABROGATED
    assert parsed.health.ok


def test_a_mapping_of_ones_own_serves_other_field_names() -> None:
    mapping = ArticleMapping(name="mine", rows=None, number="nr", text="body", heading="t")
    parsed = parse_articles(source([{"nr": "§ 3", "t": "Zweck", "body": "Das Gesetz."}]), mapping)
    assert next(parsed.of_kind(UnitKind.ARTICLE)).number == "3"
    assert parsed.act.layout == "articles-mine"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (b'{"articles": ]}', "neither JSON"),
        (b'{"articles": [', "the JSON is cut off"),
        (b'{"articles": [{"number": "1", "text": "The law', "the JSON is cut off"),
        (b'[{"number": "1", "text": "The law"},', "the JSON is cut off"),
        (b'[{"number": "1", "text": "The law"}', "the JSON is cut off"),
        (b'{"number": "1", "text": "The law"}\n{"number": "2", "te', r"the last JSON line \(2\) is cut off"),
        ([{"number": "1", "text": ["a"]}], "row 1, field text"),
        ([{"number": "1", "text": "a", "path": 3}], "row 1, field path"),
        ([{"number": "1", "text": "a"}, "b"], "row 2 is not an object"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_the_place(value: Any, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        parse(source(value))


def test_unknown_fields_are_refused_with_the_known_ones() -> None:
    with pytest.raises(UnrecognisedLayoutError, match="number, heading, path, text"):
        parse(source([{"a": 1}]))
    with pytest.raises(SourceError, match="no list of articles"):
        parse_articles(source({"x": 1}), ArticleMapping(name="m", rows="rows", number="n", text="t"))


def test_deeply_nested_json_is_an_error_not_a_crash() -> None:
    with pytest.raises(SourceError):
        parse(source(b"[" * 100_000))


@given(st.lists(st.text(max_size=200), min_size=1, max_size=6))
def test_offsets_measure_the_text_whatever_the_articles_say(texts: list[str]) -> None:
    rows = [{"number": f"Article {n}", "text": text} for n, text in enumerate(texts, 1)]
    parsed = parse(source(rows))
    assert parsed.counts()["article"] == len(texts)
    for unit in parsed.units:
        assert parsed.text[unit.start : unit.end] == unit.text
