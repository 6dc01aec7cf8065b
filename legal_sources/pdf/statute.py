"""Indian statutes as printed: a contents list, sections under bold headings, amendments of the States between.

A section is an article of ours, labelled as printed (`53.`). State amendments and comments are kept as
amendment notes after the section they follow, never as sections. What the contents list names and the body
does not hold is reported by number; nothing is invented for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

from claimrag.legal_sources.articles.structure import write_text
from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import UNKNOWN_DATE, ActHead, ParsedAct, Problem
from claimrag.legal_sources.pdf.blocks import Block, blocks_of
from claimrag.legal_sources.pdf.calls import plain
from claimrag.legal_sources.pdf.contents import Contents, read_contents
from claimrag.legal_sources.pdf.footnotes import Note
from claimrag.legal_sources.pdf.pages import Page
from claimrag.legal_sources.pdf.sections import Heading, find_headings, looks_like_heading, number_key
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.unit import UnitKind

LAYOUT = "india-pdf"

_CHAPTER = re.compile(
    r"(?P<label>(?:CHAPTER|Chapter)\s+(?P<number>[IVXLC]+(?:\s?[A-Z])?|\d+[A-Z]?))\b[\s.—–-]*(?P<title>.*)",
    re.DOTALL,
)
_ASIDE = re.compile(r"(?:STATE\s+)?AMENDMENTS?\b|COMMENTS?\b", re.IGNORECASE)
_POINT = re.compile(r"(?:\([a-z]{1,4}\)|\d{1,3}\)|[–—•-])\s")
_ACT = re.compile(r"\b(?:CODE|ACT)\b.*\b(?:1[89]\d\d|20\d\d)\b", re.IGNORECASE)
_LEAST = 5
_LOST_AT_THE_END = 3
"""Fewer sections at the end of the contents without a body are slips of the print."""


def recognises(pages: Sequence[Page]) -> bool:
    """Whether sections stand under bold headings `53. Title` whose numbers mostly go up."""
    numbers = [
        number_key(found["number"])
        for page in pages
        for line in page.lines
        if line.bold and (found := looks_like_heading(plain(line.text)))
    ]
    rising = sum(after > before for before, after in pairwise(numbers))
    return len(numbers) >= _LEAST and rising >= 0.6 * (len(numbers) - 1)


def parse(source: Source, pages: Sequence[Page], notes: Sequence[Note]) -> ParsedAct:
    """The statute. Footnotes (the editor's amendment notes) follow the body."""
    contents = read_contents(pages)
    blocks = blocks_of(pages[contents.next_page :])
    headings = find_headings(blocks, contents)
    title = _title(pages)
    builder = TreeBuilder()
    builder.open(UnitKind.TITLE_OF_ACT)
    builder.block(title)
    builder.close()
    _Body(builder, headings).write(blocks)
    for index, note in enumerate(notes):
        text = plain(" ".join(note.lines))
        builder.footnote(f"{index}", number=note.number, label=f"{note.number}.", text=text)
    work = f"sha256-{source.raw_sha256[:16]}"
    head = ActHead(
        publisher="india",
        work=work,
        title=title or work,
        language="en",
        version_date=UNKNOWN_DATE,
        consolidated=True,
        layout=LAYOUT,
        licence="Government of India act text",
        attribution="Government of India",
    )
    unnamed = Problem(code="work_unknown", detail=f"a PDF names no identifier; the work is called {work}")
    return assemble(builder, head, source, None, [unnamed, *_missing(contents, headings)])


def _missing(contents: Contents, headings: Sequence[Heading]) -> list[Problem]:
    """What the contents list names and the body does not hold: a slip of the print, or the end of the law."""
    held = {heading.number for heading in headings}
    lost = list(takewhile(lambda entry: entry.number not in held, reversed(contents.entries)))
    cut_off = Problem(
        code="truncated",
        detail=f"the body ends before the last {len(lost)} sections that the contents name; fetch the law again",
    )
    return ([cut_off] if len(lost) >= _LOST_AT_THE_END else []) + [
        Problem(
            code="contents_mismatch",
            detail=f"section {entry.number} ({entry.title}) is in the contents and not in the body",
        )
        for entry in contents.entries
        if entry.number not in held
    ]


def _title(pages: Sequence[Page]) -> str:
    """The largest line that names an act with its year, on the first page that has one."""
    for page in pages:
        named = [line for line in page.lines if _ACT.search(plain(line.text))]
        if named:
            return plain(max(named, key=lambda line: (line.size, line.bold, -line.top)).text)
    return plain(pages[0].lines[0].text) if pages and pages[0].lines else ""


@dataclass
class _Section:
    heading: Heading
    text: list[str] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)


class _Body:
    """Writes chapters and sections as they come by."""

    def __init__(self, builder: TreeBuilder, headings: Sequence[Heading]) -> None:
        self._builder = builder
        self._headings = {heading.index: heading for heading in headings}
        self._section: _Section | None = None
        self._aside = False

    def write(self, blocks: Sequence[Block]) -> None:
        """Write everything."""
        for index, block in enumerate(blocks):
            text = plain(block.text)
            if index in self._headings:
                self._open(self._headings[index])
            elif block.bold and (chapter := _CHAPTER.match(text)):
                self._container(chapter)
            else:
                self._aside = self._aside or (block.bold and bool(_ASIDE.match(text)))
                self._add(text)
        self._flush()

    def _open(self, heading: Heading) -> None:
        self._flush()
        self._section = _Section(heading, [heading.text] if heading.text else [])
        self._aside = False

    def _add(self, text: str) -> None:
        if self._section is None:
            if self._builder.current is None:
                self._builder.open(UnitKind.PREAMBLE)
            self._builder.block(text)
        else:
            (self._section.asides if self._aside else self._section.text).append(text)

    def _container(self, chapter: re.Match[str]) -> None:
        self._flush()
        self._builder.close_to(0)
        self._builder.open(
            UnitKind.CHAPTER,
            number=chapter["number"].replace(" ", ""),
            label=chapter["label"],
            heading=chapter["title"].strip() or None,
        )

    def _flush(self) -> None:
        section, self._section = self._section, None
        if section is None:
            return
        if self._builder.current is not None and self._builder.current.kind is UnitKind.PREAMBLE:
            self._builder.close()
        number, title = section.heading.number, section.heading.title
        self._builder.open(UnitKind.ARTICLE, number=number, label=f"{number}.", heading=title)
        write_text(self._builder, _as_paragraphs(section.text))
        self._builder.close()
        if section.asides:
            self._builder.open(UnitKind.AMENDMENT_NOTE)
            for text in section.asides:
                self._builder.block(text)
            self._builder.close()


def _as_paragraphs(blocks: Sequence[str]) -> str:
    """Blocks with an empty line between them, points on the line after what they belong to."""
    text = ""
    for block in blocks:
        text += ("\n" if text and _POINT.match(block) else "\n\n") + block
    return text.strip()
