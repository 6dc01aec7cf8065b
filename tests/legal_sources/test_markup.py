"""Untrusted bytes: what is read, and what is refused with a clear reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimrag.legal_sources import parse_bytes, parse_file
from claimrag.legal_sources.markup import (
    MAX_SOURCE_BYTES,
    Document,
    Source,
    read_document,
    sniff_encoding,
    text_content,
)
from claimrag.schemas.errors import SourceError


def read(raw: bytes) -> Document:
    return read_document(Source.of(raw, origin="law.html"))


def refused(raw: bytes) -> str:
    with pytest.raises(SourceError) as caught:
        parse_bytes(raw, origin="law.html")
    assert str(caught.value).startswith("law.html: ")
    return str(caught.value)


def test_the_xhtml_namespace_is_taken_off_and_others_are_kept() -> None:
    document = read(
        b"<html xmlns='http://www.w3.org/1999/xhtml'><body><m:math xmlns:m='urn:m'/></body></html>"
    )
    assert document.root.tag == "html"
    assert document.root[0][0].tag == "{urn:m}math"
    prefixed = read(b"<x:html xmlns:x='http://www.w3.org/1999/xhtml'><x:body/></x:html>")
    assert (prefixed.root.tag, prefixed.root[0].tag) == ("html", "body")


def test_named_characters_of_html_are_read_and_comments_left_out() -> None:
    document = read(b"<html><body><!-- no --><p>a&nbsp;b &eacute;&amp;</p></body></html>")
    assert text_content(document.root) == "a\u00a0b é&"
    assert document.well_formed


def test_instructions_are_left_out_but_in_formex() -> None:
    page = read(b"<?a b?><html><body>x<?pi y?>z<p>1<?q?>2</p></body></html>").root
    assert [page[0].text, page[0][0].text] == ["xz", "12"]
    assert [len(read(f"<{root}>x<?pi y?>z</{root}>".encode()).root) for root in ("ACT", "LAW")] == [1, 0]


def test_tags_in_capitals_are_the_same_tags() -> None:
    assert [element.tag for element in read(b"<HTML><BODY><P>x</P></BODY></HTML>").root.iter()] == [
        "html",
        "body",
        "p",
    ]


def test_a_page_that_is_not_well_formed_is_read_by_the_html_parser() -> None:
    document = read(b"<html><head><meta charset=utf-8></head><body><p>a<p>b</body>")
    assert not document.well_formed
    assert [text_content(element) for element in document.root.iter("p")] == ["a", "b"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32", "iso-8859-1", "windows-1252"])
def test_every_honest_encoding_is_read(encoding: str) -> None:
    raw = f'<?xml version="1.0" encoding="{encoding}"?><html><body><p>é à</p></body></html>'.encode(encoding)
    assert text_content(read(raw).root) == "é à"


@pytest.mark.parametrize(
    ("declared", "really"),
    [("utf-8", "windows-1252"), ("iso-8859-1", "utf-8"), ("us-ascii", "utf-8"), ("utf-7-nonsense", "utf-8")],
)
def test_a_wrongly_declared_encoding_gives_way_to_the_one_that_fits(declared: str, really: str) -> None:
    raw = f'<?xml version="1.0" encoding="{declared}"?><html><body><p>l’été</p></body></html>'.encode(really)
    assert sniff_encoding(raw) == really
    assert text_content(read(raw).root) == "l’été"


def test_the_charset_of_a_web_page_counts() -> None:
    raw = "<html><head><meta charset='iso-8859-15'></head><body>5 €</body></html>".encode("iso-8859-15")
    assert sniff_encoding(raw) == "iso-8859-15"


def test_an_external_entity_is_never_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    raw = f'<!DOCTYPE html [<!ENTITY x SYSTEM "file://{secret}">]><html><body>&x;</body></html>'
    message = refused(raw.encode())
    assert "entity" in message and "the secret" not in message
    assert "entity" in refused(raw.encode("utf-16"))


def test_a_billion_laughs_are_refused_before_they_are_read() -> None:
    lines = [f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "ha"}">' for n in range(10)]
    assert "entities are never expanded" in refused(f"<!DOCTYPE x [{''.join(lines)}]><x>&l9;</x>".encode())


def test_an_undeclared_entity_is_refused() -> None:
    assert "&unknown;" in refused(b"<!DOCTYPE html SYSTEM 'x.dtd'><html><body><p>&unknown;</p></body></html>")


@pytest.mark.parametrize("close", [True, False])
def test_a_hundred_thousand_nested_elements_are_refused(close: bool) -> None:
    tags = 100_000
    raw = b"<html><body>" + b"<div>" * tags + b"x" + (b"</div>" * tags + b"</body></html>" if close else b"")
    assert "nested deeper" in refused(raw)


def test_the_deepest_nesting_that_is_read_is_parsed_without_a_crash() -> None:
    deep = "<div>" * 240 + "<p>x</p>" + "</div>" * 240
    article = f"<div class='eli-subdivision' id='art_1'><p class='oj-ti-art'>Article 1</p>{deep}</div>"
    parsed = parse_bytes(f"<html><body>{article}</body></html>".encode(), origin="law.html")
    assert parsed.text == "Article 1\nx"


def test_a_nul_byte_is_refused_with_its_place() -> None:
    assert "NUL byte at offset 6" in refused(b"<html>\x00</html>")


def test_damaged_utf_16_is_refused() -> None:
    assert "marked as utf-16" in refused(b"\xff\xfe<\x00h\x00t\x00m\x00\xd8")


def test_plain_words_and_nothing_are_refused() -> None:
    assert "neither XML nor a web page" in refused(b"Article 1. Bread.")
    assert "empty" in refused(b" \n ")


def test_one_giant_text_is_refused() -> None:
    assert "one text over 10 MB" in refused(b"<html><body><p>" + b"x" * 11_000_000 + b"</p></body></html>")


def test_two_hundred_megabytes_are_refused_before_they_are_read(tmp_path: Path) -> None:
    giant = tmp_path / "giant.html"
    with giant.open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    with pytest.raises(SourceError, match=f"more than the {MAX_SOURCE_BYTES:,} that are read"):
        parse_file(giant)
    with pytest.raises(SourceError, match="more than the"):
        Source.of(bytes(MAX_SOURCE_BYTES + 1), origin="giant")


def test_a_missing_file_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"none\.html: cannot be read"):
        parse_file(tmp_path / "none.html")


def test_bytes_are_utf_8_only_to_their_last_byte() -> None:
    assert sniff_encoding(b"<p>" + "é".encode() * 70_000) == "utf-8"
    assert sniff_encoding(b"<p>" + "é".encode() * 70_000 + b"\xc3") == "windows-1252"
    assert sniff_encoding(b"<p>" + b"x" * 65_533 + b"\xc3") == "windows-1252"


def test_indentation_before_blocks_goes_and_white_space_around_inline_elements_stays() -> None:
    page = (
        b'<html xmlns="http://www.w3.org/1999/xhtml"><body>\n  <table>\n   <col width="4%"/>\n   <tbody>\n'
        b"    <tr>\n     <td>\n      <p>rye\n       <span>bread</span>\n       <b>is</b>\n  good\n </p>\n"
        b"     </td>\n    </tr>\n   </tbody>\n  </table>\n</body></html>"
    )
    root = read_document(Source.of(page, origin="page")).root
    assert [element.tag for element in root.iter()] == [
        *("html", "body", "table", "tr", "td", "p", "span", "b"),
    ]
    assert text_content(root).split() == ["rye", "bread", "is", "good"]
    assert root.find("body/table").text is None


def test_a_table_whose_body_starts_on_its_own_line_and_ends_on_another_ones_is_read_as_it_stands() -> None:
    page = b'<html xmlns="http://www.w3.org/1999/xhtml"><table>\n<tbody>\n<tr><td>rye</td></tr></tbody></table></html>'
    document = read_document(Source.of(page, origin="page"))
    assert document.well_formed
    assert text_content(document.root).split() == ["rye"]
