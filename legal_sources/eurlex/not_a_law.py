"""Refuses pages that look like an answer but hold no law, and says which kind of page each is.

Known: the browser challenge (status 202, a shell of script), the portal's own pages, a notice of repeal in
place of a consolidated text, an empty shell, a Formex table of contents. Never parses anything.
"""

from __future__ import annotations

from lxml import etree

from claimrag.legal_sources.eurlex.flow import css_class
from claimrag.legal_sources.eurlex.page_frame import eli_articles, is_portal
from claimrag.legal_sources.markup import Document, local_name
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.errors import UnrecognisedLayoutError

LAYOUT = "eurlex-not-a-law"

_CHALLENGE_MARKS = (
    b"awsWaf",
    b"AwsWaf",
    b"challenge.js",
    b"gokuProps",
    b"challenge-container",
    b"cf-challenge",
)
_LAW_CLASSES = frozenset(
    (
        "ti-art",
        "doc-ti",
        "title-article-norm",
        "title-doc-first",
        "Titrearticle",
        "eli-subdivision",
        "sti-art",
    )
)
_SHELL_WORDS = 40
_CHALLENGE_WORDS = 200


def recognises(document: Document) -> bool:
    """Whether the document is a known kind of page without a law."""
    return _reason(document) is not None


def parse(document: Document) -> ParsedAct:
    """Always raises UnrecognisedLayoutError with the reason and what to fetch instead."""
    raise UnrecognisedLayoutError(f"{document.origin}: {_reason(document) or 'holds no law'}")


def _reason(document: Document) -> str | None:
    root = document.root
    name = local_name(root)
    if name == "DOC" and root.find("FMX") is not None:
        return "is the table of contents of a Formex delivery; give the act's own file (without .doc) instead"
    if name in ("CONS.ACT", "CONS.DOC"):
        return _repealed_formex(root)
    if name != "html":
        return None
    if next(eli_articles(root), None) is not None:
        return None
    return _repealed_page(root) or _without_law(document)


def _repealed_formex(root: etree._Element) -> str | None:
    if next(root.iter("ARTICLE"), None) is not None:
        return None
    info = root.find("INFO.CONSLEG")
    if info is not None and info.get("END") == "REPEALED":
        by = info.get("SOURCE.END") or "another act"
        return (
            f"is only the notice that the act was repealed by {by}; give the last consolidated version before"
        )
    return None


def _repealed_page(root: etree._Element) -> str | None:
    notice = next(
        (
            element
            for element in root.iter("div")
            if "disclaimer" in (element.get("class") or "") and element.find("a") is not None
        ),
        None,
    )
    if notice is None or any(css_class(element) == "title-article-norm" for element in root.iter("p")):
        return None
    anchor = notice.find("a")
    address = (anchor.get("href") or "") if anchor is not None else ""
    return f"is only the notice that the act was repealed; the last consolidated version is at {address}"


def _without_law(document: Document) -> str | None:
    root = document.root
    body = root.find("body")
    page = body if body is not None else root
    if b"Rfrenceinstitutionnelle" in document.raw:
        return "is a proposal of the Commission, not an adopted act; fetch the act that was adopted"
    if _has_law(root) and any(text.strip() for text in map(str, page.itertext())):
        return None
    words = len(" ".join(_visible(page)).split())
    if words <= _CHALLENGE_WORDS and any(mark in document.raw for mark in _CHALLENGE_MARKS):
        return (
            "is a browser challenge, not the law (EUR-Lex answers so with status 202); fetch it from Cellar"
        )
    if words == 0:
        return "is an empty page; fetch the law again, or another version of it"
    if is_portal(root) or _is_titled_as_portal(root):
        return "is a page of the EUR-Lex portal, not the text of an act; fetch the act's HTML or Formex"
    if words <= _SHELL_WORDS and root.find(".//script") is not None:
        return "is a shell of script without the law; fetch the act's HTML or Formex from Cellar"
    return None


def _has_law(root: etree._Element) -> bool:
    for element in root.iter("p", "div", "txt_te"):
        if element.tag == "txt_te" or element.get("id") == "TexteOnly":
            return True
        if _LAW_CLASSES.intersection(css_class(element).split()):
            return True
    return False


def _is_titled_as_portal(root: etree._Element) -> bool:
    title = root.find(".//title")
    return title is not None and "Access to European Union law" in (title.text or "")


def _visible(element: etree._Element) -> list[str]:
    pieces: list[str] = []
    for inner in element.iter():
        if inner.tag in ("script", "style", "noscript", "template") or not isinstance(inner.tag, str):
            text = None
        else:
            text = inner.text
        pieces.extend(part.strip() for part in (text, inner.tail) if part and part.strip())
    return pieces
