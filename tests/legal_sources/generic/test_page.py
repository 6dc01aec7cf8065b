from __future__ import annotations

import pytest

from claimrag.legal_sources.generic.grammar import Role, classify
from claimrag.legal_sources.generic.lines import Line
from claimrag.legal_sources.generic.page import parse
from claimrag.legal_sources.markup import Source, read_document
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.legal_sources.recognise import parse_source
from claimrag.schemas.errors import UnrecognisedLayoutError
from claimrag.schemas.unit import UnitKind, UnitStatus

SENTENCE = "The keeper of the pond shall feed the ducks that live in it on every day of the week and in the evening. "


def page(body: str, head: str = "<title>Pond Act</title>", language: str = "en") -> bytes:
    head = f'<head><meta charset="utf-8">{head}</head>'
    return f'<!doctype html><html lang="{language}">{head}<body>{body}</body></html>'.encode()


def read(body: str, **parts: str) -> ParsedAct:
    parsed = parse(read_document(Source.of(page(body, **parts), origin="pond.html")))
    for unit in parsed.units:
        assert parsed.text[unit.start : unit.end] == unit.text
    return parsed


LAW = (
    "<nav><a href='/'>Home</a> Article 99. Menu</nav><main><h1>Pond Act</h1><p>Enacted in the spring.</p>"
    f"<h2>Chapter I</h2><p>General rules</p><h3>Article 1 – Scope</h3><p>{SENTENCE}</p>"
    f"<h3>Article 2</h3><p>(1) {SENTENCE}</p><p>(2) These are kept:</p><p>a) ducks;</p><p>b) geese.</p>"
    f"<h2>Chapter II – Ponds</h2><p><b>Art. 3.</b> {SENTENCE}</p><h2>Annex A</h2><p>List of ponds.</p></main>"
)


def test_articles_divisions_and_annexes_are_found_by_their_headings() -> None:
    parsed = read(LAW)
    articles = list(parsed.of_kind(UnitKind.ARTICLE))
    assert [(each.number, each.heading) for each in articles] == [("1", "Scope"), ("2", None), ("3", None)]
    assert articles[0].path == ("Chapter I – General rules",)
    assert articles[2].path == ("Chapter II – Ponds",)
    assert [each.number for each in parsed.of_kind(UnitKind.PARAGRAPH)] == ["1", "2"]
    assert [each.label for each in parsed.of_kind(UnitKind.POINT)] == ["a)", "b)"]
    assert next(parsed.of_kind(UnitKind.ANNEX)).text.endswith("List of ponds.")
    assert "Menu" not in parsed.text
    assert parsed.act.title == "Pond Act"
    assert parsed.act.language == "en"


def test_the_page_says_how_sure_it_is() -> None:
    parsed = read(LAW)
    (note,) = (each for each in parsed.health.problems if each.code == "uncertain_structure")
    assert "3 articles, confidence 1.00" in note.detail
    assert parsed.health.landed_share == 1.0
    assert {"work_unknown", "version_date_unknown"} <= {each.code for each in parsed.health.problems}


def test_a_table_of_contents_before_the_law_is_not_the_law() -> None:
    contents = "<ul><li>Article 1 – Scope</li><li>Article 2 – Keeping</li></ul>"
    parsed = read(
        f"<h1>Pond Act</h1>{contents}<h3>Article 1</h3><p>{SENTENCE}</p><h3>Article 2</h3><p>{SENTENCE}</p>"
    )
    assert [each.number for each in parsed.of_kind(UnitKind.ARTICLE)] == ["1", "2"]
    assert parsed.health.ok


def test_articles_that_the_law_quotes_do_not_count() -> None:
    quoted = "<p>“Article 7</p><p>Article 8. The old text stays.</p><p>It is so.”</p>"
    parsed = read(f"<p>Article 1. Read:</p>{quoted}<p>Article 2. {SENTENCE}</p><p>Article 3. {SENTENCE}</p>")
    assert [each.number for each in parsed.of_kind(UnitKind.ARTICLE)] == ["1", "2", "3"]


def test_running_text_that_names_an_article_is_no_heading() -> None:
    lines = [
        Line("Article 5 of the Pond Act applies to the following persons"),
        Line("Article 5"),
        Line("Article 6."),
    ]
    roles = [part.role for part in classify(lines)]
    assert roles == [Role.TEXT, Role.ARTICLE, Role.ARTICLE]


