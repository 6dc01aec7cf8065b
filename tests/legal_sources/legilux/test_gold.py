"""Compare parsed Legilux articles with an independent per-article reading of the same files, and with the bytes.

The reference prints lists in Markdown ("1. ", "- ") whatever the law prints ("1°", "a)", "–"), tables as pipe
rows and stars for bold; both sides are therefore compared without list markers and white space. It has one
defect: of a list item that holds a link it keeps the link alone. `as_the_reference_prints` applies that rule
to the source, so that each disagreement is either explained by it, or counted as unexplained.
Run it for the table: `python tests/legal_sources/legilux/test_gold.py CORPUS_FOLDER`.
"""

from __future__ import annotations

import json
import re
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from lxml import etree

from legal_sources.legilux.inline import is_metadata
from legal_sources.markup import Source, local_name
from legal_sources.parsed import ParsedAct, own_text_start
from legal_sources.recognise import parse_source
from schemas.unit import Unit, UnitKind

WORKS = (
    "loi-1807-09-15-n2",
    "loi-1879-06-18-n1",
    "loi-2006-07-31-n2",
    "loi-2011-04-08-n2",
    "rgd-1998-08-03-n4",
)
SAME = "same text"
LINKS_ONLY = "list items with links: the reference keeps only the links"
STRUCK_OUT = "struck-out words: the reference keeps them"
UNEXPLAINED = "unexplained"
_MARKER = re.compile(r"(?<!\S)(?:\d{1,3}\.|[-–•])(?=\s|$)")


@dataclass
class Comparison:
    """How many articles agree with the reference and with the source, and why the others do not."""

    work: str
    articles: int = 0
    gold: int = 0
    numbers_equal: int = 0
    equal_to_source: int = 0
    classes: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)


def compare(folder: Path) -> Comparison:
    """Compare the version in `folder` (`fr.xml` beside `lex-articles.fr.json`)."""
    path = folder / "fr.xml"
    parsed = parse_source(Source.of(path.read_bytes(), origin=str(path)))
    rows = json.loads((folder / "lex-articles.fr.json").read_text("utf-8"))["provisions"]
    gold = [row for row in rows if row["type"] == "article"]
    annexes = {unit.id for unit in parsed.of_kind(UnitKind.ANNEX)}
    articles = [unit for unit in parsed.of_kind(UnitKind.ARTICLE) if unit.parent_id not in annexes]
    points = points_of(parsed)
    result = Comparison(folder.parent.name, len(articles), len(gold))
    for unit, row, element in zip(articles, gold, source_articles(path), strict=True):
        result.numbers_equal += squeeze(unit.label or "") == squeeze(row["num"].replace("*", ""))
        ours, theirs = unmarked_text(parsed, unit, points), gold_text(row["text_md"])
        result.equal_to_source += squeeze(ours) == squeeze(body_text(element, links_only=False))
        why = _class(ours, theirs, element)
        result.classes[why] += 1
        result.examples.setdefault(why, f"{unit.label}: {first_difference(squeeze(ours), squeeze(theirs))}")
    return result


def source_articles(path: Path) -> list[etree._Element]:
    """The articles of the act itself, annexes left out, in document order."""
    root = etree.parse(str(path)).getroot()
    return [
        each
        for each in root.iter("{*}article")
        if not any(local_name(above) == "attachment" for above in each.iterancestors())
    ]


def points_of(parsed: ParsedAct) -> list[Unit]:
    """Every point and subpoint, in document order."""
    return [unit for unit in parsed.units if unit.kind in (UnitKind.POINT, UnitKind.SUBPOINT)]


def unmarked_text(parsed: ParsedAct, article: Unit, points: list[Unit]) -> str:
    """The article's text without its label and heading and without the markers of its list items."""
    position, pieces = own_text_start(article), []
    first = bisect_left(points, article.start, key=lambda unit: unit.start)
    last = bisect_left(points, article.end, key=lambda unit: unit.start)
    for unit in points[first:last]:
        pieces.append(parsed.text[position : unit.start])
        position = unit.start + len(unit.label or "")
    return "".join([*pieces, parsed.text[position : article.end]])


