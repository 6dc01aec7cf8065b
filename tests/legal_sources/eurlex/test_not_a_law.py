"""Pages that look like an answer but hold no law are refused, each for its own reason."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from claimrag.legal_sources import parse_bytes
from claimrag.schemas.errors import UnrecognisedLayoutError

REPEALED = """<html><head><title>Consolidated TEXT: 31999L0077 — EN — 25.05.2018</title></head><body>
<p class="reference">01999L0077 — EN — 25.05.2018 — 002.001</p><p class="title-doc-first">DIRECTIVE 99/77/EC</p>
<p class="hd-modifiers">Repealed by:</p><div class="anonymous-disclaimer">The final version is at:<br/>
<a href="http://example.org/01999L0077-20031120">here</a></div></body></html>"""
CHALLENGE = """<!DOCTYPE html><html><head><title></title><script>window.awsWafCookieDomainList = [];</script></head>
<body><div id="challenge-container"></div><noscript>JavaScript is disabled.</noscript></body></html>"""
SHELL = "<html><head><title>x</title><script src='app.js'></script></head><body><p>Loading...</p><script>go()</script>"
PORTAL = """<html><head><title>EUR-Lex - 32031R0077 - EN</title></head><body><a class="ecl-link" href="/">Home</a>
<div class="ecl-container"><h1>Document 32031R0077</h1><p>Procedure, summary, links.</p></div></body></html>"""
EMPTY = "<html><head><title>x</title></head><body> </body></html>"
PROPOSAL = """<html><head><title>COM</title></head><body><p class="Rfrenceinstitutionnelle">COM(2031) 1 final</p>
<p class="Titrearticle">Article 1</p><p>Bread.</p></body></html>"""
FORMEX_CONTENTS = "<DOC><PUBLICATION.REF/><FMX><DOC.MAIN.PUB/></FMX></DOC>"
FORMEX_NOTICE = "<CONS.ACT><INFO.CONSLEG END='REPEALED' SOURCE.END='32031R0077'/><CONS.DOC/></CONS.ACT>"


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (REPEALED, "notice that the act was repealed.*01999L0077-20031120"),
        (CHALLENGE, "browser challenge.*status 202"),
        (SHELL, "shell of script"),
        (PORTAL, "page of the EUR-Lex portal"),
        (EMPTY, "empty page"),
        (PROPOSAL, "proposal of the Commission"),
        (FORMEX_CONTENTS, "table of contents of a Formex delivery"),
        (FORMEX_NOTICE, "repealed by 32031R0077"),
    ],
)
def test_a_page_without_a_law_is_refused_with_its_reason(page: str, reason: str) -> None:
    with pytest.raises(UnrecognisedLayoutError, match=rf"(?s)^answer\.html: .*{reason}"):
        parse_bytes(page.encode(), origin="answer.html")


def test_a_law_in_a_page_with_portal_links_is_still_a_law(
    oj_page: Callable[..., bytes], article: Callable[..., str]
) -> None:
    raw = oj_page(article("1", '<p class="oj-normal">Bread.</p>'))
    framed = raw.replace(b"<body>", b'<body><div class="ecl-container"><a class="ecl-link">Home</a></div>')
    parsed = parse_bytes(framed, origin="x")
    assert parsed.counts()["article"] == 1
