"""A law given as a list of articles in JSON or JSON lines, to the same tree as every other source.

Promises: every row lands as one article or annex, in the order given, or the file is refused with the row
and the field named. Identity comes from the file's own fields; what it does not give is noted, never invented.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from claimrag.legal_sources.articles.divisions import Divisions
from claimrag.legal_sources.articles.language import guess_language
from claimrag.legal_sources.articles.mapping import KNOWN_MAPPINGS, ArticleMapping
from claimrag.legal_sources.articles.structure import plain_of_markdown, write_text
from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.health import words
from claimrag.legal_sources.legilux.abrogation import says_abrogated
from claimrag.legal_sources.legilux.numbers import article_number, division_number
from claimrag.legal_sources.markup import Source, sniff_encoding
from claimrag.legal_sources.parsed import UNKNOWN_DATE, ActHead, ParsedAct, Problem
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.errors import SourceError, UnrecognisedLayoutError
from claimrag.schemas.unit import UnitKind, UnitStatus

LAYOUT = "articles"
_LEX_PUBLISHERS = {"eu-eurlex": "eu", "lu-legilux": "lu"}
_SLUG = re.compile(r"[^A-Za-z0-9()-]+")


@dataclass(frozen=True)
class ArticleRow:
    """One article to write; `path` outermost first, `text` plain."""

    label: str | None
    number: str | None
    heading: str | None
    path: tuple[str, ...]
    text: str
    kind: UnitKind = UnitKind.ARTICLE
    applicable_from: date | None = None


def parse(source: Source) -> ParsedAct:
    """Parse JSON or JSON lines by the first known mapping whose fields the file has."""
    top, rows = read_rows(source)
    for mapping in KNOWN_MAPPINGS:
        listed = rows if mapping.rows is None else top.get(mapping.rows)
        if isinstance(listed, list) and mapping.fits(top, _objects(source, listed)):
            return parse_articles(source, mapping)
    shapes = "; ".join(f"{each.name}: {each.number}, {each.text}" for each in KNOWN_MAPPINGS)
    raise UnrecognisedLayoutError(
        f"{source.origin}: JSON whose rows have none of the known fields ({shapes}); "
        "rename the fields to number, heading, path, text or give a mapping"
    )


def parse_articles(source: Source, mapping: ArticleMapping) -> ParsedAct:
    """Parse `source` by `mapping`; SourceError names the row and field that cannot be used."""
    top, rows = read_rows(source)
    listed = rows if mapping.rows is None else top.get(mapping.rows)
    if not isinstance(listed, list) or not listed:
        raise SourceError(f"{source.origin}: no list of articles under {mapping.rows or 'the top level'}")
    articles = [_row(source, mapping, at, each) for at, each in enumerate(_objects(source, listed), 1)]
    head, notes = _head(source, mapping, top, " ".join(each.text for each in articles[:200]))
    return build_act(source, head, articles, notes, mapping.path_separator)


def build_act(
    source: Source, head: ActHead, rows: Sequence[ArticleRow], notes: Sequence[Problem], separator: str
) -> ParsedAct:
    """The tree of an act made of article rows; used for JSON and for Markdown."""
    builder = TreeBuilder()
    builder.open(UnitKind.TITLE_OF_ACT)
    builder.block(head.title)
    builder.close()
    builder.open(UnitKind.ENACTING_TERMS)
    divisions = Divisions(builder, separator)
    given: Counter[str] = words(head.title)
    for row in rows:
        divisions.enter(row.path)
        builder.open(
            row.kind,
            number=row.number,
            label=row.label,
            heading=row.heading,
            status=UnitStatus.ABROGATED
            if says_abrogated(row.text or row.heading or "") or _repealed(row)
            else UnitStatus.IN_FORCE,
            applicable_from=row.applicable_from,
        )
        write_text(builder, row.text)
        builder.close()
        given += words(" ".join(part for part in (row.label, row.heading, row.text) if part))
    return assemble(builder, head, source, given, notes)


def read_rows(source: Source) -> tuple[dict[str, Any], list[Any]]:
    """The top-level object (empty for a list) and the rows of a JSON or JSON-lines file."""
    text = decoded(source)
    try:
        value = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        return {}, _lines(source, text, error)
    if isinstance(value, dict):
        return value, [value]
    return {}, value if isinstance(value, list) else []


def decoded(source: Source) -> str:
    """The text of a source that is no markup; SourceError where no encoding fits."""
    encoding = sniff_encoding(source.raw)
    try:
        return source.raw.decode(encoding).lstrip("\ufeff")
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{source.origin}: not text in {encoding} ({error}); save the file as UTF-8"
        ) from error


def _lines(source: Source, text: str, not_json: Exception) -> list[Any]:
    """The values of JSON lines, for a text that is not one JSON value."""
    rows: list[Any] = []
    lines = [(at, line) for at, line in enumerate(text.splitlines(), 1) if line.strip()]
    for at, line in lines:
        try:
            rows.append(json.loads(line))
        except (json.JSONDecodeError, RecursionError) as error:
            if rows and at == lines[-1][0]:
                raise SourceError(
                    f"{source.origin}: the last JSON line ({at}) is cut off: {error}; fetch the file again"
                ) from error
            if _ends_too_early(text, not_json):
                raise SourceError(
                    f"{source.origin}: the JSON is cut off: it ends before its last value does ({not_json}); "
                    "fetch the file again"
                ) from error
            raise SourceError(
                f"{source.origin}: neither JSON ({not_json}) nor JSON lines (line {at}: {error}); repair the file"
            ) from error
    return rows


def _ends_too_early(text: str, error: Exception) -> bool:
    """Whether JSON was refused only where the text ends, or for a string that is never closed."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    return error.pos >= len(text.rstrip()) - 1 or error.msg.startswith("Unterminated string")