def test_sections_are_articles_where_no_article_is_printed() -> None:
    parsed = read(f"<p>Section 1. {SENTENCE}</p><p>Section 2. {SENTENCE}</p>")
    assert [each.label for each in parsed.of_kind(UnitKind.ARTICLE)] == ["Section 1.", "Section 2."]


def test_an_abrogated_article_is_marked_and_does_not_fail_the_page() -> None:
    parsed = read(
        "<p>Article 1. Abrogé.</p><p>Article 2. Le texte de la loi est en vigueur.</p>", language="fr"
    )
    assert next(parsed.of_kind(UnitKind.ARTICLE)).status is UnitStatus.ABROGATED
    assert parsed.health.ok


@pytest.mark.parametrize(
    "body",
    [
        "<h1>Just a moment...</h1><p>Checking your browser before you continue.</p>",
        "<p>We use cookies. See Article 6 for more.</p>",
        "<p>Article 9</p><p>Article 7</p><p>Article 4</p>",
        "",
    ],
)
def test_a_page_without_a_law_is_refused(body: str) -> None:
    with pytest.raises(UnrecognisedLayoutError, match="no law was found"):
        read(body)


def test_a_law_of_one_article_is_a_law() -> None:
    assert read(f"<h2>Article unique</h2><p>{SENTENCE}</p>").counts()["article"] == 1


def test_an_unknown_publisher_reaches_the_generic_page_through_the_registry() -> None:
    assert parse_source(Source.of(page(LAW), origin="pond.html")).act.layout == "generic-page"


def test_the_language_of_the_page_serves_when_its_words_do_not_tell() -> None:
    parsed = read("<p>Article 1. Ja.</p><p>Article 2. Nein.</p>", language="de-DE")
    assert parsed.act.language == "de"
    unknown = read("<p>Article 1. Ja.</p><p>Article 2. Nein.</p>", language="")
    assert "language_unknown" in {each.code for each in unknown.health.problems}


def test_hidden_parts_and_scripts_are_not_read() -> None:
    parsed = read(
        "<script>Article 3. evil()</script><div class='no-print'>Share</div><div hidden>Secret</div>"
        f"<!-- Article 4. --><p>Article 1. {SENTENCE}</p><p>Article 2. {SENTENCE}</p>"
    )
    for word in ("evil", "Share", "Secret", "Article 4"):
        assert word not in parsed.text
    assert parsed.health.landed_share == 1.0


def test_the_same_page_gives_the_same_act() -> None:
    assert read(LAW) == read(LAW)


@pytest.mark.parametrize(
    ("text", "role", "label", "number", "rest"),
    [
        ("Article 5", Role.ARTICLE, "Article 5", "5", ""),
        ("Art. 5. The ducks", Role.ARTICLE, "Art. 5.", "5", "The ducks"),
        ("ARTICLE PREMIER – Objet", Role.ARTICLE, "ARTICLE PREMIER", "PREMIER", "Objet"),
        ("Artikel 3 bis", Role.ARTICLE, "Artikel 3 bis", "3 bis", ""),
        ("Art. R. 12-3. Objet", Role.ARTICLE, "Art. R. 12-3.", "R. 12-3", "Objet"),
        ("Article 5 of the Pond Act applies", Role.TEXT, "", "", ""),
        ("Première partie", Role.DIVISION, "Première partie", "", ""),
        ("CHAPTER II – PONDS", Role.DIVISION, "CHAPTER II", "", "PONDS"),
        ("Hoofdstuk 2. Vijvers", Role.DIVISION, "Hoofdstuk 2.", "", "Vijvers"),
        ("Titre Ier", Role.DIVISION, "Titre Ier", "", ""),
        ("Section 5 applies to ponds", Role.TEXT, "", "", ""),
        ("Part of the pond", Role.TEXT, "", "", ""),
    ],
)
def test_a_printed_heading_is_told_from_running_text(
    text: str, role: Role, label: str, number: str, rest: str
) -> None:
    (part,) = classify([Line(text)])
    assert (part.role, part.label, part.number, part.rest) == (role, label, number, rest)


def test_a_text_that_counts_sections_has_sections_for_articles() -> None:
    first, second = classify([Line("§ 5. Zweck"), Line("Section 6: Scope")])
    assert (first.label, first.number, first.rest) == ("§ 5.", "5", "Zweck")
    assert (second.label, second.number, second.rest) == ("Section 6:", "6", "Scope")
