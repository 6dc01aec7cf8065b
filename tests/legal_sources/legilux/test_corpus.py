from __future__ import annotations

from pathlib import Path

import pytest

from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.recognise import parse_source
from claimrag.schemas.unit import UnitKind, UnitStatus


@pytest.mark.corpus
def test_every_legilux_file_parses_and_its_words_land(shared_corpus: Path) -> None:
    files = sorted((shared_corpus / "data" / "legilux-raw").rglob("*.xml"))
    assert len(files) >= 12
    for path in files:
        parsed = parse_source(Source.of(path.read_bytes(), origin=path.name))
        assert parsed.health.ok, (path, parsed.health.problems)
        assert parsed.health.landed_share >= 0.995
        assert len({unit.id for unit in parsed.units}) == len(parsed.units)
        for unit in parsed.units:
            assert parsed.text[unit.start : unit.end] == unit.text


@pytest.mark.corpus
def test_the_commercial_code_is_identified_and_counted(shared_corpus: Path) -> None:
    path = shared_corpus / "data/legilux-raw/loi-1807-09-15-n2/2026-08-03/fr.xml"
    parsed = parse_source(Source.of(path.read_bytes(), origin=str(path)))
    assert parsed.act.id == "lu/loi-1807-09-15-n2/2026-08-03/fr"
    counts = parsed.counts()
    assert (counts["book"], counts["title"], counts["article"], counts["paragraph"]) == (4, 21, 235, 30)
    abrogated = [each for each in parsed.of_kind(UnitKind.ARTICLE) if each.status is UnitStatus.ABROGATED]
    assert len(abrogated) == 40
    assert {"4", "22 à 64"} <= {each.number for each in abrogated}
