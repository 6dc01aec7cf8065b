from __future__ import annotations

import sys
from pathlib import Path

import pytest

from claimrag.flows.cli.bench import load_bench
from claimrag.legal_sources.markup import Source
from claimrag.schemas.unit import UnitKind

HEAD = "L 7/{number}      EN      Official Journal of the European Union      4.6.2031"
PAGES = (
    """
                                   REGULATION (EU) 2031/77
                             of 3 June 2031 on bakers and loaves

     THE COUNCIL OF THE EUROPEAN UNION,

     Whereas:

     (1)    Bakers should weigh every loaf that is sold, as the opinion of the Committee (1) has it, and
            they should keep the weights.

     HAS ADOPTED THIS REGULATION:

     (1) OJ C 1, 1.1.2031, p. 1.
""",
    """
                                            Article 1
                                         Subject matter

     1.     This Regulation lays down rules on the weighing of every loaf that is sold, and on the keep-
     ing of the weights.

     2.     It applies to bakers.
""",
    """
                                            Article 2
                                        Entry into force

     This Regulation shall enter into force on the day following that of its publication in the Journal.
""",
)


def test_both_readings_of_the_sample_law_are_held_against_its_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEGAL_CORPUS", raising=False)
    rows = load_bench("pdf-text")()
    ours = {row["measure"]: row["pdfplumber"] for row in rows}
    wanted = {row["measure"]: row["gold"] for row in rows}
    for measure in ("articles same", "recitals same", "paragraphs same", "headings same", "footnotes apart"):
        assert ours[measure] == wanted[measure] > 0
    assert ours["footnotes in the law"] == 0
    assert ours["cpu_s"] > 0 and ours["peak_mb"] > 0


def test_without_poppler_its_column_is_empty_and_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("LEGAL_CORPUS", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    rows = load_bench("pdf-text")()
    assert {row["pdftotext -layout"] for row in rows} == {None}
    assert {row["note"] for row in rows} == {"skipped: pdftotext is not on PATH"}


def test_text_with_layout_is_read_by_the_rules_of_the_print() -> None:
    load_bench("pdf-text")
    text = "".join(f"{HEAD.format(number=at)}\n{page}\f" for at, page in enumerate(PAGES, start=1))
    parsed = sys.modules["layout_text"].parse_text(Source.of(b"%PDF-", origin="law.pdf"), text)
    units = {unit.id.split("#")[1]: unit.text for unit in parsed.units}
    assert units["art_1.par_1"] == (
        "1. This Regulation lays down rules on the weighing of every loaf that is sold, "
        "and on the keeping of the weights."
    )
    assert [unit.heading for unit in parsed.of_kind(UnitKind.ARTICLE)] == [
        "Subject matter",
        "Entry into force",
    ]
    assert [note.text for note in parsed.of_kind(UnitKind.FOOTNOTE)] == ["(1) OJ C 1, 1.1.2031, p. 1."]
    assert "the opinion of the Committee has it" in units["rct_1"]
    assert "Official Journal" not in parsed.text
