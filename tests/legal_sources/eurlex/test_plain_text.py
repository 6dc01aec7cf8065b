"""Pages whose structure is only in their words, and the oldest consolidated texts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from claimrag.legal_sources import ParsedAct
from claimrag.schemas.unit import Unit, UnitKind

Page = Callable[..., bytes]
Parse = Callable[[bytes], ParsedAct]
Find = Callable[[ParsedAct, str], Unit]
Paths = Callable[..., list[str]]

DIRECTIVE = [
    "DIRECTIVE 99/77/EC OF THE BAKERS",
    "of 24 October 1999",
    "on bread",
    "",
    "THE BAKERS OF THE COMMUNITY,",
    " Having regard to flour (1),",
    " (1) Whereas bread is old;",
    " (2) Whereas flour is older (2);",
    "HAVE ADOPTED THIS DIRECTIVE:",
    "",
    "CHAPTER I GENERAL PROVISIONS",
    "Article 1",
    "Object of the Directive",
    "1. Bread is made, as point (1) says, of:",
    "(a) rye:",
    "- dark,",
    "or",
    "- light;",
    "(b) spelt.",
    "2. It is baked.",
    "SECTION I",
    "HEAT",
    "Article 2",
    "Member States shall bake.",
    "They shall not burn.",
    "FINAL PROVISIONS",
    "Article 3",
    "This Directive is addressed to bakers.",
    "Done at Ghent, 24 October 1999.",
    "For the Bakers",
    "(1) OJ No C 277, p. 3.",
    "(2) OJ No C 311, p. 30.",
    "ANNEX",
    "Weights",
    "One kilogram.",
]


def test_headings_recitals_points_and_notes_are_told_by_their_words(
    text_page: Page, parse: Parse, paths_of: Paths, unit_of: Find
) -> None:
    parsed = parse(text_page(DIRECTIVE))
    assert parsed.act.id == "eu/31999L0077/1999-10-24/en"
    assert parsed.act.version_date == date(1999, 10, 24)
    assert paths_of(parsed) == [
        "tit_1",
        "pbl_1",
        "cit_1",
        "rct_1",
        "rct_2",
        "enc_1",
        "cpt_I",
        "art_1",
        "art_1.par_1",
        "art_1.par_1.pnt_a",
        "art_1.par_1.pnt_a.ind_1",
        "art_1.par_1.pnt_a.ind_2",
        "art_1.par_1.pnt_b",
        "art_1.par_2",
        "cpt_I.sct_I",
        "art_2",
        "art_2.sub_2",
        "cpt_2",
        "art_3",
        "fnp_1",
        "anx_1",
        "fn_1",
        "fn_2",
    ]
    assert unit_of(parsed, "cpt_I").heading == "GENERAL PROVISIONS"
    assert unit_of(parsed, "cpt_I.sct_I").heading == "HEAT"
    assert unit_of(parsed, "art_1").heading == "Object of the Directive"
    assert unit_of(parsed, "art_2").heading is None
    assert unit_of(parsed, "art_1.par_1.pnt_a.ind_1").text == "- dark,\nor"
    assert parsed.health.ok and parsed.health.landed_share == 1.0


def test_notes_of_a_plain_text_are_anchored_and_numbered_recitals_are_not_notes(
    text_page: Page, parse: Parse, unit_of: Find
) -> None:
    parsed = parse(text_page(DIRECTIVE))
    assert "Having regard to flour,\n" in parsed.text
    assert "as point (1) says" in parsed.text
    note = unit_of(parsed, "fn_2")
    assert note.anchor_unit_id == unit_of(parsed, "rct_2").id
    assert parsed.text[: note.anchor_offset or 0].endswith("flour is older")


def test_a_text_without_article_headings_is_one_document(text_page: Page, parse: Parse) -> None:
    parsed = parse(text_page(["COMMISSION DECISION of 1 May 1999", "Bread is approved."]))
    assert parsed.counts() == {"document": 1}
    assert [problem.code for problem in parsed.health.problems] == ["repaired_markup", "no_articles"]


def test_french_headings_are_understood(
    text_page: Page, parse: Parse, paths_of: Paths, unit_of: Find
) -> None:
    lines = [
        "DIRECTIVE 99/77/CE DES BOULANGERS",
        "LES BOULANGERS DE LA COMMUNAUTÉ,",
        "vu la farine,",
        "considérant que le pain est ancien;",
        "ONT ARRÊTÉ LA PRÉSENTE DIRECTIVE:",
        "CHAPITRE PREMIER",
        "DISPOSITIONS GÉNÉRALES",
        "Article premier",
        "Objet",
        "Le pain est du pain.",
        "Article 2",
        "1. Il faut:",
        "a) du seigle;",
        "b) du sel.",
        "Fait à Gand, le 1er mai 1999.",
    ]
    parsed = parse(text_page(lines, language="FR"))
    assert paths_of(parsed, "art_") == [
        "art_1",
        "art_2",
        "art_2.par_1",
        "art_2.par_1.pnt_a",
        "art_2.par_1.pnt_b",
    ]
    assert (unit_of(parsed, "cpt_I").label, unit_of(parsed, "cpt_I").number) == ("CHAPITRE PREMIER", "I")
    assert unit_of(parsed, "rct_1").number is None
    assert parsed.act.language == "fr"


def test_a_roman_point_is_told_from_the_letter_i(text_page: Page, parse: Parse, paths_of: Paths) -> None:
    letters = [f"({letter}) {letter}{letter};" for letter in "abcdefghi"]
    lines = [
        "DIRECTIVE 99/77/EC",
        "Article 1",
        "1. One of:",
        *letters,
        "2. Or:",
        "(a) as:",
        "(i) x;",
        "(ii) y;",
    ]
    parsed = parse(text_page(lines))
    assert "art_1.par_1.pnt_i" in paths_of(parsed)
    assert paths_of(parsed, "art_1.par_2.pnt_a") == [
        "art_1.par_2.pnt_a",
        "art_1.par_2.pnt_a.pnt_i",
        "art_1.par_2.pnt_a.pnt_ii",
    ]


def test_a_consolidated_text_without_classes_is_read_by_style_and_words(
    parse: Parse, paths_of: Paths, unit_of: Find
) -> None:
    raw = """<html><head><title>Consolidated TEXT: 31999L0077 — EN — 20.11.2003</title></head><body>
