"""Small made-up acts in each EUR-Lex layout. No word of them is law."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from claimrag.legal_sources import ParsedAct, parse_bytes
from claimrag.schemas.unit import Unit

OJ_HEADER = """<table><tbody><tr><td><p class="oj-hd-date">4.5.2031   </p></td>
<td><p class="oj-hd-lg">{language}</p></td><td><p class="oj-hd-ti">Official Journal</p></td></tr></tbody></table>
<hr class="oj-separator"/>"""
OJ_TITLE = """<div class="eli-main-title" id="tit_1"><p class="oj-doc-ti">REGULATION (EU) 2031/77 OF THE BAKERS</p>
<p class="oj-doc-ti">of 27 April 2031</p><p class="oj-doc-ti">on bread (General Bread Regulation)</p></div>"""


def point(marker: str, text: str, more: str = "") -> str:
    """A point as the Official Journal sets it: a two-column layout table."""
    return (
        '<table><col width="4%"/><col width="96%"/><tbody><tr>'
        f'<td><p class="oj-normal">{marker}</p></td><td><p class="oj-normal">{text}</p>{more}</td>'
        "</tr></tbody></table>"
    )


def oj_article(number: str, content: str, heading: str = "Loaves") -> str:
    """An article with its ELI subdivision."""
    return (
        f'<div class="eli-subdivision" id="art_{number}"><p class="oj-ti-art">Article {number}</p>'
        f'<div class="eli-title" id="art_{number}.tit_1"><p class="oj-sti-art">{heading}</p></div>{content}</div>'
    )


@pytest.fixture
def oj_page() -> Callable[..., bytes]:
    """Official Journal XHTML around the given enacting terms, preamble and annexes."""

    def build(
        enacting: str, *, preamble: str = "", annexes: str = "", notes: str = "", language: str = "EN"
    ) -> bytes:
        page = f"""<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head>
<title>L_2031077EN.xml</title></head><body>{OJ_HEADER.format(language=language)}<div class="eli-container">
{OJ_TITLE}<div class="eli-subdivision" id="pbl_1">{preamble}</div>
<div class="eli-subdivision" id="enc_1">{enacting}</div>
<div class="eli-subdivision" id="fnp_1"><div class="oj-final"><p class="oj-normal">Done at Ghent.</p></div></div>
<hr class="oj-note"/>{notes}</div>{annexes}<p class="oj-normal">ELI: http://example.org</p></body></html>"""
        return page.encode()

    return build


@pytest.fixture
def consolidated_page() -> Callable[..., bytes]:
    """A consolidated text with its front page around the given body."""

    def build(body: str, *, reference: str = "02031R0077 — EN — 01.02.2033 — 001.001") -> bytes:
        page = f"""<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>
<p class="reference">{reference}</p><hr class="separator"/><p class="disclaimer">Only a tool.</p>
<table><tr><td><p class="arrow"><a href="x" title="32031R0077">►B</a></p></td>
<td><p class="title-doc-first">REGULATION (EU) 2031/77</p></td></tr></table><hr class="separator"/>
<p class="title-doc-first">REGULATION (EU) 2031/77 OF THE BAKERS</p>
<p class="title-doc-last">on bread</p>{body}</body></html>"""
        return page.encode()

    return build


@pytest.fixture
def text_page() -> Callable[..., bytes]:
    """A `TXT_TE` page of the given lines."""

    def build(lines: list[str], *, celex: str = "31999L0077", language: str = "EN") -> bytes:
        body = "".join(f"<p>{line}</p>" for line in lines)
        page = f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><html lang="{language}"><head>
<meta name="DC.source" content="Official Journal L 281 , 23/11/1999 P. 0031 - 0050; ">
<title>EUR-Lex - {celex} - {language}</title></head><body><div id="banner"><p>Banner<br></p></div>
<h1>{celex}</h1><div id="TexteOnly"><p><TXT_TE>{body}</TXT_TE></p></div></body></html>"""
        return page.encode()

    return build


@pytest.fixture
def parse() -> Callable[[bytes], ParsedAct]:
    """Parse bytes, and hold what holds for every parse: exact slices, nesting, order."""

    def run(raw: bytes) -> ParsedAct:
        parsed = parse_bytes(raw, origin="made-up")
        hold_invariants(parsed)
        return parsed

    return run


def hold_invariants(parsed: ParsedAct) -> None:
    """Slices exact, children inside parents, siblings in order without overlap, ids distinct."""
    by_id = {unit.id: unit for unit in parsed.units}
    assert len(by_id) == len(parsed.units)
    last_end: dict[str | None, int] = {}
    for order, unit in enumerate(parsed.units):
        assert parsed.text[unit.start : unit.end] == unit.text
        assert unit.order == order
        if unit.parent_id is not None:
            parent = by_id[unit.parent_id]
            assert parent.order < unit.order
            assert parent.start <= unit.start <= unit.end <= parent.end
            assert unit.depth == parent.depth + 1
        assert unit.start >= last_end.get(unit.parent_id, 0)
        last_end[unit.parent_id] = unit.end


def ids(parsed: ParsedAct, start: str = "") -> list[str]:
    """The structural paths of the units whose path starts with `start`."""
    paths = [unit.id.partition("#")[2] for unit in parsed.units]
    return [path for path in paths if path.startswith(start)]


@pytest.fixture
def unit_of() -> Callable[[ParsedAct, str], Unit]:
    """The unit with a structural path."""

    def find(parsed: ParsedAct, path: str) -> Unit:
        return next(unit for unit in parsed.units if unit.id.partition("#")[2] == path)

    return find


@pytest.fixture
def paths_of() -> Callable[..., list[str]]:
    """The structural paths, in document order."""
    return ids


@pytest.fixture
def oj_point() -> Callable[..., str]:
    """`point` for tests."""
    return point


@pytest.fixture
def article() -> Callable[..., str]:
    """`oj_article` for tests."""
    return oj_article


@pytest.fixture
def hold_promises() -> Callable[[ParsedAct], None]:
    """`hold_invariants` for tests."""
    return hold_invariants
