"""Consolidated texts, with ELI subdivisions and flat."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from claimrag.legal_sources import ParsedAct
from claimrag.schemas.unit import Unit, UnitStatus

Page = Callable[..., bytes]
Parse = Callable[[bytes], ParsedAct]
Find = Callable[[ParsedAct, str], Unit]
Paths = Callable[..., list[str]]


def grid(marker: str, content: str) -> str:
    return (
        f'<div class="grid-container grid-list"><div class="list grid-list-column-1"><span>{marker} </span></div>'
        f'<div class="grid-list-column-2">{content}</div></div>'
    )


def numbered(label: str, content: str) -> str:
    return (
        f'<div class="norm"><span class="no-parag">{label}  </span>'
        f'<div class="norm inline-element">{content}</div></div>'
    )


def eli_article(number: str, content: str) -> str:
    return (
        f'<div class="eli-subdivision" id="art_{number}"><p class="title-article-norm">Article {number}</p>'
        f'<div class="eli-title"><p class="stitle-article-norm">Loaves</p></div>{content}</div>'
    )


def in_container(content: str) -> str:
    return f'<div class="eli-container"><div class="eli-subdivision" id="enc_1">{content}</div></div>'


def test_the_reference_line_gives_work_date_and_language(consolidated_page: Page, parse: Parse) -> None:
    parsed = parse(consolidated_page(in_container(eli_article("1", '<p class="norm">Bread.</p>'))))
    assert parsed.act.id == "eu/32031R0077/2033-02-01/en"
    assert parsed.act.version_date == date(2033, 2, 1)
    assert parsed.act.consolidated
    assert parsed.act.eli == "http://data.europa.eu/eli/reg/2031/77/2033-02-01"
    assert parsed.act.title == "REGULATION (EU) 2031/77 OF THE BAKERS on bread"
    assert "Only a tool" not in parsed.text and "►" not in parsed.text


def test_a_paragraph_without_a_nested_p_keeps_its_text(
    consolidated_page: Page, parse: Parse, unit_of: Find
) -> None:
    parsed = parse(consolidated_page(in_container(eli_article("1", numbered("1.", "Bare text.")))))
    assert unit_of(parsed, "art_1.par_1").text == "1. Bare text."
    assert parsed.health.ok


def test_an_alinea_beside_a_paragraph_joins_that_paragraph(
    consolidated_page: Page, parse: Parse, paths_of: Paths
) -> None:
    first = numbered("1.", '<p class="norm inline-element">Either:</p>' + grid("(a)", "<p>rye;</p>"))
    content = first + '<p class="norm">Point (a) is rare.</p>' + numbered("1a.", "Inserted.")
    parsed = parse(consolidated_page(in_container(eli_article("6", content))))
    assert paths_of(parsed, "art_6") == [
        "art_6",
        "art_6.par_1",
        "art_6.par_1.pnt_a",
        "art_6.par_1.sub_2",
        "art_6.par_1a",
    ]


def test_amendment_marks_and_deleted_paragraphs_are_left_out(
    consolidated_page: Page, parse: Parse, unit_of: Find
) -> None:
    mark = '<p class="modref"><a href="x" title="32032R0001: DELETED">▼M1</a> —————</p>'
    inline = '<p class="norm">Bread <a href="x" title="32032R0001"><span>►M2</span></a> is white<span> ◄ </span>.</p>'
    parsed = parse(consolidated_page(in_container(eli_article("1", mark + inline))))
    assert unit_of(parsed, "art_1").text.startswith("Article 1\nLoaves\nBread is white")
    assert "M1" not in parsed.text and "M2" not in parsed.text
    assert parsed.health.landed_share == 1.0


def test_inserted_articles_bear_the_same_id_in_both_languages(
    consolidated_page: Page, parse: Parse, paths_of: Paths
) -> None:
    body = '<p class="title-article-norm">Article {}</p><p class="norm">1.  Pain.</p><p class="norm">1 {}.  Sel.</p>'
    english = parse(consolidated_page(body.format("16a", "x").replace("1 x.", "1a.")))
    french = parse(
        consolidated_page(body.format("16 bis", "bis"), reference="02031R0077 — FR — 01.02.2033 — 001.001")
    )
    assert (
        paths_of(english, "art_")
        == paths_of(french, "art_")
        == ["art_16a", "art_16a.par_1", "art_16a.par_1a"]
    )
    assert french.act.language == "fr"
    assert next(unit for unit in french.units if unit.kind.value == "article").number == "16 bis"


def test_flat_texts_have_containers_hanging_points_and_gaps_between_paragraphs(
    consolidated_page: Page, parse: Parse, paths_of: Paths, unit_of: Find
) -> None:
    body = """<p class="title-division-1">TITLE I</p><p class="title-division-2">Flour</p>
