from __future__ import annotations

from pathlib import Path

import pytest

from claimrag.legal_sources.articles.markdown import parse as parse_markdown
from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.recognise import parse_source


@pytest.mark.corpus
def test_the_civil_code_gives_the_same_articles_in_json_and_markdown(shared_corpus: Path) -> None:
    folder = shared_corpus / "data/legilux-code-civil/lex-articles"
    for version, articles in (("2025-12-26", 2301), ("2016-09-01", 2318)):
        path = folder / version
        from_json = parse_source(Source.of((path / "fr.json").read_bytes(), origin="fr.json"))
        from_markdown = parse_markdown(Source.of((path / "fr.md").read_bytes(), origin="fr.md"))
        assert from_json.act.id == from_markdown.act.id == f"lu/loi-1804-03-21-n1/{version}/fr"
        assert from_json.counts()["article"] == from_markdown.counts()["article"] == articles
        assert from_json.health.ok
        assert from_markdown.health.ok


@pytest.mark.corpus
@pytest.mark.parametrize(("file", "sections"), [("cpc", 171), ("crpc", 525), ("iea", 184), ("ipc", 575)])
def test_indian_codes_land_section_by_section(shared_corpus: Path, file: str, sections: int) -> None:
    path = shared_corpus / f"data/india-civictech/{file}.json"
    parsed = parse_source(Source.of(path.read_bytes(), origin=path.name))
    assert parsed.counts()["article"] == sections
    assert parsed.health.landed_share == 1.0
    # Section 304B of the penal code has no text in this file; the health check says so.
    assert parsed.health.ok is (file != "ipc")


@pytest.mark.corpus
def test_the_plain_texts_of_the_data_protection_regulation_hold_its_known_structure(
    shared_corpus: Path,
) -> None:
    for language in ("en", "fr"):
        path = shared_corpus / f"data/lex-articles-gold/32016r0679/2016-04-27/{language}.json"
        counts = parse_source(Source.of(path.read_bytes(), origin=path.name)).counts()
        assert (counts["article"], counts["paragraph"], counts["point"]) == (99, 372, 389)