def body_text(article: etree._Element, *, links_only: bool) -> str:
    """The article's text straight from the source; with `links_only`, by the reference's rule for lists."""
    parts = [each for each in article if local_name(each) not in ("num", "heading")]
    return "".join(_printed(part, links_only) + (part.tail or "") for part in parts)


def gold_text(text_md: str) -> str:
    """The reference's text without Markdown stars, escapes, list markers and table rules."""
    lines = [line for line in text_md.split("\n") if not re.fullmatch(r"[|\s:-]+", line)]
    plain = re.sub(r"\\([*_|#.\[\]()-])", r"\1", "\n".join(lines))
    return re.sub(r"^\s*(?:\d{1,3}\.|[-*•–])\s", "", plain, flags=re.MULTILINE)


def squeeze(text: str) -> str:
    """Without white space, invisible characters, stars and pipes: only characters of the law compare."""
    return re.sub(r"[\s\u00ad\u200b-\u200d\u2060\ufeff|*]+", "", text)


def first_difference(ours: str, theirs: str) -> str:
    """The two texts around their first difference."""
    shorter = min(len(ours), len(theirs))
    at = next((i for i in range(shorter) if ours[i] != theirs[i]), shorter)
    return f"{ours[max(0, at - 20) : at + 40]!r} <> {theirs[max(0, at - 20) : at + 40]!r}"


def _class(ours: str, theirs: str, element: etree._Element) -> str:
    if squeeze(ours) == squeeze(theirs):
        return SAME
    as_reference = squeeze(_MARKER.sub("", body_text(element, links_only=True)))
    unmarked = squeeze(_MARKER.sub("", theirs))
    if as_reference == unmarked or Counter(as_reference) == Counter(unmarked):
        return LINKS_ONLY
    if next(element.iter("{*}del"), None) is not None:
        return STRUCK_OUT
    return UNEXPLAINED


def _printed(element: etree._Element, links_only: bool) -> str:
    if local_name(element) == "noteRef" or is_metadata(element):
        return ""
    inside = list(_elements(element))
    if links_only and local_name(element) == "li" and inside:
        return " ".join(_link(each) for each in inside)
    return (element.text or "") + "".join(_printed(each, links_only) + (each.tail or "") for each in element)


def _link(element: etree._Element) -> str:
    if local_name(element) in ("ol", "ul", "p"):
        return _printed(element, links_only=True)
    inside = list(_elements(element))
    return " ".join(_link(each) for each in inside) if inside else element.text or ""


def _elements(element: etree._Element) -> Iterator[etree._Element]:
    return (each for each in element if local_name(each) != "noteRef" and not is_metadata(each))


@pytest.mark.corpus
@pytest.mark.parametrize("work", WORKS)
def test_every_article_of_the_codes_agrees_with_its_source_and_the_reference(
    shared_corpus: Path, work: str
) -> None:
    found = compare(next((shared_corpus / "data" / "legilux-raw" / work).iterdir()))
    assert found.articles == found.gold == found.numbers_equal
    # At most two articles differ in a character that the comparison itself takes for a marker.
    assert found.equal_to_source >= found.articles - 2
    assert found.classes[SAME] + found.classes[LINKS_ONLY] + found.classes[STRUCK_OUT] >= 0.99 * found.gold
    assert found.classes[UNEXPLAINED] <= 3


def main(corpus: str) -> None:
    """Print the table for the five codes."""
    for work in WORKS:
        found = compare(next((Path(corpus) / "data" / "legilux-raw" / work).iterdir()))
        print(
            f"{work:18} articles {found.articles} of {found.gold}, numbers equal {found.numbers_equal},"
            f" text equal to the source {found.equal_to_source}"
        )
        for why, count in found.classes.most_common():
            example = "" if why == SAME else f"; {found.examples[why]}"
            print(f"    {count:5} {why}{example}")


if __name__ == "__main__":
    main(sys.argv[1])
