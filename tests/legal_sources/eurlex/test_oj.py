"""The Official Journal's XHTML with ELI subdivisions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from claimrag.legal_sources import ParsedAct
from claimrag.schemas.unit import Unit, UnitKind

Page = Callable[..., bytes]
Parse = Callable[[bytes], ParsedAct]
Find = Callable[[ParsedAct, str], Unit]
Paths = Callable[..., list[str]]
Markup = Callable[..., str]


def paragraph(number: int, text: str, more: str = "") -> str:
    return f'<div id="001.{number:03d}"><p class="oj-normal">{number}.   {text}</p>{more}</div>'


def test_the_act_is_identified_by_its_own_title_and_header(
    oj_page: Page, parse: Parse, article: Markup
) -> None:
    parsed = parse(oj_page(article("1", '<p class="oj-normal">Bread is bread.</p>')))
    act = parsed.act
    assert act.id == "eu/32031R0077/2031-04-27/en"
    assert (act.celex, act.work, act.layout) == ("32031R0077", "32031R0077", "eurlex-oj")
    assert act.eli == "http://data.europa.eu/eli/reg/2031/77/oj"
    assert act.version_date == date(2031, 4, 27)
    assert act.short_title == "General Bread Regulation"
    assert act.text_length == len(parsed.text)
    assert not act.consolidated
    assert parsed.health.ok
    assert parsed.health.words_landed == parsed.health.words_in_source


def test_paragraphs_points_and_subparagraphs_become_units(
    oj_page: Page, parse: Parse, article: Markup, oj_point: Markup, paths_of: Paths, unit_of: Find
) -> None:
    deep = oj_point("(i)", "rye,", oj_point("—", "dark;"))
    listed = oj_point("(a)", "wheat or:", deep) + oj_point("(b)", "spelt.")
    content = paragraph(1, "Bread is made of:", listed + '<p class="oj-normal">Point (b) is rare.</p>')
    parsed = parse(oj_page(article("1", content + paragraph(2, "Bread is baked."))))
    assert paths_of(parsed, "art_1") == [
        "art_1",
        "art_1.par_1",
        "art_1.par_1.pnt_a",
        "art_1.par_1.pnt_a.pnt_i",
        "art_1.par_1.pnt_a.pnt_i.ind_1",
        "art_1.par_1.pnt_b",
        "art_1.par_1.sub_2",
        "art_1.par_2",
    ]
    assert unit_of(parsed, "art_1.par_1.pnt_b").text == "(b) spelt."
    assert unit_of(parsed, "art_1.par_1.pnt_a.pnt_i").kind is UnitKind.SUBPOINT
    assert unit_of(parsed, "art_1.par_1.sub_2").text == "Point (b) is rare."
    assert unit_of(parsed, "art_1").text.startswith(
        "Article 1\nLoaves\n1. Bread is made of:\n(a) wheat or:\n(i) rye,"
    )
    assert parsed.counts()["paragraph"] == 2


def test_containers_nest_and_articles_do_not_depend_on_them(
    oj_page: Page, parse: Parse, article: Markup, paths_of: Paths, unit_of: Find
) -> None:
    enacting = f"""<div id="cpt_I"><p class="oj-ti-section-1"><span>CHAPTER I</span></p>
