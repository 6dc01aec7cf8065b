"""Read untrusted bytes into an lxml tree: no entities, no network, bounded size and depth.

Well-formed documents are read as XML, others that look like a web page by the HTML parser. The XHTML
namespace is taken off, so that both give plain tag names (`p`, `div`); other namespaces are kept. Never
repairs silently: NUL bytes, entity declarations, too deep or too large documents are a SourceError.
"""

from __future__ import annotations

import hashlib
import re
from codecs import getincrementaldecoder
from dataclasses import dataclass
from datetime import datetime
from html.entities import html5

from lxml import etree
from lxml.html import defs

from claimrag.legal_sources.completeness import markup_cut_off, root_name
from claimrag.schemas.errors import SourceError

MAX_SOURCE_BYTES = 64 * 1024 * 1024
"""Larger sources are refused: a parse takes up to twenty times the bytes of its file in memory."""
MAX_DEPTH = 256
"""Deepest nesting of elements; laws stay under 60. The bound is libxml2's own, kept on purpose."""

_XHTML = "http://www.w3.org/1999/xhtml"
_XHTML_DECLARATIONS = (b' xmlns="http://www.w3.org/1999/xhtml"', b" xmlns='http://www.w3.org/1999/xhtml'")
_ENTITY_DECLARATION = b"<!ENTITY"
_NAMED_REFERENCE = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,31};)")
_KEEP_INSTRUCTIONS = frozenset(("ACT", "CONS.ACT", "CONS.DOC"))
"""The roots of Formex, which marks with instructions what an amendment deleted."""
_PREDEFINED = frozenset((b"amp;", b"lt;", b"gt;", b"quot;", b"apos;"))
_DECLARED_ENCODING = re.compile(rb"""^\s*<\?xml[^>]*?encoding=["']([A-Za-z0-9._-]+)["']""")
_META_CHARSET = re.compile(rb"""<meta[^>]+charset=["']?([A-Za-z0-9._-]+)""", re.IGNORECASE)
_LOOKS_LIKE_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|txt_te|p|div|table)\b", re.IGNORECASE)
_ROOTS_OF_PAGES = defs.tags | {"txt_te"}
"""A document that begins with any other element is XML of some vocabulary, and never repaired."""
_PIECE = 65536
_INDENTATION = re.compile(
    rb"\n *+(?:<(?:col |/?+tbody)[^<>]*+>\s*+)*+(?=</?+(?:p[ >]|t[dhr][ >]|div[ >]|table[ >]))"
)
"""White space before a block's tag, the widths of columns, and the tags around all rows of a table."""
_CAPITAL_TAG = re.compile(rb"</?[A-Z]")
_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_SINGLE_BYTE = frozenset(
    ("ascii", "us-ascii", "iso-8859-1", "latin-1", "latin1", "iso-8859-15", "windows-1252", "cp1252")
)


@dataclass(frozen=True)
class Source:
    """The bytes of a law and where they came from. `origin` names them in messages (a path, an address)."""

    raw: bytes
    origin: str
    retrieved_at: datetime | None
    source_address: str | None
    raw_sha256: str

    @classmethod
    def of(
        cls,
        raw: bytes,
        *,
        origin: str,
        retrieved_at: datetime | None = None,
        source_address: str | None = None,
    ) -> Source:
        """Check the size and hash the bytes; raises SourceError when empty or over MAX_SOURCE_BYTES."""
        if len(raw) > MAX_SOURCE_BYTES:
            raise SourceError(
                f"{origin}: {len(raw):,} bytes, more than the {MAX_SOURCE_BYTES:,} that are read; "
                "give the law itself rather than an archive or a collection of laws"
            )
        if not raw.strip():
            raise SourceError(f"{origin}: the file is empty; fetch the law again")
        return cls(raw, origin, retrieved_at, source_address, hashlib.sha256(raw).hexdigest())


@dataclass(frozen=True)
class Document(Source):
    """A source that is markup, with its tree. `well_formed` is False when the HTML parser had to read it.

    `cut_off` says how the markup breaks off before its end, where it does.
    """

    root: etree._Element
    well_formed: bool
    encoding: str
    cut_off: str | None = None


