"""Whatever blocks a page holds: the parse keeps its promises or refuses with a SourceError, never crashes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from claimrag.legal_sources import ParsedAct, parse_bytes
from claimrag.schemas.errors import SourceError

WORDS = st.sampled_from(
    [
        "Article 1",
        "Article 2 bis",
        "‘Article 9",
        "CHAPTER II",
        "Section 1",
        "ANNEX I",
        "1.   Bread is bread.",
        "2. As follows:",
        "(a)",
        "(b) rye;",
        "(i) dark;",
        "—",
        "- salt",
        "‘New text",
        "end.’",
        "»;",
        "THE BAKERS OF THE UNION,",
        "Whereas:",
        "(1) Whereas bread is old;",
        "HAVE ADOPTED THIS REGULATION:",
        "Done at Ghent.",
        "and more",
        "Loaves",
        " ",
        "(1) OJ L 1, p. 1.",
    ]
)
CLASSES = st.sampled_from(
    (
        *("oj-normal", "oj-ti-art", "oj-sti-art", "oj-doc-ti", "oj-ti-grseq-1", "oj-ti-section-1", "oj-note"),
        *("norm", "title-article-norm", "stitle-article-norm", "title-division-1", "title-annex-1", "modref"),
        *("footnote", ""),
    )
)
IDS = st.sampled_from(
    (
        *("art_1", "art_2", "cpt_I", "cpt_I.sct_1", "rct_1", "cit_1", "anx_I", "001.001", "003A", "pbl_1"),
        *("enc_1", "tit_1", "fnp_1", "x"),
    )
)
INLINE = st.sampled_from(
    ["", '<a href="#n1">(1)</a>', '<a id="n1" href="#c">(1)</a>', "<br/>", "<b>bold</b>"]
)


def paragraphs() -> st.SearchStrategy[str]:
    return st.builds(lambda name, text, more: f'<p class="{name}">{text}{more}</p>', CLASSES, WORDS, INLINE)


def wrap(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    some = st.lists(inner, max_size=4).map("".join)
    cells = st.lists(some, min_size=1, max_size=3)
    return st.one_of(
        st.builds(lambda key, text: f'<div class="eli-subdivision" id="{key}">{text}</div>', IDS, some),
        st.builds(lambda key, text, tail: f'<div id="{key}">{text}</div>{tail}', IDS, some, WORDS),
        cells.map(lambda row: f"<table><tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr></table>"),
        some.map(lambda text: f'<div style="text-indent: -30pt">{text}</div>'),
        st.builds(
            lambda marker, text: (
                '<div class="grid-container grid-list"><div class="list grid-list-column-1"><span>'
                f'{marker}</span></div><div class="grid-list-column-2">{text}</div></div>'
            ),
            WORDS,
            some,
        ),
        st.builds(
            lambda no, text: f'<div class="norm"><span class="no-parag">{no}</span>{text}</div>', WORDS, some
        ),
        some.map(lambda text: f'<div class="oj-enumeration-spacing">{text}</div>'),
        some.map(lambda text: f'<p class="oj-normal">{text}</p>'),
    )


BODIES = st.lists(st.recursive(paragraphs(), wrap, max_leaves=12), min_size=1, max_size=8).map("".join)
FRAMES = st.sampled_from(
    [
        "<html><body>{}</body></html>",
        "<html><body><div class='eli-container'>{}</div></body></html>",
        "<html><head><title>x 31999L0077 — EN — 01.02.2003</title></head><body><hr/><hr/>{}</body></html>",
        "<html><body><div id='TexteOnly'><txt_te>{}</txt_te></div></body></html>",
        "<html><body><div class='ecl-container'>Menu{}</div></body></html>",
    ]
)


SECTION_HEADING = 'class="oj-ti-grseq-1">Section 1'
ARTICLE = '<div class="eli-subdivision" id="art_1">{}</div>'
SECTION_IN_AN_ANNEXED_ARTICLE = (
    ARTICLE.format('<p class="oj-ti-art">Article 1</p>')
    + f'<div class="eli-subdivision" id="anx_I">{ARTICLE}</div>'
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frame=FRAMES, body=BODIES)
@example(
    frame="<html><body>{}</body></html>",
    body=SECTION_IN_AN_ANNEXED_ARTICLE.format(f"<p {SECTION_HEADING}</p>"),
)
@example(
    frame="<html><body>{}</body></html>",
    body=SECTION_IN_AN_ANNEXED_ARTICLE.format(f'<div id="001.001"><p {SECTION_HEADING}</p></div>'),
)
def test_any_page_is_parsed_soundly_or_refused(
    frame: str, body: str, hold_promises: Callable[[ParsedAct], None]
) -> None:
    raw = frame.format(body).encode()
    try:
        parsed = parse_bytes(raw, origin="made-up")
    except SourceError:
        return
    hold_promises(parsed)
    again = parse_bytes(raw, origin="elsewhere")
    assert (again.text, again.units, again.health) == (parsed.text, parsed.units, parsed.health)
    if not frame.startswith("<html><body><div class='ecl"):
        assert parsed.health.landed_share > 0.98 or "text_lost" in {p.code for p in parsed.health.problems}


FORMEX = st.recursive(
    WORDS.map(lambda text: f"<P>{text}</P>"),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
        st.sampled_from(
            (
                *(
                    "ARTICLE",
                    "PARAG",
                    "ALINEA",
                    "LIST",
                    "ITEM",
                    "NP",
                    "TXT",
                    "DIVISION",
                    "TITLE",
                    "TI",
                    "STI",
                ),
                *("QUOT.S", "ENACTING.TERMS", "PREAMBLE", "CONSID", "GR.SEQ", "TBL", "ROW", "CELL", "NOTE"),
                *("CONS.ANNEX", "TI.ART", "NO.P", "NO.PARAG", "VISA", "FINAL", "CORPUS", "UNHEARD.OF"),
            )
        ),
        st.lists(inner, max_size=3),
    ),
    max_leaves=14,
)


@pytest.mark.parametrize("root", ["ACT", "CONS.ACT"])
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(FORMEX, min_size=1, max_size=5))
def test_any_formex_is_parsed_soundly_or_refused(
    root: str, parts: list[str], hold_promises: Callable[[ParsedAct], None]
) -> None:
    try:
        parsed = parse_bytes(f"<{root}>{''.join(parts)}</{root}>".encode(), origin="made-up")
    except SourceError:
        return
    hold_promises(parsed)