<div class="eli-title" id="cpt_I.tit_1"><p class="oj-ti-section-2">Flour</p></div>
<div id="cpt_I.sct_1"><p class="oj-ti-section-1">Section 1</p>
<div class="eli-title"><p class="oj-ti-section-2">Rye</p></div>
{article("1", '<p class="oj-normal">Rye is dark.</p>')}</div></div>"""
    parsed = parse(oj_page(enacting))
    assert paths_of(parsed)[2:6] == ["enc_1", "cpt_I", "cpt_I.sct_1", "art_1"]
    unit = unit_of(parsed, "art_1")
    assert unit.path == ("CHAPTER I – Flour", "Section 1 – Rye")
    assert (unit_of(parsed, "cpt_I").number, unit_of(parsed, "cpt_I").heading) == ("I", "Flour")


def test_an_article_that_an_amendment_quotes_is_text_of_the_amending_article(
    oj_page: Page, parse: Parse, article: Markup, oj_point: Markup, paths_of: Paths, unit_of: Find
) -> None:
    quoted = (
        '<div id="003A"><p class="oj-ti-art">‘Article 3a</p><p class="oj-sti-art">Crumbs</p>'
        f'<p class="oj-normal">1.   Crumbs are kept.</p>{oj_point("(a)", "dry.’")}</div>;'
    )
    content = '<p class="oj-normal">Rule 5 is amended:</p>' + oj_point(
        "(1)", "after Article 3 insert:", quoted
    )
    parsed = parse(oj_page(article("1", content) + article("2", '<p class="oj-normal">Done.</p>')))
    assert [unit.number for unit in parsed.of_kind(UnitKind.ARTICLE)] == ["1", "2"]
    assert paths_of(parsed, "art_1") == ["art_1", "art_1.pnt_1"]
    assert unit_of(parsed, "art_1.pnt_1").text.endswith(
        "‘Article 3a\nCrumbs\n1. Crumbs are kept.\n(a) dry.’;"
    )


def test_an_unclosed_quotation_ends_with_its_article(
    oj_page: Page, parse: Parse, article: Markup, oj_point: Markup, paths_of: Paths
) -> None:
    first = article("1", '<p class="oj-normal">Insert:</p><p class="oj-normal">‘Bread is never closed.</p>')
    second = article("2", '<p class="oj-normal">As follows:</p>' + oj_point("(a)", "rye."))
    parsed = parse(oj_page(first + second))
    assert paths_of(parsed, "art_") == ["art_1", "art_2", "art_2.pnt_a"]


def test_recitals_keep_their_paragraphs_and_citations_their_order(
    oj_page: Page, parse: Parse, article: Markup, oj_point: Markup, paths_of: Paths, unit_of: Find
) -> None:
    recital = oj_point("(1)", "Bread is old.", '<p class="oj-normal">Flour is older.</p>')
    preamble = (
        '<p class="oj-normal">THE BAKERS,</p><div class="eli-subdivision" id="cit_1"><p class="oj-normal">'
        'Having regard to flour,</p></div><p class="oj-normal">Whereas:</p>'
        f'<div class="eli-subdivision" id="rct_1">{recital}</div>'
    )
    parsed = parse(oj_page(article("1", '<p class="oj-normal">So be it.</p>'), preamble=preamble))
    assert paths_of(parsed)[1:5] == ["pbl_1", "cit_1", "rct_1", "rct_1.sub_2"]
    assert unit_of(parsed, "rct_1").text == "(1) Bread is old.\nFlour is older."
    assert unit_of(parsed, "rct_1").number == "1"


def test_footnotes_leave_the_text_and_are_anchored_where_they_were_called(
    oj_page: Page, parse: Parse, article: Markup, unit_of: Find
) -> None:
    call = '<a id="ntc1-x" href="#ntr1-x"> (<span class="oj-super oj-note-tag">1</span>)</a>'
    note = '<p class="oj-note"><a id="ntr1-x" href="#ntc1-x">(<span>1</span>)</a>  OJ L 1, p. 1.</p>'
    parsed = parse(oj_page(article("1", f'<p class="oj-normal">Rule 5{call}, is old.</p>'), notes=note))
    assert "Rule 5, is old." in parsed.text
    footnote = unit_of(parsed, "fn_1")
    assert (footnote.text, footnote.number) == ("(1) OJ L 1, p. 1.", "1")
    assert footnote.anchor_unit_id == unit_of(parsed, "art_1").id
    assert parsed.text[: footnote.anchor_offset or 0].endswith("Rule 5")
    assert footnote.parent_id is None and parsed.units[-1] == footnote


def test_a_call_without_its_footnote_stays_as_printed_and_is_reported(
    oj_page: Page, parse: Parse, article: Markup
) -> None:
    call = '<a id="ntc9-x" href="#ntr9-x">(<span class="oj-note-tag">9</span>)</a>'
    parsed = parse(oj_page(article("1", f'<p class="oj-normal">Rule 5 {call} is old.</p>')))
    assert "Rule 5 (9) is old." in parsed.text
    assert [problem.code for problem in parsed.health.problems] == ["call_without_footnote"]
    assert parsed.health.ok


def test_annexes_have_sections_points_and_tables_with_row_and_column(
    oj_page: Page, parse: Parse, article: Markup, oj_point: Markup, paths_of: Paths, unit_of: Find
) -> None:
    table = """<table class="oj-table"><tbody><tr><td rowspan="2"><p class="oj-tbl-txt">Rye</p></td>