def read_document(source: Source) -> Document:
    """Read markup; raises SourceError, with the place and a remedy, for bytes that are no usable markup.

    Comments and processing instructions are taken out; Formex alone keeps the latter. So may be what says
    nothing: the indentation of blocks, widths of columns and, around its rows, the body of a table.
    """
    encoding = sniff_encoding(source.raw)
    wide = encoding.startswith(("utf-16", "utf-32"))
    raw, parsed_as = (_as_utf8(source, encoding), "utf-8") if wide else (source.raw, encoding)
    nul = raw.find(b"\x00")
    if nul >= 0:
        raise SourceError(f"{source.origin}: NUL byte at offset {nul}; the file is damaged, fetch it again")
    declaration = raw.find(_ENTITY_DECLARATION)
    if declaration >= 0:
        raise SourceError(
            f"{source.origin}: declares an XML entity at offset {declaration}; "
            "entities are never expanded, give a file without them"
        )
    root = _read_xml(raw, parsed_as, source.origin)
    well_formed = root is not None
    if root is None:
        root = _read_html(_with_plain_names(raw), parsed_as, source.origin)
    if isinstance(root.tag, str) and root.tag.startswith(f"{{{_XHTML}}}"):
        _take_off_xhtml_namespace(root)
    if isinstance(root.tag, str) and root.tag.lower() == "html" and _may_hold_capital_tags(raw):
        _lower_tags(root)
    return Document(
        raw=source.raw,
        origin=source.origin,
        retrieved_at=source.retrieved_at,
        source_address=source.source_address,
        raw_sha256=source.raw_sha256,
        root=root,
        well_formed=well_formed,
        encoding=encoding,
        cut_off=None if well_formed else markup_cut_off(raw),
    )


def sniff_encoding(raw: bytes) -> str:
    """The encoding that really fits: byte order mark, else the declared one where the bytes agree.

    A declared single-byte encoding gives way to UTF-8 when the bytes are UTF-8 beyond ASCII (text in another
    encoding is practically never valid UTF-8 by chance); a declared one that does not decode gives way to
    UTF-8, then Windows-1252.
    """
    for mark, name in _BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return name
    match = _DECLARED_ENCODING.match(raw[:1024]) or _META_CHARSET.search(raw[:4096])
    declared = match.group(1).decode("ascii").lower() if match else "utf-8"
    if declared in _SINGLE_BYTE:
        return "utf-8" if not raw.isascii() and _decodes(raw, "utf-8") else _html_name(declared)
    if _decodes(raw, declared):
        return declared
    return "utf-8" if _decodes(raw, "utf-8") else "windows-1252"