<p class="title-division-1">CHAPTER I</p><p class="title-division-2">Rye</p>
<p class="title-article-norm">Article 1</p><p class="stitle-article-norm">Weight</p>
<p class="norm">1.  A loaf has:</p>
<div style="margin-left: 30pt; text-indent: -30pt">
 <p class="norm">(a)<span style="word-spacing: 18pt"> </span>a crust,</p><p class="norm">and more;</p>
</div><p class="norm">4.  It is weighed.</p>
<p class="title-division-1">TITLE II</p><p class="title-division-2">Salt</p>
<p class="title-article-norm">Article 2</p><p class="norm">Salt is dear.</p>
<p class="norm">This Regulation shall be binding in its entirety.</p>
<p class="title-annex-1">ANNEX</p><p class="title-annex-2">Weights</p><p class="norm">One kilogram.</p>"""
    parsed = parse(consolidated_page(body))
    assert paths_of(parsed) == [
        "tit_1",
        "enc_1",
        "tis_I",
        "tis_I.cpt_I",
        "art_1",
        "art_1.par_1",
        "art_1.par_1.pnt_a",
        "art_1.par_4",
        "tis_II",
        "art_2",
        "fnp_1",
        "anx_1",
    ]
    assert unit_of(parsed, "art_1.par_1.pnt_a").text == "(a) a crust,\nand more;"
    assert unit_of(parsed, "art_2").path == ("TITLE II – Salt",)
    assert unit_of(parsed, "anx_1").heading == "Weights"
    assert parsed.health.ok and parsed.health.landed_share == 1.0


def test_a_preamble_in_an_old_consolidated_text_is_kept(
    consolidated_page: Page, parse: Parse, paths_of: Paths
) -> None:
    body = """<div class="preamble"><p class="norm">THE BAKERS OF THE UNION,</p>
<p class="norm">Having regard to flour (<a href="#E0001" id="src.E0001"><span>1</span></a>),</p>Whereas:
<table><tr><td><p class="norm">(1)</p></td><td><p class="norm">Bread is old.</p></td></tr></table>
<p class="norm">HAVE ADOPTED THIS REGULATION:</p></div>
<p class="title-article-norm">Article 1</p><p class="norm">Bread is bread.</p>
<p class="footnote">(<a href="#src.E0001" id="E0001"><span>1</span></a>) OJ L 1, p. 1.</p>"""
    parsed = parse(consolidated_page(body))
    assert paths_of(parsed) == ["tit_1", "pbl_1", "cit_1", "rct_1", "enc_1", "art_1", "fn_1"]
    assert "Having regard to flour," in parsed.text
    assert parsed.units[-1].text == "(1) OJ L 1, p. 1."


def test_a_heading_that_an_amendment_quotes_opens_no_article(
    consolidated_page: Page, parse: Parse, paths_of: Paths
) -> None:
    quoted = numbered("‘3.", "Crumbs.") + '<p class="title-article-norm">‘Article 9</p><p class="norm">;</p>'
    content = grid("(1)", '<p class="norm">insert:</p>' + quoted)
    parsed = parse(
        consolidated_page(in_container(eli_article("1", '<p class="norm">Amended:</p>' + content)))
    )
    assert paths_of(parsed, "art_") == ["art_1", "art_1.pnt_1"]
    assert parsed.text.endswith("(1) insert:\n‘3. Crumbs.\n‘Article 9;")


def test_notes_inside_a_table_are_footnotes(consolidated_page: Page, parse: Parse, paths_of: Paths) -> None:
    table = """<table border="1"><tr><td><p>Rye <a href="#E0007">(<span>1</span>)</a></p></td></tr>
<tr><td><div class="tbl-norm"><a id="E0007">(<span>1</span>)   </a><p class="inline-element">OJ L 2.</p></div></td>
</tr></table>"""
    parsed = parse(consolidated_page(in_container(eli_article("1", '<p class="norm">See:</p>' + table))))
    assert paths_of(parsed, "art_1") == ["art_1", "art_1.tbl_1", "art_1.tbl_1.cel_1_1"]
    assert parsed.units[-1].text == "(1) OJ L 2."
    assert parsed.units[-1].anchor_unit_id == parsed.units[-2].id


def test_a_deleted_article_is_abrogated_and_not_empty(
    consolidated_page: Page, parse: Parse, unit_of: Find
) -> None:
    body = """<p class="title-article-norm">Article 1</p><p class="norm">Bread.</p>
<p class="title-article-norm">Article 2</p><p class="modref"><a title="32032R0001: DELETED">▼M1</a> —————</p>
<p class="title-article-norm">Article 3</p><p class="modref"><a title="32031R0077">▼B</a></p>"""
    parsed = parse(consolidated_page(body))
    assert unit_of(parsed, "art_2").status is UnitStatus.ABROGATED
    assert [problem.unit_id for problem in parsed.health.problems] == [unit_of(parsed, "art_3").id]
