"""Compare parsed Legilux articles with an independent per-article reading of the same files, and with the source.

Where the reference's own rules (`reference.py`) lose or add text in an article, the article must equal the
source read without those rules, and the reference the source read with them, byte for byte. Everywhere else
our text is compared with the reference's text itself, character by character. Left out of the comparison:
runs of white space (one space), Unicode form (NFC, as in our text), soft hyphens and zero-width characters,
and what is Markdown's: stars, pipes and rules of tables. The reference counts list items "1." or "-" whatever
the law prints ("1°", "a)", "–"), so each label of ours is replaced by its marker, at the same place.
For the table: `python tests/legal_sources/legilux/test_gold.py CORPUS_FOLDER [--differences]`.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from lxml import etree

from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import ParsedAct, own_text_start
from claimrag.legal_sources.recognise import parse_source
from claimrag.schemas.unit import Unit, UnitKind
from tests.legal_sources.legilux.reference import (
    DEFECTS,
    REFERENCE,
    SPACED_NUMBERS,
    WHOLE,
    articles_of,
    markers_of,
)

ARTICLES = {
    "loi-1807-09-15-n2": 235,
    "loi-1879-06-18-n1": 699,
    "loi-2006-07-31-n2": 1190,
    "loi-2011-04-08-n2": 364,
    "rgd-1998-08-03-n4": 1418,
}
NUMBERS_THAT_OCCUR_TWICE = {"loi-2011-04-08-n2": 3}
RULES = {**DEFECTS, SPACED_NUMBERS: 'a paragraph is "(1 bis )" in the source, "(1 bis)" with us'}
UNEXPLAINED = "unexplained"
COLUMNS = (
    "code | articles | same label | number as in the publisher's id | text equal to the source | reference"
    " reproduced byte for byte | whole in the reference | of these exact | share | defective in the reference"
    " | of these proven | unexplained"
)


@dataclass(frozen=True)
class Comparison:
    """One article beside the reference's row. `rules` are the reference's rules that change its text here."""

    label: str
    same_label: bool
    same_number: bool
    same_heading: bool
    same_text: bool
    reproduced: bool
    equals_source: bool
    rules: tuple[str, ...]
    difference: str

    @property
    def whole(self) -> bool:
        """Whether the reference holds the article's whole text and nothing else."""
        return not DEFECTS.keys() & set(self.rules)

    @property
    def why(self) -> str:
        """The rules that explain the difference, "" where there is none."""
        if self.same_text:
            return ""
        explained = self.reproduced and self.equals_source and self.rules
        return " + ".join(self.rules) if explained else UNEXPLAINED


def compare(folder: Path) -> list[Comparison]:
    """Compare the version in `folder` (`fr.xml` beside `lex-articles.fr.json`), article by article."""
    path = folder / "fr.xml"
    parsed = parse_source(Source.of(path.read_bytes(), origin=str(path)))
    rows = json.loads((folder / "lex-articles.fr.json").read_text("utf-8"))["provisions"]
    annexes = {unit.id for unit in parsed.of_kind(UnitKind.ANNEX)}
    articles = [unit for unit in parsed.of_kind(UnitKind.ARTICLE) if unit.parent_id not in annexes]
    points = [unit for unit in parsed.units if unit.kind in (UnitKind.POINT, UnitKind.SUBPOINT)]
    elements = articles_of(etree.parse(str(path)).getroot())
    gold = [row for row in rows if row["type"] == "article"]
    return [
        _compared(unit, row, element, text_with_markers(parsed, unit, points, element))
        for unit, row, element in zip(articles, gold, elements, strict=True)
    ]


def text_with_markers(parsed: ParsedAct, article: Unit, points: list[Unit], element: etree._Element) -> str:
    """Our text of the article below its label and heading, with the reference's markers of list items."""
    first = bisect_left(points, article.start, key=lambda unit: unit.start)
    last = bisect_left(points, article.end, key=lambda unit: unit.start)
    position, pieces = own_text_start(article), []
    for unit, marker in zip(points[first:last], markers_of(element), strict=True):
        pieces += [parsed.text[position : unit.start], f"{marker} "]
        position = unit.start + len(unit.label or "")
    return "".join([*pieces, parsed.text[position : article.end]])


def spaced(text: str) -> str:
    """In Unicode form NFC, with single spaces and without invisible characters."""
    visible = re.sub("[\u00ad\u200b-\u200d\u2060\ufeff]", "", unicodedata.normalize("NFC", text))
    return " ".join(visible.split())


def plain(text: str) -> str:
    """As `spaced`, without Markdown's rules and pipes of tables, and without stars."""
    lines = (line for line in text.split("\n") if not re.fullmatch(r"[|\s-]*---[|\s-]*", line))
    return spaced("\n".join(lines).replace("|", " ").replace("*", ""))


def first_difference(ours: str, theirs: str) -> str:
    """The two texts around their first difference; "" where there is none."""
    if ours == theirs:
        return ""
    shorter = min(len(ours), len(theirs))
    at = next((i for i in range(shorter) if ours[i] != theirs[i]), shorter)
    return f"{ours[max(0, at - 20) : at + 40]!r} <> {theirs[max(0, at - 20) : at + 40]!r}"


