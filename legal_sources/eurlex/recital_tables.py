"""Recitals set as layout tables: the number in the first column, the text in the second."""

from __future__ import annotations

import re

from lxml import etree

from claimrag.legal_sources.eurlex.act_writer import ActWriter
from claimrag.legal_sources.eurlex.content import ContentWriter
from claimrag.legal_sources.eurlex.flow import table_rows
from claimrag.legal_sources.tree import normalise

_LABEL = re.compile(r"\(?(?P<number>\d{1,3}[a-z]?)\)?\.?")


def write_recitals(writer: ActWriter, content: ContentWriter, table: etree._Element) -> bool:
    """Write each row as a recital; False, and nothing written, when the table is another one."""
    rows = [row for row in table_rows(table) if row]
    if not rows or any(len(row) != 2 for row in rows):
        return False
    labels = [normalise(content.text_of(row[0])) for row in rows]
    match = [_LABEL.fullmatch(label) for label in labels]
    if not all(match):
        return False
    for row, label, number in zip(rows, labels, match, strict=True):
        writer.recital(number.group("number") if number else None, label)
        content.content(row[1])
    writer.builder.close_to(1)
    return True
