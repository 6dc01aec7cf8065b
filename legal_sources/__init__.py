"""Read a law's bytes into a tree of units with exact offsets, whatever publisher they come from.

`parse_bytes` and `parse_file` are the way in. Each publisher has a package here; adding one adds a line to
`legal_sources.recognise.LAYOUT_MODULES`. Nothing here fetches from a network while parsing.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from claimrag.legal_sources.markup import MAX_SOURCE_BYTES, Source
from claimrag.legal_sources.parsed import ActHead, Health, ParsedAct, Problem, own_text_start
from claimrag.legal_sources.recognise import parse_source
from claimrag.schemas.errors import SourceError


def parse_bytes(
    raw: bytes, *, origin: str, retrieved_at: datetime | None = None, source_address: str | None = None
) -> ParsedAct:
    """Parse a law. `origin` names the bytes in error messages; raises SourceError and its subclasses."""
    return parse_source(
        Source.of(raw, origin=origin, retrieved_at=retrieved_at, source_address=source_address)
    )


def parse_file(path: str | Path) -> ParsedAct:
    """Parse the law in a file; the size is checked before it is read."""
    file = Path(path)
    try:
        size = file.stat().st_size
        if size > MAX_SOURCE_BYTES:
            raise SourceError(
                f"{file}: {size:,} bytes, more than the {MAX_SOURCE_BYTES:,} that are read; "
                "give the law itself rather than an archive or a collection of laws"
            )
        raw = file.read_bytes()
    except OSError as error:
        raise SourceError(f"{file}: cannot be read ({error.strerror}); check the path") from error
    return parse_bytes(raw, origin=str(file))


__all__ = ["ActHead", "Health", "ParsedAct", "Problem", "own_text_start", "parse_bytes", "parse_file"]