def _objects(source: Source, rows: Sequence[Any]) -> list[Mapping[str, Any]]:
    for at, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise SourceError(f"{source.origin}: row {at} is not an object; give one object per article")
    return list(rows)


def _row(source: Source, mapping: ArticleMapping, at: int, row: Mapping[str, Any]) -> ArticleRow:
    text = _string(source, at, mapping.text, row.get(mapping.text))
    printed = _string(source, at, mapping.number, row.get(mapping.number))
    if not printed and mapping.anchor and str(row.get(mapping.anchor, "")).startswith("art_"):
        printed, text = _label_in_text(text)
    label = f"{mapping.word} {printed}".strip() if printed else None
    kind = (
        mapping.kinds.get(str(row.get(mapping.kind)), UnitKind.ARTICLE) if mapping.kind else UnitKind.ARTICLE
    )
    heading = _string(source, at, mapping.heading, row.get(mapping.heading)) if mapping.heading else ""
    plain = plain_of_markdown if mapping.markdown else str.strip
    label = plain(label) if label else None
    return ArticleRow(
        label=label,
        number=_number(label, kind),
        heading=plain(heading) or None,
        path=(*_containers(mapping, row), *(plain(each) for each in _path(source, mapping, at, row))),
        text=plain(text),
        kind=kind,
        applicable_from=_date(row.get(mapping.applicable_from)) if mapping.applicable_from else None,
    )


def _number(label: str | None, kind: UnitKind) -> str | None:
    if label is None:
        return None
    if kind is UnitKind.ANNEX:
        return division_number(label)
    return article_number(re.sub(r"^sections?\s+", "", label, flags=re.IGNORECASE))


def _label_in_text(text: str) -> tuple[str, str]:
    """Some files print the label as the text's first block and leave the number out."""
    first, _, rest = text.partition("\n\n")
    return (first, rest) if re.fullmatch(r"Article\s+\S+(?:\s\w+)?", first.strip()) else ("", text)


def _containers(mapping: ArticleMapping, row: Mapping[str, Any]) -> list[str]:
    titles = []
    for each in mapping.containers:
        number = row.get(each.number)
        if number not in (None, ""):
            heading = str(row.get(each.heading) or "").strip() if each.heading else ""
            titles.append(f"{each.word} {number}" + (f"{mapping.path_separator}{heading}" if heading else ""))
    return titles


def _path(source: Source, mapping: ArticleMapping, at: int, row: Mapping[str, Any]) -> list[str]:
    value = row.get(mapping.path) if mapping.path else None
    if value is None or value == "":
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return [each for each in value if each.strip()]
    raise SourceError(f"{source.origin}: row {at}, field {mapping.path}: give a text or a list of texts")


def _string(source: Source, at: int, name: str | None, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str | int) and not isinstance(value, bool):
        return str(value)
    raise SourceError(f"{source.origin}: row {at}, field {name}: give a text, not a {type(value).__name__}")


def _head(
    source: Source, mapping: ArticleMapping, top: Mapping[str, Any], sample: str
) -> tuple[ActHead, list[Problem]]:
    fields = {
        name: str(top[key]).strip() for name, key in mapping.head.items() if top.get(key) not in (None, "")
    }
    notes: list[Problem] = []
    publisher, work = fields.get("publisher", "other"), fields.get("work", "")
    source_id = fields.get("source_id", "").split(":")
    if len(source_id) == 3:
        publisher, work = _LEX_PUBLISHERS.get(source_id[0], source_id[0]), source_id[1]
    celex = work.upper() if publisher == "eu" else None
    work = _SLUG.sub("-", celex or work).strip("-")
    if not work:
        work = f"unknown-{source.raw_sha256[:12]}"
        notes.append(Problem(code="work_unknown", detail="the file does not name the law; add a field work"))
    language = fields.get("language") or guess_language(sample)
    if "language" not in fields:
        detail = f"the file does not say its language; taken as {language or 'en'} from its words"
        notes.append(Problem(code="language_unknown", detail=detail))
    return (
        ActHead(
            publisher=_SLUG.sub("-", publisher),
            work=work,
            title=fields.get("title", "") or work,
            language=(language or "en").lower()[:2],
            version_date=_date(fields.get("version_date")) or UNKNOWN_DATE,
            consolidated=True,
            layout=f"{LAYOUT}-{mapping.name}",
            licence=fields.get("licence", "not stated"),
            attribution=fields.get("attribution", "not stated"),
            celex=celex,
        ),
        notes,
    )


def _date(value: Any) -> date | None:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


def _repealed(row: ArticleRow) -> bool:
    """Indian sections say "Rep. by ..." or "Repealed by ..." as their only text or heading."""
    text = (row.text or row.heading or "").lstrip("[( ")
    return (
        len(text) < 400 and re.match(r"(?:Rep\.|Repealed|Omitted)(?:\s+by\b|[.,\s\])]|$)", text) is not None
    )


__all__ = ["LAYOUT", "ArticleRow", "build_act", "decoded", "parse", "parse_articles", "read_rows"]