<td><p class="oj-tbl-txt">1 kg</p></td></tr><tr><td><p class="oj-tbl-txt">2 kg</p></td></tr></tbody></table>"""
    annexes = f"""<hr class="oj-doc-sep"/><div id="L_x"><div class="eli-container" id="anx_\u00a0I">
<p class="oj-doc-ti">ANNEX I</p><p class="oj-doc-ti">Weights</p><p class="oj-ti-grseq-1">Section A. Loaves</p>
{oj_point("1.", "weighed;")}{table}</div></div>
<div class="eli-container" id="anx_I"><p class="oj-doc-ti">ANNEX I</p><p class="oj-normal">Again.</p></div>"""
    parsed = parse(oj_page(article("1", '<p class="oj-normal">See the annex.</p>'), annexes=annexes))
    assert paths_of(parsed, "anx_") == [
        "anx_I",
        "anx_I.sct_A",
        "anx_I.sct_A.pnt_1",
        "anx_I.sct_A.tbl_1",
        "anx_I.sct_A.tbl_1.cel_1_1",
        "anx_I.sct_A.tbl_1.cel_1_2",
        "anx_I.sct_A.tbl_1.cel_2_2",
        "anx_I_2",
    ]
    cell = unit_of(parsed, "anx_I.sct_A.tbl_1.cel_2_2")
    assert (cell.row, cell.column, cell.text) == (2, 2, "2 kg")
    assert unit_of(parsed, "anx_I").heading == "Weights"


def test_a_table_without_markers_is_a_table_and_one_with_an_empty_marker_only_indents(
    oj_page: Page, parse: Parse, article: Markup, oj_point: Markup, paths_of: Paths
) -> None:
    real = oj_point("A long first column of words", "second column")
    parsed = parse(oj_page(article("1", '<p class="oj-normal">First:</p>' + oj_point("", "indented") + real)))
    assert paths_of(parsed, "art_1") == ["art_1", "art_1.tbl_1", "art_1.tbl_1.cel_1_1", "art_1.tbl_1.cel_1_2"]


def test_an_enumeration_on_one_line_is_a_point(
    oj_page: Page, parse: Parse, article: Markup, paths_of: Paths, unit_of: Find
) -> None:
    line = (
        '<div class="oj-enumeration-spacing"><p style="x">1.   </p><p style="x"><span>Knead.</span></p></div>'
    )
    parsed = parse(oj_page(article("1", f'<p class="oj-normal">Bakers shall:</p>{line}')))
    assert paths_of(parsed, "art_1") == ["art_1", "art_1.pnt_1"]
    assert unit_of(parsed, "art_1.pnt_1").text == "1. Knead."


def test_a_page_that_is_not_well_formed_is_read_and_the_report_says_so(
    oj_page: Page, parse: Parse, article: Markup
) -> None:
    raw = oj_page(article("1", '<p class="oj-normal">Bread is bread.</p>'))
    live = raw.replace(b"<head>", b"<head><meta charset=utf-8><script>var x = 1 < 2;</script>")
    parsed = parse(live)
    assert parsed.counts()["article"] == 1
    assert [problem.code for problem in parsed.health.problems] == ["repaired_markup"]
    assert parsed.act.text_sha256 == parse(raw).act.text_sha256


def test_an_article_without_text_fails_the_health_check(oj_page: Page, parse: Parse, article: Markup) -> None:
    parsed = parse(oj_page(article("1", '<p class="oj-normal">Bread.</p>') + article("2", "")))
    assert not parsed.health.ok
    problem = parsed.health.problems[0]
    assert (problem.code, problem.unit_id) == ("empty_article", "eu/32031R0077/2031-04-27/en#art_2")


def test_missing_and_doubled_numbers_are_reported(
    oj_page: Page, parse: Parse, article: Markup, paths_of: Paths
) -> None:
    text = '<p class="oj-normal">Bread.</p>'
    parsed = parse(oj_page(article("1", text) + article("3", text) + article("3", text)))
    assert {problem.code for problem in parsed.health.problems} == {"numbering_gap", "duplicate_number"}
    assert paths_of(parsed, "art_") == ["art_1", "art_3", "art_3_2"]
