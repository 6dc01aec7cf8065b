"""A law in Markdown: headings are divisions or articles, text below an article's heading is its text.

A heading that begins with "Art.", "Article" or "§" and a number is an article; "Section 12" is one where the
file has no such heading. Every other heading is a division at its level. Front matter between `---` lines may
hold title, language, valid_from or version_date, lex_id or work, license and attribution. HTML and code in the
text are not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from claimrag.legal_sources.articles.act import ArticleRow, build_act, decoded
from claimrag.legal_sources.articles.language import guess_language
from claimrag.legal_sources.articles.structure import plain_of_markdown
from claimrag.legal_sources.legilux.numbers import article_number
from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import UNKNOWN_DATE, ActHead, ParsedAct, Problem
from claimrag.schemas.errors import SourceError, UnrecognisedLayoutError
from claimrag.schemas.unit import UnitKind

LAYOUT = "articles-markdown"
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*\s*")
_NUMBER = r"(?:[LRDA]\.\s?)?\d[\w._-]*"
"""12, 12a, 12-1, L. 234-1"""
_ARTICLE = re.compile(
    rf"""
    (?P<label>
        «?\s* (?: Articles? | Art\.? | Section ) \s+
        (?: {_NUMBER} | premier\.? | unique\.? )
        (?: \s (?: er | bis | ter | quater | quinquies | sexies | septies | octies ) \b \s?\.? )?
        (?: \s (?: et | à | to | and ) \s (?:Art\.\s*)? {_NUMBER} )?       # Articles 9 et 10
        (?: \s?\. )?
      | §\s*\d\S*
    )
    (?: \s*[—–:-]\s+ | \s+ | $ )                                         # a dash before the heading
    (?P<heading> .* )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SECTION = re.compile(r"section\b", re.IGNORECASE)
_ANNEX = re.compile(r"(?:annexe?|schedule)\b", re.IGNORECASE)
_FRONT = re.compile(r"([A-Za-z_]+):\s*(.*)")
_FRONT_LINES = 60
_UNCLOSED_ANCHOR = re.compile(r"<a\s[^<>]*\s*\Z")
_ANCHOR = re.compile(r"<a id=\"[^\"]*\"></a>")


def parse(source: Source) -> ParsedAct:
    """Parse Markdown; raises UnrecognisedLayoutError when no heading is that of an article.

    A file that ends inside its front matter or inside an anchor's tag is cut off, a SourceError.
    """
    text = decoded(source)
    front, body = _front_matter(source, text)
    if _UNCLOSED_ANCHOR.search(body):
        raise SourceError(f"{source.origin}: is cut off: it ends inside a tag; fetch the file again")
    rows = list(_rows(body))
    if not rows:
        raise UnrecognisedLayoutError(
            f"{source.origin}: Markdown without an article heading; begin each article with a heading such as "
            "'### Article 1'"
        )
    head, notes = _head(source, front, body)
    if not text.endswith("\n"):
        detail = f"the last line is '{text.splitlines()[-1][-60:]}'"
        notes.append(Problem(code="last_line_not_ended", detail=detail))
    return build_act(source, head, rows, notes, " — ")


def _front_matter(source: Source, text: str) -> tuple[dict[str, str], str]:
    """The fields between two `---` lines at the start, and the text after them."""
    lines = text.split("\n")
    if lines[0].strip() != "---":
        return {}, text
    front: dict[str, str] = {}
    for at, line in enumerate(lines[1:_FRONT_LINES], 1):
        if line.strip() == "---":
            return front, "\n".join(lines[at + 1 :])
        field = _FRONT.fullmatch(line.strip())
        if field:
            front[field.group(1).lower()] = field.group(2).strip().strip("'\"").replace("''", "'")
    if len(lines) > 1 and _FRONT.fullmatch(lines[1].strip()) and len(lines) <= _FRONT_LINES:
        raise SourceError(
            f"{source.origin}: the front matter is never closed by a line '---'; the file is cut off, fetch it again"
        )
    return {}, text


def _rows(body: str) -> Iterator[ArticleRow]:
    path: list[tuple[int, str]] = []
    current: tuple[str, str, UnitKind] | None = None
    text: list[str] = []
    by_section = not any(_ARTICLE.fullmatch(title) and not _SECTION.match(title) for title in _titles(body))
    for line in [*_ANCHOR.sub("", body).split("\n"), "# end"]:
        match = _HEADING.fullmatch(line)
        if match is None:
            text.append(line)
            continue
        if current is not None:
            yield _article(current, tuple(title for _, title in path), "\n".join(text))
        text, current = [], None
        level, title = len(match.group(1)), plain_of_markdown(match.group(2)).strip()
        article = _ARTICLE.fullmatch(title)
        path = [each for each in path if each[0] < level]
        if article and (by_section or not _SECTION.match(title)):
            current = (article["label"], article["heading"], UnitKind.ARTICLE)
        else:
            if _ANNEX.match(title):
                current = (title, "", UnitKind.ANNEX)
            elif level > 1:
                path.append((level, title))


def _titles(body: str) -> Iterator[str]:
    return (
        plain_of_markdown(found.group(2)).strip()
        for found in map(_HEADING.fullmatch, body.split("\n"))
        if found
    )


def _article(current: tuple[str, str, UnitKind], path: tuple[str, ...], text: str) -> ArticleRow:
    label, heading, kind = current
    number = article_number(_SECTION.sub("", label).strip()) if kind is UnitKind.ARTICLE else None
    return ArticleRow(label, number, heading or None, path, plain_of_markdown(text).strip(), kind)


_HOW_TO_NAME_IT = (
    "the file does not say which law it is; begin it with lines such as `---`, `work: register-act`, `title: Register "
    "Act`, `version_date: 2024-01-31`, `language: en`, `licence: cc-by-4.0`, `---`"
)


def _head(source: Source, front: dict[str, str], body: str) -> tuple[ActHead, list[Problem]]:
    notes: list[Problem] = []
    publisher, work = front.get("publisher", "other"), front.get("work", "")
    parts = front.get("lex_id", "").split(":")
    if len(parts) == 3:
        publisher, work = parts[0].partition("-")[0], parts[1]
    if not work:
        work = f"unknown-{source.raw_sha256[:12]}"
        notes.append(Problem(code="work_unknown", detail=_HOW_TO_NAME_IT))
    language = front.get("language") or guess_language(body)
    if "language" not in front:
        detail = f"no language in the front matter; taken as {language or 'en'} from its words"
        notes.append(Problem(code="language_unknown", detail=detail))
    title = front.get("title", "") or next(
        (found.group(1) for found in re.finditer(r"^# (.+)$", body, re.MULTILINE)), work
    )
    return (
        ActHead(
            publisher=publisher,
            work=re.sub(r"[^A-Za-z0-9()-]+", "-", work),
            title=title.strip(),
            language=(language or "en")[:2].lower(),
            version_date=_date(front.get("valid_from") or front.get("version_date") or ""),
            consolidated=True,
            layout=LAYOUT,
            licence=front.get("license") or front.get("licence") or "not stated",
            attribution=front.get("attribution", "not stated"),
        ),
        notes,
    )


def _date(value: str) -> date:
    try:
        return date.fromisoformat(value[:10])
    except ValueError:
        return UNKNOWN_DATE
