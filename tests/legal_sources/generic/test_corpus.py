from __future__ import annotations

from pathlib import Path

import pytest

from claimrag.legal_sources.generic import page
from claimrag.legal_sources.markup import Source, read_document
from claimrag.legal_sources.recognise import parse_source
from claimrag.schemas.unit import UnitKind

ARTICLES = {
    "sample-code": 884,
    "sample-constitution": 217,
    "sample-ordinary-law": 2,
    "sample-regulation": 22,
    "sample-with-tables": 10,
}


@pytest.mark.corpus
@pytest.mark.parametrize("name", sorted(ARTICLES))
def test_belgian_laws_parse_with_every_anchored_article(shared_corpus: Path, name: str) -> None:
    raw = (shared_corpus / f"data/belgium-justel/{name}.html").read_bytes()
    parsed = parse_source(Source.of(raw, origin=name))
    assert parsed.act.layout == "justel"
    assert parsed.counts()["article"] == ARTICLES[name]
    assert raw.split(b'id="text"')[1].count(b"<A NAME='Art.") >= ARTICLES[name]
    assert parsed.health.ok
    assert parsed.health.landed_share >= 0.999


@pytest.mark.corpus
def test_the_senates_text_lands_completely(shared_corpus: Path) -> None:
    path = shared_corpus / "data/france-senat-akn/tas24-021.akn.xml"
    parsed = parse_source(Source.of(path.read_bytes(), origin=path.name))
    assert parsed.counts()["article"] == 11
    assert parsed.health.ok
    assert parsed.health.landed_share == 1.0


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("file", "articles", "chapters"),
    [
        ("eurlex-live-page/gdpr.html", 99, 11),
        ("eurlex-raw/32016r0679/2016-05-04/en.html", 99, 11),
        ("eurlex-raw/31995l0046/1995-10-24/en.html", 34, 7),
        ("eurlex-raw/31995l0046/1995-10-24/fr.html", 34, 7),
        ("eurlex-layouts/31968r1017/1968-07-19/en.html", 31, 0),
        ("eurlex-layouts/32000l0031/2000-06-08/fr.html", 24, 4),
    ],
)
def test_the_generic_reader_finds_known_laws_without_knowing_their_markup(
    shared_corpus: Path, file: str, articles: int, chapters: int
) -> None:
    raw = (shared_corpus / "data" / file).read_bytes()
    parsed = page.parse(read_document(Source.of(raw, origin=file)))
    assert parsed.counts()["article"] == articles
    assert len(list(parsed.of_kind(UnitKind.CHAPTER))) == chapters
    assert parsed.health.landed_share >= 0.995
