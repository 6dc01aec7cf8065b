"""The Official Journal without ELI subdivisions, and acts without articles."""

from __future__ import annotations

from collections.abc import Callable

from claimrag.legal_sources import ParsedAct
from claimrag.schemas.unit import Unit

Parse = Callable[[bytes], ParsedAct]
Find = Callable[[ParsedAct, str], Unit]
Paths = Callable[..., list[str]]

HEADER = (
    """<table><tr><td><p class="hd-date">30.4.1999</p></td><td><p class="hd-lg">EN</p></td></tr></table>"""
)


def page(body: str) -> bytes:
    return f"<html xmlns='http://www.w3.org/1999/xhtml'><head><title>x</title></head><body>{HEADER}{body}</body></html>".encode()


def row(marker: str, text: str) -> str:
    return f'<table><tr><td><p class="normal">{marker}</p></td><td><p class="normal">{text}</p></td></tr></table>'


def test_headings_side_by_side_become_a_tree(parse: Parse, paths_of: Paths, unit_of: Find) -> None:
    body = f"""<p class="doc-ti">COUNCIL DIRECTIVE 1999/77/EC</p><p class="doc-ti">on bread</p>
<p class="normal">THE BAKERS OF THE UNION,</p>
<p class="normal">Having regard to flour<a id="ntc1-x" href="#ntr1-x"> (<span>1</span>)</a>,</p>
<p class="normal">Whereas:</p>{row("(1)", "Bread is old.")}
<p class="normal">HAVE ADOPTED THIS DIRECTIVE:</p>
<p class="ti-section-1">CHAPTER I</p><p class="ti-section-2">Flour</p>
<p class="ti-art"><span class="underline">Article 1</span></p><p class="sti-art">Rye</p>
<p class="normal">1.   Rye is:</p>{row("(a)", "dark;")}
<p class="normal">It is heavy.</p><p class="normal">2.   Spelt is not.</p>
<div class="final"><p class="normal">Done at Ghent.</p></div><hr class="note"/>
<p class="note"><a id="ntr1-x" href="#ntc1-x">(<span>1</span>)</a> OJ L 1.</p>
<hr class="doc-sep"/><div id="L_x"><p class="doc-ti">ANNEX II</p><p class="doc-ti">Weights</p>
<p class="ti-grseq-1">General</p>{row("1.", "One.")}</div>"""
    parsed = parse(page(body))
    assert parsed.act.id == "eu/31999L0077/1999-04-30/en"
    assert parsed.act.layout == "eurlex-oj-flat"
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
        "art_1.par_1.sub_2",
        "art_1.par_2",
        "fnp_1",
        "anx_II",
        "anx_II.sct_1",
        "anx_II.sct_1.pnt_1",
        "fn_1",
    ]
    assert unit_of(parsed, "anx_II.sct_1").heading == "General"
    assert parsed.health.ok and parsed.health.landed_share == 1.0


def test_a_declaration_after_the_act_is_attached_to_it(parse: Parse, paths_of: Paths, unit_of: Find) -> None:
    body = """<p class="doc-ti">DIRECTIVE 1999/77/EC</p><p class="ti-art">Article 1</p><p class="normal">Bread.</p>
<p class="doc-ti">Statement by the bakers</p><p class="normal">We regret.</p>"""
    parsed = parse(page(body))
    assert paths_of(parsed)[-1] == "anx_1"
    assert unit_of(parsed, "anx_1").label == "Statement by the bakers"


def test_a_corrigendum_is_one_document_named_by_its_hash(parse: Parse) -> None:
    body = """<p class="doc-ti">Corrigendum to Regulation (EU) 2031/77 of 27 April 2031</p>
<div>On page 1:<p class="normal">for:</p>‘rey’,<table><tr><td><p>1.</p></td><td><p>rye</p></td></tr></table></div>"""
    parsed = parse(page(body))
    assert parsed.counts() == {"document": 1}
    assert parsed.act.celex is None
    assert parsed.act.work == f"sha256-{parsed.act.raw_sha256[:16]}"
    assert {problem.code for problem in parsed.health.problems} == {"work_unknown", "no_articles"}
    assert parsed.text.splitlines()[1:] == ["On page 1:", "for:", "‘rey’,", "1. rye"]
    assert parsed.health.ok and parsed.health.landed_share == 1.0
