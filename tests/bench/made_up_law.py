"""A made-up regulation of any length in Official Journal XHTML, for benchmarks; every article differs."""

from __future__ import annotations

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>made up</title></head><body>
<table><tbody><tr><td><p class="oj-hd-date">4.5.2098</p></td><td><p class="oj-hd-lg">EN</p></td></tr></tbody></table>
<div class="eli-container"><div class="eli-main-title" id="tit_1">
<p class="oj-doc-ti">REGULATION (EU) 2098/{number} OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL</p>
<p class="oj-doc-ti">on registers (made up for measurements)</p></div>
<div class="eli-subdivision" id="enc_1">
"""
_ARTICLE = """<div class="eli-subdivision" id="art_{n}"><p class="oj-ti-art">Article {n}</p>
<div class="eli-title" id="art_{n}.tit_1"><p class="oj-sti-art">Register number {n}</p></div>
<p class="oj-normal">The keeper of register number {n} shall send a copy of it to the district office within {days}
days of each change, and shall keep the original in a dry room for {years} years.</p>
<p class="oj-normal">The district office may inspect register number {n} at any time and shall tell the keeper in
writing what it found, unless the keeper has given up the register.</p></div>
"""


def made_up_law(articles: int, *, number: int = 9001) -> bytes:
    """A regulation of `articles` articles of two sentences each; laws of different numbers have different words."""
    body = "".join(
        _ARTICLE.format(n=n, days=10 + n + number, years=2 + n % 9) for n in range(1, articles + 1)
    )
    return f"{_HEAD.format(number=number)}{body}</div></div></body></html>".encode()
