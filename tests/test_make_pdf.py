from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("reportlab")

from make_pdf import blocks_of, make_pdf, wrap

from claimrag.legal_sources.samples import read_sample_pdf


def test_the_committed_pdf_is_what_the_script_prints(tmp_path: Path) -> None:
    first, second = tmp_path / "1.pdf", tmp_path / "2.pdf"
    assert make_pdf(first) == make_pdf(second) == 7
    assert first.read_bytes() == second.read_bytes() == read_sample_pdf()


def test_every_article_and_footnote_of_the_markup_is_printed(tmp_path: Path) -> None:
    pdfplumber = pytest.importorskip("pdfplumber")
    target = tmp_path / "law.pdf"
    make_pdf(target)
    with pdfplumber.open(target) as pdf:
        pages = [page.extract_text() for page in pdf.pages]
    text = "\n".join(pages)
    lines = text.splitlines()
    for number in range(1, 17):
        assert f"Article {number}" in lines
    assert "Directive (EU) 2098/77 of 9 June 2098" in pages[0].splitlines()[-2]
    assert pages[1].splitlines()[0].startswith("L 1001/2")
    assert pages[2].splitlines()[0].endswith("L 1001/3")


def test_no_word_of_the_markup_is_missing_from_the_blocks() -> None:
    from claimrag.legal_sources.samples import read_sample

    blocks, footnotes = blocks_of(read_sample("sample-en"))
    assert len(footnotes) == 2
    assert sum(1 for block in blocks if block.notes) == 2
    assert any(block.cells == ("Turbidity", "nephelometric units", "1,5") for block in blocks)


def test_lines_break_between_words() -> None:
    assert wrap("one two three", "Times-Roman", 10, 40) == ["one two", "three"]
    assert wrap("", "Times-Roman", 10, 40) == []
