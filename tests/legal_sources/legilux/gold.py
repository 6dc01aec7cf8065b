"""Compare parsed Legilux articles with an independent per-article reading of the same files.

The reference prints lists in Markdown ("1. ", "- ") whatever the law prints ("1°", "a)", "–"), tables as pipe
rows, and stars for bold; both sides are therefore compared without list markers and without white space.
Run it for the table: `python -m tests.legal_sources.legilux.gold CORPUS_FOLDER`.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from legal_sources.markup import Source
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
_GOLD_MARKER = re.compile(r"^\s*(?:\d{1,3}\.|[-*•–])\s", re.MULTILINE)


@dataclass
class Comparison:
    """How many articles agree, and why the others do not, with one example each."""

    work: str
    articles: int = 0
    gold: int = 0
    numbers_equal: int = 0
    texts_equal: int = 0
    differences: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """Articles whose text agrees, over the reference's."""
        return self.texts_equal / self.gold


def compare(folder: Path) -> Comparison:
    """Compare the version in `folder` (`fr.xml` beside `lex-articles.fr.json`)."""
    path = folder / "fr.xml"
    parsed = parse_source(Source.of(path.read_bytes(), origin=str(path)))
    gold = [
        row
        for row in json.loads((folder / "lex-articles.fr.json").read_text("utf-8"))["provisions"]
        if row["type"] == "article"
    ]
    annexes = {unit.id for unit in parsed.of_kind(UnitKind.ANNEX)}
    articles = [unit for unit in parsed.of_kind(UnitKind.ARTICLE) if unit.parent_id not in annexes]
    result = Comparison(folder.parent.name, len(articles), len(gold))
    for unit, row in zip(articles, gold, strict=False):
        result.numbers_equal += squeeze(unit.label or "") == squeeze(unstarred(row["num"]))
        ours, theirs = unmarked_text(parsed, unit), gold_text(row["text_md"])
        if squeeze(ours) == squeeze(theirs):
            result.texts_equal += 1
            continue
        why = difference(ours, theirs)
        result.differences[why] += 1
        result.examples.setdefault(why, f"{unit.label}: {first_difference(squeeze(ours), squeeze(theirs))}")
    return result


def unmarked_text(parsed: ParsedAct, article: Unit) -> str:
    """The article's text without its label and heading and without the markers of its list items."""
    cuts = [
        (unit.start, unit.start + len(unit.label))
        for unit in parsed.units
        if unit.kind in (UnitKind.POINT, UnitKind.SUBPOINT)
        and unit.label
        and article.start <= unit.start < article.end
    ]
    position, pieces = own_text_start(article), []
    for start, end in cuts:
        pieces.append(parsed.text[position:start])
        position = end
    return "".join([*pieces, parsed.text[position : article.end]])


def gold_text(text_md: str) -> str:
    """The reference's text without Markdown stars, escapes, list markers and table pipes."""
    lines = [line for line in text_md.split("\n") if not re.fullmatch(r"[|\s:-]+", line) or not line.strip()]
    return unstarred(_GOLD_MARKER.sub("", "\n".join(lines)))


def unstarred(text: str) -> str:
    """Text without Markdown emphasis."""
    return re.sub(r"\\([*_|#.\[\]()-])", r"\1", text).replace("*", "").replace("|", "")


def squeeze(text: str) -> str:
    """Without white space, invisible characters and pipes, so that only characters of the law compare."""
    return re.sub(r"[\s\u00ad\u200b\u2060\ufeff|*]+", "", text)


def difference(ours: str, theirs: str) -> str:
    """A name for the class of a difference."""
    if Counter(re.findall(r"\w+", ours)) == Counter(re.findall(r"\w+", theirs)):
        return "same words, other order or punctuation"
    if squeeze(theirs) in squeeze(ours):
        return "the reference lacks text that the source prints"
    if squeeze(ours) in squeeze(theirs):
        return "we lack text that the reference has"
    return "words differ"


def first_difference(ours: str, theirs: str) -> str:
    """The two texts around their first difference."""
    at = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    return f"{ours[max(0, at - 20) : at + 40]!r} <> {theirs[max(0, at - 20) : at + 40]!r}"


def main(corpus: str) -> None:
    """Print the table for the five codes."""
    for work in WORKS:
        folder = next((Path(corpus) / "data" / "legilux-raw" / work).iterdir())
        found = compare(folder)
        print(
            f"{work:20} articles {found.articles:5} of {found.gold:5}  numbers {found.numbers_equal:5}"
            f"  texts {found.texts_equal:5}  {found.share:.2%}"
        )
        for why, count in found.differences.most_common():
            print(f"    {count:4} {why}: {found.examples[why]}")


if __name__ == "__main__":
    main(sys.argv[1])
