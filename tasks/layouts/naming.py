"""Names of files in an export: plain letters, digits and hyphens, whatever the law or the system is called."""

from __future__ import annotations

import re

from claimrag.schemas.canonical import sha256_text

_LONGEST = 80
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9/ -]*", re.ASCII)


def plain_name(*parts: str) -> str:
    """The parts in lower case, joined by hyphens; a hash keeps apart what the plain letters do not say."""
    given = "-".join(parts)
    plain = re.sub(r"[^a-z0-9]+", "-", given.lower()).strip("-")
    if _PLAIN.fullmatch(given) and len(plain) <= _LONGEST:
        return plain
    return f"{plain[:_LONGEST]}-{sha256_text(given)[:8]}".strip("-")
