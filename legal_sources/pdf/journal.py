"""Acts as printed in the Official Journal of the European Union, English and French.

Blocks go through the same writer as the Union's pages without structure, so the units are the same as those
of the act's markup. What the journal prints before the title (series, heading of the list) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lxml import etree

from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.eurlex.act_writer import ENACTING_FORMULA, ActWriter
from claimrag.legal_sources.eurlex.headings import article_label
from claimrag.legal_sources.eurlex.identity import head_of_act, pointed_date
from claimrag.legal_sources.eurlex.provisions import ProvisionWriter
from claimrag.legal_sources.eurlex.text_lines import TextLines
from claimrag.legal_sources.markup import Document, Source
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.legal_sources.pdf.blocks import Block, Words, joined
from claimrag.legal_sources.pdf.calls import Calls, plain
from claimrag.legal_sources.pdf.footnotes import Note
from claimrag.legal_sources.pdf.pages import Line
from claimrag.legal_sources.pdf.quoted_notes import without_quoted_notes
from claimrag.legal_sources.tree import TreeBuilder

LAYOUT = "eurlex-pdf"

_JOURNAL = re.compile(
    r"Official Journal|Journal officiel|\b(?:OJ|JO) [LC], |data\.europa\.eu/eli/", re.IGNORECASE
)
_FRENCH = re.compile(r"Journal officiel|\bJO [LC], |\bFR\b")
_TITLE = re.compile(
    r"(?:(?:COMMISSION|COUNCIL|IMPLEMENTING|DELEGATED)\s)*(?:REGULATION|DIRECTIVE|DECISION|R[ÈE]GLEMENT|D[ÉE]CISION)"
    r"(?:\s(?:D['’]EX[ÉE]CUTION|D[ÉE]L[ÉE]GU[ÉE]E?))?\s.*\d"
)


def recognises(furniture: Sequence[Line], blocks: Sequence[Block]) -> bool:
    """Whether the pages carry the journal's header, or an act's title and its enacting formula."""
    texts = [plain(block.text) for block in blocks]
    headed = any(_JOURNAL.search(line.text) for line in furniture)
    enacted = any(_TITLE.match(t) for t in texts) and any(ENACTING_FORMULA.match(t) for t in texts)
    return (headed or enacted) and any(article_label(text) for text in texts)


def parse(
    source: Source, furniture: Sequence[Line], blocks: Sequence[Block], notes: Sequence[Note]
) -> ParsedAct:
    """The act; raises nothing of its own, the health report says what is missing."""
    builder = TreeBuilder()
    writer = ActWriter(builder, ProvisionWriter(builder))
    reader = TextLines(writer)
    blocks, quoted = without_quoted_notes(blocks)
    notes = [*notes, *quoted]
    calls = Calls(builder, notes, blocks)
    begin = next((at for at, block in enumerate(blocks) if _TITLE.match(plain(block.text))), 0)
    for index in range(begin, len(blocks)):
        block = blocks[index]
        following = plain(blocks[index + 1].text) if index + 1 < len(blocks) else ""
        text = calls.mark(block.text, block.page)
        # A heading so long that it fills the line is not centred, but bold.
        heads = block.bold and index > 0 and article_label(plain(blocks[index - 1].text)) is not None
        reader.line(text, block.centred or heads, before_article=article_label(following) is not None)
    builder.close_to(0)
    words = Words(furniture)
    calls.write([_note_text(note, words) for note in notes])
    header = " ".join(line.text for line in furniture)
    head, missing = head_of_act(
        _as_document(source),
        layout=LAYOUT,
        title_lines=writer.title_lines,
        language="fr" if _FRENCH.search(header) else "en",
        version_date=pointed_date(header),
        consolidated=False,
    )
    return assemble(builder, head, source, None, missing)


def _note_text(note: Note, words: Words) -> str:
    text = note.lines[0]
    for line in note.lines[1:]:
        text = joined(text, line, words)
    return plain(text)


def _as_document(source: Source) -> Document:
    """The source as the head's reader takes it: only its hash and name are used."""
    return Document(
        raw=source.raw,
        origin=source.origin,
        retrieved_at=source.retrieved_at,
        source_address=source.source_address,
        raw_sha256=source.raw_sha256,
        root=etree.Element("pdf"),
        well_formed=True,
        encoding="binary",
    )