def _compared(unit: Unit, row: dict[str, str | None], element: etree._Element, ours: str) -> Comparison:
    theirs, read = row["text_md"] or "", REFERENCE.article(element)
    return Comparison(
        label=unit.label or "",
        same_label=_packed(unit.label) == _packed(row["num"]),
        same_number=_packed(unit.number) == _packed(re.sub(r"art(icle)?_", "", row["anchor"] or "")),
        same_heading=_packed(unit.heading) == _packed(row["heading"]),
        same_text=plain(ours) == plain(theirs),
        reproduced=read == theirs,
        equals_source=spaced(ours) == spaced(WHOLE.article(element)),
        rules=tuple(rule for rule in RULES if plain(REFERENCE.without(rule).article(element)) != plain(read)),
        difference=first_difference(plain(ours), plain(theirs)),
    )


def _packed(text: str | None) -> str:
    return re.sub(r"[\s.*_]", "", text or "").lower()


def _folder(corpus: Path, work: str) -> Path:
    return next((corpus / "data" / "legilux-raw" / work).iterdir())


@pytest.mark.corpus
@pytest.mark.parametrize("work", ARTICLES)
def test_every_article_of_a_code_agrees_with_the_reference_or_shows_the_rule_that_makes_it_differ(
    shared_corpus: Path, work: str
) -> None:
    found = compare(_folder(shared_corpus, work))
    assert len(found) == ARTICLES[work]
    assert all(each.same_label and each.same_heading for each in found)
    # The publisher adds "-1" to the id of an article whose number occurs twice.
    assert sum(not each.same_number for each in found) == NUMBERS_THAT_OCCUR_TWICE.get(work, 0)
    whole = [each for each in found if each.whole]
    assert sum(each.same_text for each in whole) >= 0.99 * len(whole)
    assert [each.label for each in found if not each.reproduced] == []
    assert [each.label for each in found if not each.equals_source] == []
    assert [each.label for each in found if each.why == UNEXPLAINED] == []


def _one_article(folder: Path, content: str, reference: str) -> Comparison:
    """Compare a law of one article, whose text the reference gives as `reference`."""
    (folder / "fr.xml").write_text(
        '<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0/CSD13"><act name=""><body><article>'
        f"<num>Art. 1.</num><alinea><content>{content}</content></alinea></article></body></act></akomaNtoso>"
    )
    row = {"type": "article", "anchor": "art_1", "num": "Art. 1.", "heading": None, "text_md": reference}
    (folder / "lex-articles.fr.json").write_text(json.dumps({"provisions": [row]}))
    (compared,) = compare(folder)
    return compared


def test_a_list_item_without_the_words_beside_its_link_is_a_defect_of_the_reference(tmp_path: Path) -> None:
    content = "<ol><li>la <ref>loi</ref> ;</li><li>le code.</li></ol>"
    found = _one_article(tmp_path, content, "1. loi\n2. le code.")
    assert (found.why, found.whole, found.equals_source) == ("drops_words_in_list_items", False, True)


def test_a_difference_that_no_rule_makes_is_unexplained(tmp_path: Path) -> None:
    assert _one_article(tmp_path, "<p>Le juge statue.</p>", "Le juge statue.").why == ""
    assert _one_article(tmp_path, "<p>Le juge statue.</p>", "Le juge.").why == UNEXPLAINED
    content = "<ol><li>la <ref>loi</ref> ;</li><li>le code.</li></ol>"
    assert _one_article(tmp_path, content, "1. loi\n2. code.").why == UNEXPLAINED


def _line(work: str, found: list[Comparison]) -> str:
    whole = [each for each in found if each.whole]
    same = sum(each.same_text for each in whole)
    proven = sum(each.reproduced and each.equals_source for each in found if not each.whole)
    counts = (
        len(found),
        sum(each.same_label for each in found),
        sum(each.same_number for each in found),
        sum(each.equals_source for each in found),
        sum(each.reproduced for each in found),
        len(whole),
        same,
        f"{same / len(whole):.2%}",
        len(found) - len(whole),
        proven,
        sum(each.why == UNEXPLAINED for each in found),
    )
    return " | ".join([f"{work:17}", *map(str, counts)])


def main(corpus: str, *options: str) -> None:
    """Print the table for the five codes; with `--differences` also each article that differs."""
    by_work = {work: compare(_folder(Path(corpus), work)) for work in ARTICLES}
    found = [each for work in by_work.values() for each in work]
    print(COLUMNS)
    for work, articles in [*by_work.items(), ("all five", found)]:
        print(_line(work, articles))
    for why, count in Counter(each.why for each in found if each.why).most_common():
        print(f"{count:5} differ by {why}")
    for rule, does in RULES.items():
        print(f"{rule}: {does}; in {sum(rule in each.rules for each in found)} articles")
    if "--differences" in options:
        for work, articles in by_work.items():
            for each in articles:
                if each.why:
                    print(f"{work} | {each.label} | {each.why} | {each.difference}")


if __name__ == "__main__":
    main(*sys.argv[1:])
