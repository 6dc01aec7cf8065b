from __future__ import annotations

import re

import pytest

from claimrag.legal_sources.legilux.numbers import article_number
from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import ParsedAct, own_text_start
from claimrag.legal_sources.recognise import parse_source
from claimrag.legal_sources.samples import SAMPLES, find_sample, read_sample, read_sample_pdf
from claimrag.schemas.errors import InputError
from claimrag.schemas.unit import UnitKind, UnitStatus

VERSIONS = [(sample.id, version.version) for sample in SAMPLES for version in sample.versions]


def parse(sample_id: str, version: str | None = None) -> ParsedAct:
    return parse_source(Source.of(read_sample(sample_id, version), origin=sample_id))


def articles(parsed: ParsedAct) -> dict[str | None, str]:
    return {unit.number: unit.text for unit in parsed.of_kind(UnitKind.ARTICLE)}


@pytest.mark.parametrize(("sample_id", "version"), VERSIONS)
def test_every_sample_is_healthy_and_says_that_it_is_fictional(sample_id: str, version: str) -> None:
    parsed = parse(sample_id, version)
    assert parsed.health.ok
    assert parsed.health.landed_share == 1.0
    assert parsed.act.language == find_sample(sample_id).language
    assert parsed.act.publisher == find_sample(sample_id).publisher
    assert re.search("fictional|fictive", parsed.act.title, re.IGNORECASE)
    for unit in parsed.units:
        assert parsed.text[unit.start : unit.end] == unit.text


def test_the_english_sample_has_the_shape_of_a_regulation() -> None:
    counts = parse("sample-en").counts()
    expected = {
        "recital": 8,
        "chapter": 3,
        "section": 2,
        "article": 16,
        "annex": 1,
        "footnote": 2,
        "table": 1,
    }
    assert {kind: counts[kind] for kind in expected} == expected
    assert counts["point"] > 40
    assert counts["subpoint"] == 6


def test_the_amended_english_sample_changes_four_articles_inserts_one_and_drops_one() -> None:
    before, after = articles(parse("sample-en")), articles(parse("sample-en", "2101-02-01"))
    assert set(after) - set(before) == {"7a"}
    assert set(before) - set(after) == {"15"}
    changed = {number for number in before if number in after and before[number] != after[number]}
    assert changed == {"4", "9", "12"}
    assert "EUR 40 " in before["12"]
    assert "EUR 60 " in after["12"]


def test_the_amended_french_sample_changes_three_articles_inserts_one_and_abrogates_one() -> None:
    before, after = parse("sample-fr"), parse("sample-fr", "2101-07-01")
    old, new = articles(before), articles(after)
    assert set(new) - set(old) == {"8-1"}
    assert {number for number in old if old[number] != new[number]} == {"4", "6", "9", "13"}
    abrogated = {
        unit.number for unit in after.of_kind(UnitKind.ARTICLE) if unit.status is UnitStatus.ABROGATED
    }
    assert abrogated == {"11", "13"}
    assert next(after.of_kind(UnitKind.AMENDMENT_NOTE)).anchor_unit_id


def test_sample_articles_are_short_enough_for_a_small_model_to_read() -> None:
    for sample_id, version in VERSIONS:
        for unit in parse(sample_id, version).of_kind(UnitKind.ARTICLE):
            words = len(unit.text[own_text_start(unit) - unit.start :].split())
            assert words <= 350
            assert words >= 55 or unit.status is UnitStatus.ABROGATED


@pytest.mark.parametrize(("sample_id", "version"), VERSIONS)
def test_cross_references_inside_a_sample_lead_somewhere(sample_id: str, version: str) -> None:
    parsed = parse(sample_id, version)
    numbers = {unit.number for unit in parsed.of_kind(UnitKind.ARTICLE)}
    named = re.findall(r"\b(?:Articles?|articles?) (\d+(?:-\d+)?[a-z]?)\b(?! of the| thereof)", parsed.text)
    assert len(named) > 10
    missing = {number for number in named if article_number(f"Art. {number}") not in numbers}
    assert not missing


def test_an_unknown_sample_or_version_is_an_input_error_that_lists_what_there_is() -> None:
    with pytest.raises(InputError, match="sample-en, sample-fr"):
        read_sample("sample-de")
    with pytest.raises(InputError, match="2099-03-12, 2101-02-01"):
        read_sample("sample-en", "1999-01-01")


def test_the_first_version_is_read_when_none_is_named() -> None:
    assert read_sample("sample-fr") == read_sample("sample-fr", "2100-01-01")
    assert read_sample_pdf().startswith(b"%PDF")
