"""Legilux Akoma Ntoso (draft namespace CSD13, and the final one with `scl:` metadata) to a ParsedAct.

Promises: every word of the printed law lands in a unit; `scl:` descriptions and index terms do not; notes of
the editors stand apart as amendment notes, anchored where they are called. Offers no opinion on the law.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.health import words_in_tree
from claimrag.legal_sources.legilux.body import BodyWriter
from claimrag.legal_sources.legilux.head import LAYOUT, article_date, read_head, work_is_known
from claimrag.legal_sources.legilux.inline import INLINE, child, is_metadata, plain_text
from claimrag.legal_sources.legilux.numbers import division_number
from claimrag.legal_sources.markup import Document, local_name
from claimrag.legal_sources.parsed import ParsedAct, Problem
from claimrag.legal_sources.tree import Node, TreeBuilder
from claimrag.schemas.errors import UnrecognisedLayoutError
from claimrag.schemas.unit import UnitKind

_CSD13 = "http://docs.oasis-open.org/legaldocml/ns/akn/3.0/CSD13"
_SCL = "http://www.scl.lu"
_ANNEX_LABEL = re.compile(r"(annexe(?:\s+[A-Z0-9][\w-]*)?)\s*[–—:.-]*\s*", re.IGNORECASE)


class AnnotatedTree(TreeBuilder):
    """A tree whose notes are the editors', about amendments, not footnotes of the law."""

    def finish(self) -> tuple[str, list[Node]]:
        """As the base class; footnotes become amendment notes with ids of their own (`amn_1`)."""
        text, nodes = super().finish()
        for node in nodes:
            if node.kind is UnitKind.FOOTNOTE:
                node.kind = UnitKind.AMENDMENT_NOTE
                node.path_id = "amn" + node.path_id.removeprefix("fn")
        return text, nodes


def recognises(document: Document) -> bool:
    """An `akomaNtoso` root in the draft namespace, or one that carries Luxembourg's `scl:` vocabulary."""
    root = document.root
    if local_name(root) != "akomaNtoso":
        return False
    namespace = etree.QName(root).namespace
    return namespace == _CSD13 or _SCL in root.nsmap.values()


def parse(document: Document) -> ParsedAct:
    """The act; raises UnrecognisedLayoutError for an Akoma Ntoso file that holds no act."""
    act = next((each for each in document.root if local_name(each) in ("act", "bill", "doc")), None)
    if act is None or (child(act, "body") is None and child(act, "mainBody") is None):
        raise UnrecognisedLayoutError(
            f"{document.origin}: Akoma Ntoso without an act and its body; give the act itself"
        )
    head = read_head(document)
    builder = AnnotatedTree()
    write_act(builder, BodyWriter(builder, article_date), act)
    notes = []
    if not work_is_known(head):
        notes.append(
            Problem(
                code="work_unknown",
                detail="no ELI in the metadata; the work is named by the hash of its bytes",
            )
        )
    return assemble(builder, head, document, words_in_tree(document.root, is_metadata, INLINE), notes)


def write_act(builder: TreeBuilder, writer: BodyWriter, act: etree._Element) -> None:
    """Write an Akoma Ntoso act: title, preamble, body, final part, annexes, notes, in that order."""
    _title(builder, act)
    preamble = child(act, "preamble")
    if preamble is not None:
        _preamble(builder, writer, preamble)
    body = child(act, "body")
    if body is None:
        body = child(act, "mainBody")
    clauses: list[etree._Element] = []
    if body is not None:
        clauses = [each for each in body if local_name(each) == "clause"]
        for clause in clauses:
            body.remove(clause)
        builder.open(UnitKind.ENACTING_TERMS)
        writer.children(body)
        builder.close()
    _final_part(builder, writer, [*clauses, *_children(act, "conclusions", "components")])
    for attachments in _children(act, "attachments"):
        for attachment in attachments:
            _annex(builder, writer, attachment)
    for note in act.iter("{*}note"):
        builder.footnote(
            note.get("id") or note.get("eId") or "", number=None, label=None, text=plain_text(note)
        )


def _title(builder: TreeBuilder, act: etree._Element) -> None:
    preface = child(act, "preface")
    if preface is not None:
        builder.open(UnitKind.TITLE_OF_ACT)
        BodyWriter(builder).children(preface, quoted=True)
        builder.close()


def _preamble(builder: TreeBuilder, writer: BodyWriter, preamble: etree._Element) -> None:
    """Each sentence that begins with "Vu" is a citation; what is between is kept as it stands."""
    builder.open(UnitKind.PREAMBLE)
    for each in preamble:
        if is_metadata(each):
            continue
        for part in each if local_name(each) in ("container", "citations", "recitals") else [each]:
            is_citation = local_name(part) == "citation" or plain_text(part).startswith("Vu")
            kind = UnitKind.CITATION if is_citation else None
            if kind:
                builder.open(kind)
            writer.element(part)
            if kind:
                builder.close()
    builder.close()


def _final_part(builder: TreeBuilder, writer: BodyWriter, parts: list[etree._Element]) -> None:
    if any(plain_text(part) for part in parts):
        builder.open(UnitKind.FINAL_PART)
        for part in parts:
            writer.children(part)
        builder.close()


def _annex(builder: TreeBuilder, writer: BodyWriter, attachment: etree._Element) -> None:
    title = plain_text(next(attachment.iter("{*}longTitle"), None))
    printed = _ANNEX_LABEL.match(title)
    label = printed.group(1) if printed else None
    builder.open(
        UnitKind.ANNEX,
        number=division_number(label) if label else None,
        label=label,
        heading=title[printed.end() :] if printed else title,
    )
    for document in _children(attachment, "doc", "documentRef"):
        for part in document:
            if not is_metadata(part) and local_name(part) not in ("meta", "preface"):
                writer.children(part)
    builder.close()


def _children(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    return (each for each in element if local_name(each) in names)


__all__ = ["LAYOUT", "AnnotatedTree", "parse", "recognises", "write_act"]
