"""Real laws against the labelled structure of the shared corpus."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from claimrag.legal_sources import ParsedAct, parse_file
from claimrag.schemas.errors import UnrecognisedLayoutError

pytestmark = pytest.mark.corpus

GDPR = (
    "32016r0679/2016-04-27/en.xml",
    "32016r0679/2016-04-27/fr.xml",
    "32016r0679/2016-05-04/en.html",
    "32016r0679/2016-05-04/fr.html",
    "32016r0679/2016-05-04/en.fmx4/CL2016R0679EN0000020.0001.xml",
    "32016r0679/2016-05-04/fr.fmx4/CL2016R0679FR0000020.0001.xml",
)


@pytest.fixture(scope="module")
def gold(shared_corpus: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((shared_corpus / "reference" / "gdpr_gold.json").read_text("utf-8"))
    return loaded


def law(corpus: Path, name: str) -> Path:
    raw = corpus / "data" / "eurlex-raw" / name
    return raw if raw.exists() else corpus / "data" / name


def paths(parsed: ParsedAct) -> dict[str, str]:
    return {unit.id.partition("#")[2]: unit.kind.value for unit in parsed.units}


@pytest.mark.parametrize("name", [*GDPR, "eurlex-live-page/gdpr.html"])
def test_the_gdpr_has_its_gold_structure_in_total_and_per_article(
    shared_corpus: Path, gold: dict[str, Any], name: str
) -> None:
    parsed = parse_file(law(shared_corpus, name))
    counts, totals = parsed.counts(), gold["totals"]
    assert counts["chapter"] == totals["chapters"]
    assert counts["section"] == totals["sections"]
    assert counts["article"] == totals["articles"]
    assert counts["paragraph"] == totals["numbered_paragraphs"]
    assert counts["point"] == totals["points_level1"]
    assert counts["subpoint"] == totals["points_level2"]
    if parsed.act.consolidated:
        assert "recital" not in counts and "citation" not in counts
    else:
        assert counts["recital"] == totals["recitals"]
        assert counts["citation"] == totals["citations_having_regard"]
        assert counts["footnote"] == totals["footnotes"]
    by_article: dict[str, Counter[str]] = {}
    for path, kind in paths(parsed).items():
        by_article.setdefault(path.partition(".")[0], Counter())[kind] += 1
    alineas = 0
    for article in gold["articles"]:
        found = by_article[f"art_{article['num']}"]
        assert found["paragraph"] == article["numbered_paragraphs"], article["num"]
        assert found["point"] == article["points"], article["num"]
        assert found["subpoint"] == article["subpoints"], article["num"]
        alineas += max(found["paragraph"], 1) + found["subparagraph"]
    assert alineas == totals["alineas_formex"]
    assert parsed.health.ok
    assert parsed.health.landed_share == 1.0
    for unit in parsed.units:
        assert parsed.text[unit.start : unit.end] == unit.text


def test_the_gdpr_articles_bear_their_headings_chapters_and_sections(
    shared_corpus: Path, gold: dict[str, Any]
) -> None:
    parsed = parse_file(law(shared_corpus, GDPR[0]))
    units = {unit.id.partition("#")[2]: unit for unit in parsed.units}
    for article in gold["articles"]:
        unit = units[f"art_{article['num']}"]
        assert unit.heading == article["title_en"]
        assert unit.path[0].startswith(f"CHAPTER {article['chapter']} – ")
        assert (len(unit.path) == 2) == (article["section"] is not None)
    several = [recital["num"] for recital in gold["recitals"] if recital["subparagraphs"] > 1]
    assert several == [number for number in range(1, 174) if f"rct_{number}.sub_2" in units]


def test_every_representation_of_a_law_gives_the_same_unit_ids(shared_corpus: Path) -> None:
    kinds = ("article", "paragraph", "point", "subpoint", "subparagraph", "chapter", "section")

    def shape(name: str) -> list[str]:
        found = paths(parse_file(law(shared_corpus, name)))
        return [path for path, kind in found.items() if kind in kinds and not path.startswith("rct_")]

    first = shape(GDPR[0])
    assert all(shape(name) == first for name in GDPR[1:])
    consolidated = "32024r1689/2026-07-27"
    enacting = [
        [path for path in shape(f"{consolidated}/{language}.html") if not path.startswith("anx_")]
        for language in ("en", "fr")
    ]
    assert enacting[0] == enacting[1]


def test_the_ai_act_as_published_and_consolidated(shared_corpus: Path) -> None:
    published = parse_file(law(shared_corpus, "32024r1689/2024-06-13/en.xml"))
    assert [published.counts()[kind] for kind in ("recital", "article", "annex")] == [180, 113, 13]
    for name in ("en.html", "fr.html", "en.fmx4/CL2024R1689EN0010010.0001.xml"):
        parsed = parse_file(law(shared_corpus, f"32024r1689/2026-07-27/{name}"))
        assert parsed.counts()["article"] == 119
        inserted = ["art_4a", "art_60a", "art_75a", "art_75b", "art_75c", "art_75d"]
        assert [path for path in paths(parsed) if path in inserted] == inserted


def test_an_amending_directive_has_only_its_own_articles(shared_corpus: Path) -> None:
    parsed = parse_file(shared_corpus / "data" / "eurlex-layouts" / "32005L0029_oj_en.xhtml")
    assert parsed.counts()["article"] == 21
    assert "\n‘Article 3a\n" in parsed.text


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_directive_of_1995_in_plain_text_and_consolidated(shared_corpus: Path, language: str) -> None:
    for name in (f"1995-10-24/{language}.html", f"2003-11-20/{language}.xml"):
        parsed = parse_file(law(shared_corpus, f"31995l0046/{name}"))
        counts = parsed.counts()
        assert (counts["article"], counts["recital"]) == (34, 72)
        assert parsed.act.work == "31995L0046"
        assert parsed.health.ok


def test_every_file_parses_in_health_or_is_refused_for_a_reason(shared_corpus: Path) -> None:
    refused: list[str] = []
    for folder in ("eurlex-raw", "eurlex-layouts", "eurlex-live-page"):
        for file in sorted((shared_corpus / "data" / folder).rglob("*ml")):
            try:
                parsed = parse_file(file)
            except UnrecognisedLayoutError as error:
                refused.append(f"{file.name}: {str(error).partition(': ')[2]}")
                continue
            assert parsed.health.ok, (file, parsed.health.problems)
            assert parsed.health.landed_share >= 0.995, file
    reasons = ("table of contents of a Formex", "repealed", "proposal of the Commission")
    assert all(any(reason in line for reason in reasons) for line in refused)
    assert sum(".doc.xml" in line for line in refused) == 11
    assert len(refused) == 16


def test_the_gdpr_is_parsed_in_under_half_a_second_of_processing(shared_corpus: Path) -> None:
    file = law(shared_corpus, GDPR[0])
    parse_file(file)
    started = time.process_time()
    parse_file(file)
    assert time.process_time() - started < 0.5