def local_name(element: etree._Element) -> str:
    """The tag without its namespace; an empty string for comments and processing instructions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def text_content(element: etree._Element) -> str:
    """All text inside `element`, as it stands; without its tail."""
    return "".join(str(part) for part in element.itertext())


def _html_name(declared: str) -> str:
    # The web reads Latin-1 and ASCII as Windows-1252, whose quotation marks laws use.
    return "iso-8859-15" if declared == "iso-8859-15" else "windows-1252"


def _as_utf8(source: Source, encoding: str) -> bytes:
    """UTF-16 and UTF-32 bytes as UTF-8, so that every check below sees plain markup."""
    try:
        return source.raw.decode(encoding).removeprefix("\ufeff").encode("utf-8")
    except UnicodeError as error:
        raise SourceError(f"{source.origin}: marked as {encoding} but is not ({error.args[-1]})") from error


def _decodes(raw: bytes, encoding: str) -> bool:
    try:
        if encoding != "utf-8":
            raw.decode(encoding)
            return True
        # Piece by piece, so that no second copy of the law is made only to be thrown away.
        decoder = getincrementaldecoder(encoding)()
        for start in range(0, len(raw), _PIECE):
            decoder.decode(raw[start : start + _PIECE], start + _PIECE >= len(raw))
    except (UnicodeDecodeError, LookupError):
        return False
    return True


def _as_character(match: re.Match[bytes]) -> bytes:
    name = match.group(1)
    if name in _PREDEFINED:
        return match.group(0)
    character = html5.get(name.decode("ascii"))
    if character is None:
        return match.group(0)
    return "".join(f"&#{ord(each)};" for each in character).encode("ascii")


def _read_xml(raw: bytes, encoding: str, origin: str) -> etree._Element | None:
    """The root, or None when the bytes are not well-formed XML but look like a web page."""
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=False,
        collect_ids=False,
        encoding=encoding,
    )
    try:
        try:
            root = etree.fromstring(_with_plain_names(_without_padding(raw)), parser)
        except etree.XMLSyntaxError:  # the place that the error names must be one in the file itself
            root = etree.fromstring(_with_plain_names(raw), parser)
    except etree.XMLSyntaxError as error:
        _refuse_excess(str(error), origin)
        name = root_name(raw)
        if name.lower() in _ROOTS_OF_PAGES and _LOOKS_LIKE_HTML.search(raw[:65536]):
            return None
        cut_off = markup_cut_off(raw)
        what = f"<{name}> markup that is cut off: {cut_off}" if cut_off else "neither XML nor a web page"
        raise SourceError(f"{origin}: {what} ({error}); fetch the law again") from error
    if local_name(root) not in _KEEP_INSTRUCTIONS:
        etree.strip_tags(root, etree.ProcessingInstruction)
    entity = next(root.iter(etree.Entity), None)
    if entity is not None:
        raise SourceError(f"{origin}: uses an undeclared entity {entity.text}; entities are never expanded")
    return root


def _without_padding(raw: bytes) -> bytes:
    """The markup without what says nothing, which is most of the nodes of a page that a converter has written.

    Where the start of a table's body goes and its end stays, the result is not well-formed, and not used.
    """
    return _INDENTATION.sub(b"", raw)


def _with_plain_names(raw: bytes) -> bytes:
    """The markup with tags that no declaration puts into a namespace, and characters in place of their names."""
    for declaration in _XHTML_DECLARATIONS:
        if declaration in raw:
            raw = raw.replace(declaration, b"")
    return _NAMED_REFERENCE.sub(_as_character, raw) if b"&" in raw else raw


def _may_hold_capital_tags(raw: bytes) -> bool:
    """Whether a page's tags may be written in capitals; those of XHTML never are."""
    return not any(declaration in raw for declaration in _XHTML_DECLARATIONS) and bool(
        _CAPITAL_TAG.search(raw)
    )


def _read_html(raw: bytes, encoding: str, origin: str) -> etree._Element:
    parser = etree.HTMLParser(
        no_network=True, huge_tree=False, remove_comments=True, remove_pis=True, encoding=encoding
    )
    try:
        root = etree.fromstring(raw, parser)
    except etree.XMLSyntaxError as error:
        _refuse_excess(str(error), origin)
        raise SourceError(f"{origin}: the web page cannot be read ({error}); fetch it again") from error
    for entry in parser.error_log:
        _refuse_excess(entry.message, origin)
    if root is None:
        raise SourceError(f"{origin}: the web page holds no element; fetch it again")
    return root


def _refuse_excess(message: str, origin: str) -> None:
    lowered = message.lower()
    if "excessive depth" in lowered or "huge" in lowered or "resource limit" in lowered:
        raise SourceError(
            f"{origin}: nested deeper than {MAX_DEPTH} elements, or one text over 10 MB ({message}); "
            "no law is, give the file of one act"
        )


def _take_off_xhtml_namespace(root: etree._Element) -> None:
    prefix = f"{{{_XHTML}}}"
    for element in root.iter(f"{prefix}*"):
        element.tag = element.tag[len(prefix) :]


def _lower_tags(root: etree._Element) -> None:
    """HTML tags are the same in capitals, which old pages mix in; XML reads them as other tags."""
    for element in root.iter(etree.Element):
        element.tag = element.tag.lower()