<p>1999L0077 — EN — 20.11.2003 — 001.001</p><hr/><p>A tool.</p><table><tr><td><p>►B</p></td></tr></table><hr/>
<p style="text-align: center">DIRECTIVE 99/77/EC OF THE BAKERS</p><p style="text-align: center">on bread</p>
<div style="background-color: #CCC"><p>THE BAKERS OF THE COMMUNITY,</p><p>Having regard to flour<a
name="src.E0001"/> (<a href="#E0001"><span>1</span></a>),</p>
<table><tr><td><p>(1)</p></td><td><p>Whereas bread is old;</p></td></tr></table>
<p>HAVE ADOPTED THIS DIRECTIVE:</p></div>
<p style="text-align: center">CHAPTER I</p><p style="text-align: center">FLOUR</p>
<p style="text-align: center">Article 1</p><p style="text-align: center">Rye</p><p>1.  Bread has:</p>
<div style="margin-left: 30pt; text-indent: -30pt"><p>(a)<SPAN style="x"> </SPAN>a crust;</p></div>
<p style="text-align: center">FINAL PROVISIONS</p><p style="text-align: center">Article 2</p><p>To all.</p>
<hr/><a name="E0001"/><p>(<a href="#src.E0001"><span>1</span></a>) OJ No C 277.</p></body></html>"""
    parsed = parse(raw.encode())
    assert parsed.act.id == "eu/31999L0077/2003-11-20/en"
    assert parsed.act.layout == "eurlex-consolidated-unclassed"
    assert paths_of(parsed) == [
        "tit_1",
        "pbl_1",
        "cit_1",
        "rct_1",
        "enc_1",
        "cpt_I",
        "art_1",
        "art_1.par_1",
        "art_1.par_1.pnt_a",
        "cpt_2",
        "art_2",
        "fn_1",
    ]
    assert unit_of(parsed, "fn_1").kind is UnitKind.FOOTNOTE
    assert parsed.health.landed_share == 1.0
