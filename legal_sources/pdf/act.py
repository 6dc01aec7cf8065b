"""A law from a PDF: pages, furniture and footnotes apart, blocks, then the profile that knows the print.

`parse` raises SourceError for a PDF that cannot be read and UnrecognisedLayoutError for one in which no
article or section can be found.
"""

from __future__ import annotations

from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.legal_sources.pdf import code, journal, statute
from claimrag.legal_sources.pdf.blocks import blocks_of
from claimrag.legal_sources.pdf.contents import without_leader_pages
from claimrag.legal_sources.pdf.footnotes import without_footnotes
from claimrag.legal_sources.pdf.furniture import without_furniture
from claimrag.legal_sources.pdf.pages import read_pages

LAYOUT = "pdf"


def recognises(source: Source) -> bool:
    """Whether the bytes are a PDF."""
    return source.raw[:1024].lstrip().startswith(b"%PDF-")


def parse(source: Source) -> ParsedAct:
    """Parse the law."""
    pages, furniture = without_furniture(read_pages(source))
    body, notes = without_footnotes(without_leader_pages(pages))
    blocks = blocks_of(body)
    if journal.recognises(furniture, blocks):
        return journal.parse(source, furniture, blocks, notes)
    if statute.recognises(body) and not code.recognises(blocks):
        return statute.parse(source, body, notes)
    return code.parse(source, furniture, blocks, notes)
