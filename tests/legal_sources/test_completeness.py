"""A law that is cut off is refused or unhealthy, wherever the cut falls; one that is not raises no alarm."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from claimrag.legal_sources import ParsedAct, parse_bytes
from claimrag.legal_sources.completeness import markup_cut_off, pdf_cut_off, root_name
from claimrag.legal_sources.recognise import GENERIC_MODULE, PUBLISHER_MARKS, publisher_of
from claimrag.legal_sources.samples import SAMPLES, read_sample, read_sample_pdf
from claimrag.legal_sources.word_count import words
from claimrag.schemas.errors import SourceError, UnrecognisedLayoutError

SHARES = (0.1, 0.33, 0.5, 0.66, 0.9, 0.99)
LAST_BYTES = (2, 5, 9, 15, 25, 60, 200)
MARKUP = {f"{s.id} {v.version}": read_sample(s.id, v.version) for s in SAMPLES for v in s.versions}
SENTENCE = "The keeper of the pond shall feed the ducks that live in it on every day of the week. "
PAGE = (
    "<!doctype html><html lang=en><head><title>Pond Act</title></head><body><h1>Pond Act</h1>"
    + "".join(f"<h2>Article {number}</h2><p>{SENTENCE}<br>{SENTENCE}" for number in range(1, 9))
    + "</body></html>"
)


def parse_or_refuse(raw: bytes, origin: str = "law") -> ParsedAct | None:
    try:
        return parse_bytes(raw, origin=origin)
    except SourceError as error:
        assert str(error).startswith(origin)
        return None


def lost_unseen(raw: bytes, cut: int, original: ParsedAct) -> int:
    """How many words of the law a cut loses without the parse being refused or unhealthy."""
    parsed = parse_or_refuse(raw[:cut])
    if parsed is None or not parsed.health.ok:
        return 0
    return (words(original.text) - words(parsed.text)).total()


def cuts(raw: bytes) -> list[int]:
    return [int(len(raw) * share) for share in SHARES] + [len(raw) - count for count in LAST_BYTES]


@pytest.mark.parametrize("name", MARKUP)
def test_a_sample_that_is_cut_off_never_loses_a_word_unseen(name: str) -> None:
    raw = MARKUP[name]
    original = parse_bytes(raw, origin=name)
    assert original.health.ok
    assert [cut for cut in cuts(raw) if lost_unseen(raw, cut, original)] == []


def test_the_printed_sample_that_is_cut_off_never_loses_a_word_unseen() -> None:
    raw = read_sample_pdf()
    original = parse_bytes(raw, origin="sample.pdf")
    assert original.health.ok
    assert [cut for cut in cuts(raw) if lost_unseen(raw, cut, original)] == []


@settings(max_examples=60, deadline=None)
@given(share=st.floats(0, 1, exclude_max=True), page=st.sampled_from(["oj", "page"]))
def test_a_page_cut_at_any_byte_never_loses_a_word_unseen(share: float, page: str) -> None:
    raw = MARKUP["sample-en 2099-03-12"] if page == "oj" else PAGE.encode()
    original = parse_bytes(raw, origin="law")
    assert lost_unseen(raw, int(len(raw) * share), original) == 0


def test_a_cut_off_page_says_where_it_ends_and_what_to_do() -> None:
    raw = MARKUP["sample-en 2099-03-12"]
    parsed = parse_bytes(raw[: len(raw) * 2 // 3], origin="law")
    (problem,) = (p for p in parsed.health.problems if p.code == "truncated")
    assert problem.detail.endswith("fetch the law again")
    akn = MARKUP["sample-fr 2100-01-01"]
    with pytest.raises(SourceError, match="law: <akomaNtoso> markup that is cut off"):
        parse_bytes(akn[: len(akn) * 2 // 3], origin="law")


def test_a_cut_off_file_in_two_byte_characters_is_seen_too() -> None:
    raw = b"\xff\xfe" + PAGE.encode("utf-16-le")
    assert parse_bytes(raw, origin="law").health.ok
    parsed = parse_bytes(raw[: len(raw) * 2 // 3 // 2 * 2], origin="law")
    assert not parsed.health.ok


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"<html><body><p>Law</body></html>", None),
        (b"<HTML><BODY>Law</BODY></HTML >\n", None),
        (b"<html><body>Law</body>\n", None),
        (b"<html>Law</html>", None),
        (b"<html><body>Law</body><!-- served in 3 ms --></html>\n<!-- x -->", None),
        (b"<html><body>Law</body></html><script>count('a < b')</script>", None),
        (b"<html><body>Law</body></html>\n0\n", None),
        (b"<body>Law</body>", None),
        (b"<body>Law", "it ends before its root element <body> is closed"),
        (b"<html><body>Law</body> and order", "it ends before its root element <html> is closed"),
        (b"<html><body>Law<script>write('</html>') or", "before its root element <html>"),
        (b"<html><body>Law &amp; order", "it ends before its root element <html> is closed"),
        (b"<html><body><script>write('</body></html>')</script>Law", "before its root element <html>"),
        (
            b"<?xml version='1.0'?><!DOCTYPE html><!-- <div> --><html>Law</p>",
            "before its root element <html>",
        ),
        (b"<html><body>Law</body></html><html><body>Second law", "before its root element <html>"),
        (b"<html><body>Law</bo", "it ends inside a tag"),
        (b"<html><body>Law<", "it ends inside a tag"),
        (b"<html><body>Law<p class='a b", "it ends inside a tag"),
        (b"<html><body>Law<!-- and more", "it ends inside a comment"),
        (b"<div><div>Law</div></div>", None),
        (b"<div>Law</div><div>Order</div>", None),
        (b"<div>Law</div><div>Order", "it ends before an element <div> is closed"),
        (b"<div>Law<div/></div>", None),
        (b"<p>Law<p>Order where a < b", None),
        (b"Law", None),
    ],
)
def test_markup_is_cut_off_when_something_in_it_is_never_closed(raw: bytes, expected: str | None) -> None:
    assert (markup_cut_off(raw) or "") == "" if expected is None else expected in (markup_cut_off(raw) or "")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"%PDF-1.7\n1 0 obj\nendobj\nstartxref\n9\n%%EOF\r\n", None),
        (b"%PDF-1.7\n1 0 obj\nendobj\n%%EOF\n" + b"\0" * 5000, None),
        (b"%PDF-1.7\n1 0 obj\nendobj\n", "it has no end-of-file mark"),
        (b"%PDF-1.7\n%%EOF\n12 0 obj\n<<>>", "objects follow its last end-of-file mark"),
    ],
)
def test_a_pdf_is_cut_off_without_its_last_mark(raw: bytes, expected: str | None) -> None:
    assert pdf_cut_off(raw) == expected


def test_a_pdf_with_fewer_pages_than_it_announces_is_refused() -> None:
    printed = io.BytesIO()
    canvas = Canvas(printed, pageCompression=0)
    for number in (1, 2):
        canvas.drawString(72, 720, f"Art. {number}. {SENTENCE}")
        canvas.showPage()
    canvas.save()
    raw = printed.getvalue()
    assert raw.count(b"/Count 2") == 1
    with pytest.raises(SourceError, match="announces 9 pages and holds 2; it is cut off"):
        parse_bytes(raw.replace(b"/Count 2", b"/Count 9"), origin="law.pdf")


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (b"\n<?xml version='1.0'?><a/>", "a"),
        (b"<!DOCTYPE akn [<!ELEMENT b (c)>]><akn:act>", "akn:act"),
        (b"<!-- <p> -->\n<!doctype html PUBLIC 'x'><HTML>", "HTML"),
        (b"Some text <b>bold</b>", "b"),
        (b"no markup", ""),
    ],
)
def test_the_root_is_the_first_element_outside_remarks(raw: bytes, name: str) -> None:
    assert root_name(raw) == name


def test_xml_of_a_known_vocabulary_is_never_read_as_a_web_page() -> None:
    akn = MARKUP["sample-fr 2100-01-01"]
    broken = akn.replace(b"</article>", b"", 1)
    with pytest.raises(SourceError, match="neither XML nor a web page"):
        parse_bytes(broken, origin="law")


@pytest.mark.parametrize(
    ("raw", "publisher"),
    [
        (b"<TXT_TE>", "EUR-Lex"),
        (b'<div id="TexteOnly">', "EUR-Lex"),
        (b'<div class="eli-subdivision" id="art_1">', "EUR-Lex"),
        (b"<p class='oj-ti-art'>", "EUR-Lex"),
        (b'<p class="sti-art">', "EUR-Lex"),
        (b'<p class="wide title-article-norm">', "EUR-Lex"),
        (b"<akomaNtoso>", "Legilux"),
        (b'<div xmlns:scl="http://www.scl.lu">', "Legilux"),
        (b'<div id="list-title-3">', "Justel"),
        (b"<p>A page about oj-ti-art and eli-subdivision</p>", None),
        (b'<p class="multi-article-norm">', None),
        (b'<a href="#list-title-3">', None),
    ],
)
def test_a_publisher_is_known_by_its_markup(raw: bytes, publisher: str | None) -> None:
    assert publisher_of(raw) == publisher
    assert publisher is None or publisher in PUBLISHER_MARKS


def test_a_known_publisher_s_page_that_only_the_generic_parser_understands_is_unhealthy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from claimrag.legal_sources import recognise

    monkeypatch.setattr(recognise, "LAYOUT_MODULES", (GENERIC_MODULE,))
    assert parse_bytes(PAGE.encode(), origin="law").health.ok
    marked = PAGE.replace("<h2>", '<h2 class="oj-ti-art">').encode()
    parsed = parse_bytes(marked, origin="law")
    assert not parsed.health.ok
    (problem,) = (p for p in parsed.health.problems if p.code == "generic_parser_on_known_publisher")
    assert "EUR-Lex" in problem.detail


def contents_page(listed: int, held: int, absent: int = 0) -> bytes:
    links = "".join(f"<li><a href='#a{n}'>Article {n}</a></li>" for n in range(1, listed + 1))
    body = "".join(
        f"<h2 id='a{n}'>Article {n}</h2><p>{SENTENCE}{SENTENCE}</p>"
        for n in range(1, held + 1)
        if n != absent
    )
    menu = "<nav><a href='#top'>Top</a><a href='#menu'>Menu</a><a href='#share'>Share</a></nav>"
    return f"<html><body><ul class=toc>{links}</ul><main>{body}</main>{menu}</body></html>".encode()


def test_a_contents_list_that_goes_on_after_the_last_article_shows_the_cut() -> None:
    parsed = parse_bytes(contents_page(listed=12, held=8), origin="law")
    (problem,) = (p for p in parsed.health.problems if p.code == "truncated")
    assert "the last 4 articles of its contents list, from 'Article 9' on" in problem.detail
    assert not parsed.health.ok
    for sound in (contents_page(12, 12), contents_page(12, 12, absent=5), contents_page(9, 8)):
        assert parse_bytes(sound, origin="law").health.ok


@pytest.mark.corpus
@pytest.mark.parametrize(
    "name",
    [
        "legilux-raw/fixtures/sample-code.xml",
        "legilux-raw/fixtures/sample-with-tables.xml",
        "legilux-raw/loi-1807-09-15-n2/2026-08-03/lex-articles.fr.json",
        "eurlex-raw/31995l0046/1995-10-24/en.html",
        "eurlex-raw/31995l0046/2003-11-20/en.xml",
        "eurlex-raw/32016r0679/2016-05-04/en.html",
        "eurlex-raw/32016r0679/2016-05-04/en.fmx4/CL2016R0679EN0000020.0001.xml",
        "eurlex-layouts/32004l0048/2004-04-29/en.xml",
        "belgium-justel/sample-ordinary-law.html",
        "eurlex-live-page/gdpr.html",
        "france-senat-akn/tas24-021.akn.xml",
        "eu-akn-formex/akn4eu.xml",
        "india-civictech/iea.json",
    ],
)
def test_a_real_law_that_is_cut_off_never_loses_a_word_unseen(shared_corpus: Path, name: str) -> None:
    raw = (shared_corpus / "data" / name).read_bytes()
    original = parse_bytes(raw, origin=name)
    assert original.health.ok
    assert [cut for cut in cuts(raw) if lost_unseen(raw, cut, original)] == []


@pytest.mark.corpus
def test_a_real_print_that_is_cut_off_never_loses_a_word_unseen(shared_corpus: Path) -> None:
    raw = (shared_corpus / "data/messy-pdf/ch-sample-constitution-2020.pdf").read_bytes()
    original = parse_bytes(raw, origin="print")
    every_third = cuts(raw)[::3]  # a print takes seconds to read
    assert [cut for cut in every_third if lost_unseen(raw, cut, original)] == []


def test_a_markdown_file_that_ends_between_two_articles_is_the_one_cut_that_cannot_be_seen() -> None:
    text = "# Pond Act\n\n" + "".join(f"## Article {n}\n\n{SENTENCE}\n\n" for n in range(1, 5))
    cut = text.index("## Article 3")
    parsed = parse_bytes(text[:cut].encode(), origin="law.md")
    assert parsed.health.ok
    with pytest.raises(UnrecognisedLayoutError):
        parse_bytes(text[:10].encode(), origin="law.md")


def test_a_page_whose_markup_names_articles_that_were_not_kept_is_unhealthy() -> None:
    consolidated = MARKUP["sample-en 2101-02-01"].decode()
    czech = consolidated.replace(">Article ", ">Článek ")
    assert czech != consolidated
    parsed = parse_bytes(czech.encode(), origin="law")
    assert [p.code for p in parsed.health.failures] == ["most_articles_missed"]

    journal = MARKUP["sample-en 2099-03-12"]
    kept = parse_bytes(journal, origin="law").counts()["article"]
    ids = "".join(f'<div id="art_{900 + n}"></div>' for n in range(kept + 1)).encode()
    nested = journal.replace(b'id="art_1">', b'id="art_1">' + ids, 1)
    assert nested != journal
    parsed = parse_bytes(nested, origin="law")
    assert [p.code for p in parsed.health.failures] == ["most_articles_missed"]
