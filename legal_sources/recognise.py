"""Which parser reads which bytes: a list of modules, each of which knows its own layout.

A layout module exposes `LAYOUT: str`, `recognises(document: Document) -> bool` and
`parse(document: Document) -> ParsedAct`. Adding a publisher is adding its module's name to LAYOUT_MODULES.
Bytes that are no markup (PDF, JSON) go to a module with `parse(source: Source) -> ParsedAct`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from types import ModuleType

from claimrag.legal_sources.completeness import pdf_cut_off
from claimrag.legal_sources.health import with_problems
from claimrag.legal_sources.markup import Document, Source, read_document
from claimrag.legal_sources.parsed import ParsedAct, Problem
from claimrag.schemas.errors import SourceError, UnrecognisedLayoutError

GENERIC_MODULE = "claimrag.legal_sources.generic.page"
LAYOUT_MODULES: tuple[str, ...] = (
    "claimrag.legal_sources.eurlex.not_a_law",
    "claimrag.legal_sources.eurlex.oj",
    "claimrag.legal_sources.eurlex.consolidated",
    "claimrag.legal_sources.eurlex.formex",
    "claimrag.legal_sources.eurlex.oj_flat",
    "claimrag.legal_sources.eurlex.plain_text",
    "claimrag.legal_sources.legilux.akoma_ntoso",
    "claimrag.legal_sources.generic.akoma_ntoso",
    "claimrag.legal_sources.generic.justel",
    GENERIC_MODULE,
)
"""Asked in this order; the first that recognises a document parses it."""

PDF_MODULE = "claimrag.legal_sources.pdf.act"
JSON_MODULE = "claimrag.legal_sources.articles.act"
MARKDOWN_MODULE = "claimrag.legal_sources.articles.markdown"

PUBLISHER_MARKS = {
    "EUR-Lex": re.compile(
        rb"""
        <txt_te\b                                                # the text of a page before 2004
        | \bid=["']TexteOnly["']                                 # the frame of such a page
        | \bclass=["'][^"'<>]*\b(?:
              eli-subdivision                                    # an article, a recital, an annex
            | (?: oj- )? s?ti-art                                # the label and heading of an article
            | s?title-article-norm                               # the same in a consolidated text
            )\b
        """,
        re.VERBOSE | re.IGNORECASE,
    ),
    "Legilux": re.compile(rb"""<akomaNtoso\b|\bxmlns:scl=["']http://www\.scl\.lu["']""", re.IGNORECASE),
    "Justel": re.compile(rb"""\bid=["']list-title-3["']"""),
}
"""What only the markup of a publisher holds, for pages that its own parsers do not recognise."""


def parse_source(source: Source) -> ParsedAct:
    """Recognise the layout of `source` and parse it.

    Raises UnrecognisedLayoutError when no module recognises it, or when it is a page that is not a law, and
    SourceError when the bytes cannot be read at all.
    """
    start = source.raw[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"%PDF"):
        parsed = _parse_with(PDF_MODULE, "a PDF", source)
        cut_off = pdf_cut_off(source.raw)
        problems = [Problem(code="truncated", detail=f"{cut_off}; fetch the law again")] if cut_off else []
        return replace(parsed, health=with_problems(parsed.health, problems))
    if start[:1] in (b"{", b"["):
        return _parse_with(JSON_MODULE, "JSON", source)
    if source.origin.lower().endswith((".md", ".markdown")) or start.startswith(
        (b"---\n", b"---\r\n", b"# ", b"## ")
    ):
        return _parse_with(MARKDOWN_MODULE, "Markdown", source)
    document = read_document(source)
    absent: list[str] = []
    for name in LAYOUT_MODULES:
        module = _import_or_none(name)
        if module is None:
            absent.append(name)
        elif module.recognises(document):
            parsed = _parse_bounded(module, document)
            return replace(parsed, health=with_problems(parsed.health, _problems(name, document)))
    missing = f" (not installed: {', '.join(absent)})" if absent else ""
    raise UnrecognisedLayoutError(
        f"{source.origin}: <{document.root.tag}> markup of no known layout{missing}; "
        "claimrag reads EUR-Lex, Formex, Legilux, plain web pages of laws, PDF and article lists in JSON"
    )


def _problems(module: str, document: Document) -> list[Problem]:
    """What makes the parse of a document unreliable, whichever module parsed it."""
    problems = []
    if document.cut_off:
        problems.append(Problem(code="truncated", detail=f"{document.cut_off}; fetch the law again"))
    publisher = publisher_of(document.raw) if module == GENERIC_MODULE else None
    if publisher:
        detail = f"the page bears the marks of {publisher}, whose parser did not recognise it"
        problems.append(Problem(code="generic_parser_on_known_publisher", detail=detail))
    return problems


def publisher_of(raw: bytes) -> str | None:
    """The publisher whose marks the markup of a page bears, if it is one we have a parser for."""
    return next((name for name, mark in PUBLISHER_MARKS.items() if mark.search(raw)), None)


def _parse_bounded(module: ModuleType, document: Document) -> ParsedAct:
    """Parse; nesting that is too deep for the parsers' recursion is the source's fault, and reported as such."""
    try:
        parsed: ParsedAct = module.parse(document)
    except RecursionError as error:
        raise SourceError(
            f"{document.origin}: nested too deep for the layout {module.LAYOUT}; no law is, fetch it again"
        ) from error
    return parsed


def _parse_with(name: str, what: str, source: Source) -> ParsedAct:
    module = _import_or_none(name)
    if module is None:
        raise UnrecognisedLayoutError(
            f"{source.origin}: is {what}, which needs the parser {name}, and that is not part of this installation"
        )
    parsed: ParsedAct = module.parse(source)
    return parsed


def _import_or_none(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        # Only the module itself, or the package that holds it, may be absent; its own imports may not.
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            return None
        raise


__all__ = ["JSON_MODULE", "LAYOUT_MODULES", "PDF_MODULE", "Document", "parse_source"]
