"""EUR-Lex pages without structure in their markup: `TXT_TE` pages and the oldest consolidated texts.

The former hold the act as bare paragraphs below a page header; their footnotes are lines "(1) ..." after
the signatures. The latter are styled by hand, with calls and notes that are linked.
"""

from __future__ import annotations

import re
from datetime import date

from lxml import etree

from claimrag.legal_sources import health
from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.eurlex.act_writer import ActWriter
from claimrag.legal_sources.eurlex.consolidated import front_page, reference_of
from claimrag.legal_sources.eurlex.content import ContentWriter
from claimrag.legal_sources.eurlex.document_unit import NO_ARTICLES, write_document
from claimrag.legal_sources.eurlex.flow import flow, inline_text
from claimrag.legal_sources.eurlex.headings import article_label
from claimrag.legal_sources.eurlex.identity import head_of_act
from claimrag.legal_sources.eurlex.notes import FootnoteReader, is_amendment_mark
from claimrag.legal_sources.eurlex.provisions import ProvisionWriter
from claimrag.legal_sources.eurlex.recital_tables import write_recitals
from claimrag.legal_sources.eurlex.text_lines import TextLines
from claimrag.legal_sources.eurlex.text_notes import TextNotes
from claimrag.legal_sources.markup import Document, text_content
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.legal_sources.tree import TreeBuilder, normalise
from claimrag.schemas.unit import UnitKind

LAYOUT = "eurlex-text"
CONSOLIDATED_LAYOUT = "eurlex-consolidated-unclassed"

_CELEX = re.compile(r"\b(3\d{4}[A-Z]{1,2}\d{4}(?:\(\d{2}\))?)\b")
_LANGUAGE = re.compile(r"-\s([A-Z]{2})$")
_SLASHED_DATE = re.compile(r"(\d{2})/(\d{2})/(\d{4})")


def recognises(document: Document) -> bool:
    """Whether the page is a `TXT_TE` page or a consolidated text without classes."""
    root = document.root
    if root.tag != "html":
        return False
    return _text_body(root) is not None or reference_of(root) is not None


def parse(document: Document) -> ParsedAct:
    """Parse the act."""
    body = _text_body(document.root)
    return _parse_text(document, body) if body is not None else _parse_consolidated(document)


def _text_body(root: etree._Element) -> etree._Element | None:
    body = next(root.iter("txt_te"), None)
    if body is not None:
        return body
    return next((div for div in root.iter("div") if div.get("id") == "TexteOnly"), None)


def _parse_text(document: Document, body: etree._Element) -> ParsedAct:
    builder = TreeBuilder()
    writer = ActWriter(builder, ProvisionWriter(builder))
    lines = [inline_text(block, _no_call) for block in body.iter("p") if block.find(".//p") is None]
    notes = TextNotes(builder, [normalise(line) for line in lines])
    reader = TextLines(writer)
    has_articles = any(article_label(normalise(line)) for line in lines)
    if not has_articles:
        builder.open(UnitKind.DOCUMENT)
    following = _following(lines)
    for index, line in enumerate(lines):
        if not has_articles:
            builder.block(line)
        elif not notes.is_note(index):
            before_article = article_label(following[index]) is not None
            reader.line(notes.with_calls(line), before_article=before_article)
    builder.close_to(0)
    if has_articles:
        notes.write()
    problems = [] if has_articles else [NO_ARTICLES]
    celex, language, published = _page_facts(document.root)
    head, missing = head_of_act(
        document,
        layout=LAYOUT,
        title_lines=writer.title_lines or [normalise(line) for line in lines[:1]],
        language=language,
        version_date=published,
        consolidated=False,
        celex=celex,
    )
    words = health.words_in_tree(body, lambda _element: False) - notes.called
    return assemble(builder, head, document, words, [*missing, *problems])


def _following(lines: list[str]) -> list[str]:
    """For each line the next one that is not blank, in canonical form."""
    after: list[str] = [""] * len(lines)
    latest = ""
    for index in range(len(lines) - 1, -1, -1):
        after[index] = latest
        latest = normalise(lines[index]) or latest
    return after


def _page_facts(root: etree._Element) -> tuple[str | None, str | None, date | None]:
    """CELEX number, language and date of the Official Journal from the page's head."""
    title = normalise(text_content(next(root.iter("title")))) if root.find(".//title") is not None else ""
    celex = _CELEX.search(title)
    language = _LANGUAGE.search(title)
    published: date | None = None
    for meta in root.iter("meta"):
        match = _SLASHED_DATE.search(meta.get("content") or "") if meta.get("name") == "DC.source" else None
        if match and published is None:
            published = _date(int(match.group(3)), int(match.group(2)), int(match.group(1)))
    return (
        celex.group(1) if celex else None,
        language.group(1).lower() if language else None,
        published,
    )


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _parse_consolidated(document: Document) -> ParsedAct:
    root = document.root
    furniture = front_page(root)
    builder = TreeBuilder()
    provisions = ProvisionWriter(builder, missing_paragraphs=12)
    writer = ActWriter(builder, provisions)
    notes = FootnoteReader(builder, root)
    content = ContentWriter(provisions, notes, furniture)
    reader = TextLines(writer)
    body = root.find("body")
    page = body if body is not None else root
    has_articles = any(article_label(normalise(text_content(block))) for block in page.iter("p"))
    if has_articles:
        _walk(page, reader, content, notes, furniture)
    else:
        write_document(builder, page, notes, furniture)
    builder.close_to(0)
    notes.write()
    reference = reference_of(root)
    head, missing = head_of_act(
        document,
        layout=CONSOLIDATED_LAYOUT,
        title_lines=writer.title_lines,
        language=reference.language if reference else None,
        version_date=reference.consolidated_on if reference else None,
        consolidated=True,
        celex=reference.celex if reference else None,
    )
    problems = [] if has_articles else [NO_ARTICLES]

    left_out = furniture | notes.calls

    def is_chrome(element: etree._Element) -> bool:
        return element in left_out or is_amendment_mark(element)

    visible = health.visible_text(root, is_chrome)
    return assemble(
        builder, head, document, visible, [*missing, *problems, *provisions.unplaced, *notes.problems]
    )


def _walk(
    element: etree._Element,
    reader: TextLines,
    content: ContentWriter,
    notes: FootnoteReader,
    furniture: frozenset[etree._Element],
) -> None:
    for item in flow(element, notes.call):
        if isinstance(item, str):
            reader.line(item)
        elif item in furniture or notes.take(item, ""):
            continue
        elif item.tag == "p" and item.find(".//p") is None:
            reader.line(content.text_of(item), "text-align: center" in (item.get("style") or ""))
        elif (
            item.tag == "table"
            and _in_preamble(reader.writer)
            and write_recitals(reader.writer, content, item)
        ):
            continue
        elif item.tag == "div" and "text-indent" not in (item.get("style") or ""):
            _walk(item, reader, content, notes, furniture)
        elif reader.writer.part is None:
            reader.line(content.text_of(item))
        else:
            content.element(item)


def _in_preamble(writer: ActWriter) -> bool:
    return writer.part in (UnitKind.PREAMBLE, UnitKind.TITLE_OF_ACT)


def _no_call(_element: etree._Element) -> str | None:
    return None
