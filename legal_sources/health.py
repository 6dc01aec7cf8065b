"""The health check of a parse: what is empty, out of order, doubled or lost, told unit by unit.

A failing code makes `Health.ok` False; the other codes are notes. The words of the source are counted from
the source's own tree, never from what the parser kept, so that lost text shows. Does not repair anything.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from lxml import etree

from legal_sources.markup import local_name
from legal_sources.parsed import Health, Problem, own_text_start
from schemas.unit import Unit, UnitKind, UnitStatus

PROBLEM_CODES: dict[str, str] = {
    "no_units": "the parse kept no unit at all",
    "empty_article": "an article in force has no text beyond its label and heading",
    "text_lost": "less than 99.5 % of the source's words landed in a unit",
    "expectation_failed": "what the caller expects of this law (a count of a kind) does not hold",
    "duplicate_number": "two articles, recitals or paragraphs of one parent bear the same number",
    "numbering_gap": "a number is missing between two neighbours",
    "footnote_not_called": "a footnote that no text calls",
    "call_without_footnote": "a call to a footnote that the source does not hold",
    "work_unknown": "the source does not say which law it is; the work is named by the hash of its bytes",
    "version_date_unknown": "the source carries no date; the version date is 0001-01-01",
    "language_unknown": "the source does not say its language; it is taken as English",
    "no_articles": "the source has no article; it is kept as one document unit",
    "unplaced_text": "text that stood outside every known part was kept in the part before it",
    "repaired_markup": "the source is not well-formed XML and was read by the HTML parser",
    "contents_mismatch": "the source's own table of contents names what the body does not hold",
}
"""Every code a health report can hold, with its meaning. Parsers of other publishers use these too."""

FAILING_CODES = frozenset(("no_units", "empty_article", "text_lost", "expectation_failed"))
"""Codes that make a parse unhealthy."""

LANDED_SHARE_MIN = 0.995

_WORD = re.compile(r"\w+")
INLINE_TAGS = frozenset(
    ("a", "abbr", "b", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd", "label")
) | frozenset(("mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var"))
"""HTML elements that do not end a word."""

_CHECKED_ORDER = (UnitKind.ARTICLE, UnitKind.RECITAL, UnitKind.PARAGRAPH)
_PLAIN_NUMBER = re.compile(r"[0-9]{1,4}")


def words(text: str) -> Counter[str]:
    """The words (runs of letters, digits and underscores) of `text`, each with how often it stands there."""
    return Counter(_WORD.findall(text))


def words_in_tree(
    root: etree._Element,
    is_chrome: Callable[[etree._Element], bool],
    inline: frozenset[str] = INLINE_TAGS,
) -> Counter[str]:
    """The words of the visible text under `root`, leaving out the elements for which `is_chrome` holds.

    Elements that are not inline end a word; text after a left-out element counts. Independent of any parser.
    """
    pieces: list[str] = []
    left_out: etree._Element | None = None
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if left_out is not None:
            if event == "end" and element is left_out:
                left_out = None
                pieces.append(element.tail or "")
        elif event in ("comment", "pi"):
            pieces.append(element.tail or "")
        elif event == "start" and is_chrome(element):
            left_out = element
        else:
            if local_name(element) not in inline:
                pieces.append(" ")
            if event == "start":
                pieces.append(element.text or "")
            elif element is not root:
                pieces.append(element.tail or "")
    return words("".join(pieces))


def check(
    units: Sequence[Unit],
    text: str,
    source_words: Counter[str] | None,
    notes: Iterable[Problem] = (),
    consolidated: bool = False,
) -> Health:
    """Judge a finished parse. `source_words` is None for sources whose words cannot be counted apart (PDF).

    Gaps in a consolidated law are not reported: repealed provisions leave them.
    """
    problems = list(notes)
    if not units:
        problems.append(Problem(code="no_units", detail="nothing was recognised in the source"))
    problems.extend(_empty_articles(units))
    problems.extend(_numbering(units, consolidated))
    landed = words(text)
    expected = landed if source_words is None else source_words
    words_landed = (expected & landed).total()
    total = expected.total()
    if total and words_landed / total < LANDED_SHARE_MIN:
        lost = ", ".join(word for word, _ in (expected - landed).most_common(8))
        problems.append(
            Problem(code="text_lost", detail=f"{total - words_landed} of {total} words did not land: {lost}")
        )
    return Health(
        ok=not any(problem.code in FAILING_CODES for problem in problems),
        problems=tuple(problems),
        words_in_source=total,
        words_landed=words_landed,
    )


def with_expectations(health: Health, counts: Mapping[str, int], expected: Mapping[str, int]) -> Health:
    """`health` with an `expectation_failed` problem for each kind whose count differs from `expected`."""
    failed = [
        Problem(code="expectation_failed", detail=f"{kind}: expected {number}, found {counts.get(kind, 0)}")
        for kind, number in sorted(expected.items())
        if counts.get(kind, 0) != number
    ]
    if not failed:
        return health
    return health.model_copy(update={"ok": False, "problems": health.problems + tuple(failed)})


def _empty_articles(units: Sequence[Unit]) -> Iterable[Problem]:
    for unit in units:
        if unit.kind is not UnitKind.ARTICLE or unit.status is UnitStatus.ABROGATED:
            continue
        if own_text_start(unit) >= unit.end:
            yield Problem(
                code="empty_article", unit_id=unit.id, detail=f"{unit.label or unit.id} has no text"
            )


def _numbering(units: Sequence[Unit], consolidated: bool) -> Iterable[Problem]:
    """Gaps and doubles among the articles of one act or annex, the recitals, the paragraphs of an article."""
    series: dict[tuple[str, UnitKind], list[Unit]] = defaultdict(list)
    for unit in units:
        if unit.kind in _CHECKED_ORDER and unit.number:
            scope = unit.id.rpartition(".")[0] if "." in unit.id.rpartition("#")[2] else ""
            series[(scope, unit.kind)].append(unit)
    for (_, kind), members in series.items():
        seen: set[str] = set()
        last = 0
        for unit in members:
            number = unit.number or ""
            if number in seen:
                yield Problem(
                    code="duplicate_number", unit_id=unit.id, detail=f"{kind.value} {number} occurs again"
                )
            seen.add(number)
            if _PLAIN_NUMBER.fullmatch(number):
                if int(number) > last + 1 and not consolidated:
                    yield Problem(
                        code="numbering_gap",
                        unit_id=unit.id,
                        detail=f"{kind.value} {number} follows {kind.value} {last}",
                    )
                last = int(number)
