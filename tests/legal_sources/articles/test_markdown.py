from __future__ import annotations

import pytest

from claimrag.legal_sources.articles.language import guess_language
from claimrag.legal_sources.articles.markdown import _ARTICLE
from claimrag.legal_sources.articles.markdown import parse as parse_markdown
from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import UNKNOWN_DATE, ParsedAct
from claimrag.legal_sources.recognise import parse_source
from claimrag.schemas.errors import SourceError, UnrecognisedLayoutError
from claimrag.schemas.unit import UnitKind


def parse(text: str) -> ParsedAct:
    return parse_markdown(Source.of(text.encode(), origin="law.md"))


def test_headings_become_divisions_and_articles() -> None:
    parsed = parse(
        "---\nlex_id: 'lu-legilux:loi-1999-01-01-n1:2001-02-03'\ntitle: 'Loi d''essai'\nvalid_from: '2001-02-03'\n"
        "language: fr\nlicense: CC-BY-4.0\n---\n\n## Livre Ier. — Un\n\n### **Chapitre 2** — Deux\n\n"
        '<a id="x"></a>\n\n#### Art. L. 234-1.\n\n**(1)** Texte.\n\n### Art. 12 et 13.\n\nAbrogés\n\n'
        "## Annexe 1\n\nTarif.\n"
    )
    assert parsed.act.id == "lu/loi-1999-01-01-n1/2001-02-03/fr"
    assert parsed.act.title == "Loi d'essai"
    first, second = parsed.of_kind(UnitKind.ARTICLE)
    assert (first.number, first.path) == ("L. 234-1", ("Livre Ier. – Un", "Chapitre 2 – Deux"))
    assert (second.number, second.path) == ("12 et 13", ("Livre Ier. – Un",))
    assert next(parsed.of_kind(UnitKind.ANNEX)).text == "Annexe 1\nTarif."
    assert parsed.health.ok


def test_sections_are_articles_only_where_nothing_else_is() -> None:
    assert parse("# Act\n\n## Section 1 — Scope\n\nText.").counts()["article"] == 1
    counts = parse("# Act\n\n## Section 1 — Scope\n\n### Article 1 — A\n\nText.").counts()
    assert (counts["section"], counts["article"]) == (1, 1)


def test_what_is_missing_is_noted_and_the_title_is_the_first_heading() -> None:
    parsed = parse("# My Act\n\n## § 3\n\nText.\n")
    assert parsed.act.title == "My Act"
    assert parsed.act.version_date == UNKNOWN_DATE
    assert {problem.code for problem in parsed.health.problems} == {
        "work_unknown",
        "language_unknown",
        "version_date_unknown",
    }


def test_markdown_without_articles_is_refused() -> None:
    with pytest.raises(UnrecognisedLayoutError, match="without an article heading"):
        parse("# Notes\n\nNothing here.")
    with pytest.raises(UnrecognisedLayoutError, match="without an article heading"):
        parse("---\n\nA rule above the text.\n")


def test_a_file_that_ends_inside_its_front_matter_or_a_tag_is_cut_off() -> None:
    with pytest.raises(SourceError, match="front matter is never closed"):
        parse("---\nunclosed: front matter\n")
    for tail in ("<a id=", '<a id="art_2"', "<a "):
        with pytest.raises(SourceError, match="it ends inside a tag"):
            parse(f"# My Act\n\n## § 3\n\nText.\n\n{tail}")
    assert parse("# My Act\n\n## § 3\n\nLess < more.\n").health.ok


def test_a_last_line_without_its_end_is_noted() -> None:
    (note,) = (p for p in parse("## § 3\n\nTex").health.problems if p.code == "last_line_not_ended")
    assert "'Tex'" in note.detail


def test_markdown_reaches_its_parser_through_the_registry() -> None:
    assert (
        parse_source(Source.of(b"# Act\n\n## Article 1\n\nText.", origin="law.txt")).counts()["article"] == 1
    )
    with pytest.raises(UnrecognisedLayoutError, match="without an article heading"):
        parse_source(Source.of(b"Act\n", origin="law.MD"))


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(SourceError, match="save the file as UTF-8"):
        parse_markdown(Source.of(b"# Act \x81\x8d\xff", origin="law.md"))


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("The operator of the network shall inform the persons that live in the area. ", "en"),
        ("Le juge de la cour est saisi par une des parties qui en fait la demande. ", "fr"),
        ("Die Behörde hat den Antrag nicht mit der Begründung des Amtes zu prüfen. ", "de"),
        ("De rechter van het gewest wordt door een van de partijen in de zaak niet gehoord. ", "nl"),
    ],
)
def test_function_words_tell_the_language(sentence: str, language: str) -> None:
    assert guess_language(sentence * 5) == language
    assert guess_language(sentence[:10]) is None


@pytest.mark.parametrize(
    ("title", "label", "heading"),
    [
        ("Article 1", "Article 1", ""),
        ("Art. 12-1. — Scope", "Art. 12-1.", "Scope"),
        ("Art. L. 234-1 Scope", "Art. L. 234-1", "Scope"),
        ("Article premier", "Article premier", ""),
        ("Art. 5 bis. Scope", "Art. 5 bis.", "Scope"),
        ("Articles 9 et 10", "Articles 9 et 10", ""),
        ("§ 3a: Zweck", "§ 3a:", "Zweck"),
        ("Section 12 – Arrest", "Section 12", "Arrest"),
        ("Article of faith", None, None),
        ("Chapter 1", None, None),
    ],
)
def test_a_heading_of_an_article_is_its_label_and_its_own_heading(
    title: str, label: str | None, heading: str | None
) -> None:
    found = _ARTICLE.fullmatch(title)
    assert (found and found["label"]) == label
    assert (found and found["heading"]) == heading
