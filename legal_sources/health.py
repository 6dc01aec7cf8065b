"""The health check of a parse: what is empty, out of order, doubled or lost, unit by unit.

A failing code makes `Health.ok` False; the other codes are notes. The words of the source are counted from
the source's own tree, never from what the parser kept, so that lost text shows. Does not repair anything.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from lxml import etree

from claimrag.legal_sources.parsed import Health, Problem, own_text_start
from claimrag.legal_sources.problem_codes import FAILING_CODES, PROBLEM_CODES, WARNING_CODES
from claimrag.legal_sources.word_count import (
    INLINE_TAGS,
    VisibleText,
    count_words,
    visible_text,
    visible_text_without,
    words,
)
from claimrag.schemas.unit import Unit, UnitKind, UnitStatus

LANDED_SHARE_MIN = 0.995

_ARTICLE_LINE = re.compile(r"^(?:Article|Art\.)\s+(?P<number>\d{1,4})\b", re.MULTILINE)
_FEWEST_LINES = 3
_CHECKED_ORDER = frozenset((UnitKind.ARTICLE, UnitKind.RECITAL, UnitKind.PARAGRAPH))


def words_in_tree(
    root: etree._Element,
    is_chrome: Callable[[etree._Element], bool],
    inline: frozenset[str] = INLINE_TAGS,
) -> Counter[str]:
    """The words of the visible text under `root`, without the elements for which `is_chrome` holds."""
    return visible_text(root, is_chrome, inline).words()


def check(
    units: Sequence[Unit],
    text: str,
    source: VisibleText | Counter[str] | None,
    notes: Iterable[Problem] = (),
    consolidated: bool = False,
) -> Health:
    """Judge a parse by the source's visible text, or by its words where those were
    counted; None for sources whose words cannot be counted apart (PDF).

    Gaps in a consolidated law are not reported: repealed provisions leave them.
    """
    problems = list(notes)
    if not units:
        problems.append(Problem(code="no_units", detail="nothing was recognised in the source"))
    numbered = [unit for unit in units if unit.kind in _CHECKED_ORDER]
    problems.extend(_empty_articles(numbered))
    problems.extend(_numbering(numbered, consolidated))
    problems.extend(_articles_only_in_the_text(units, text))
    total, lost = _counted(source, text)
    if total and (total - lost) / total < LANDED_SHARE_MIN:
        problems.append(_text_lost(source, text, total, lost))
    return Health(
        ok=not any(problem.code in FAILING_CODES for problem in problems),
        problems=tuple(problems),
        words_in_source=total,
        words_landed=total - lost,
    )


def _counted(source: VisibleText | Counter[str] | None, text: str) -> tuple[int, int]:
    """How many words the source has, and how many of them did not land."""
    if source is None:
        return count_words(text), 0
    if isinstance(source, VisibleText):
        return source.counted_against(text)
    return source.total(), (source - words(text)).total()


def _text_lost(source: VisibleText | Counter[str] | None, text: str, total: int, lost: int) -> Problem:
    expected = source.words() if isinstance(source, VisibleText) else Counter(source)
    # Ties by the alphabet: the order in which blocks were read is no property of the source.
    most = sorted((expected - words(text)).items(), key=lambda one: (-one[1], one[0]))[:8]
    missing = ", ".join(word for word, _ in most)
    return Problem(code="text_lost", detail=f"{lost} of {total} words did not land: {missing}")


def missed_articles(named: int, units: Iterable[Unit]) -> list[Problem]:
    """The problem of a source whose own markup names `named` articles, of which fewer were kept.

    Fewer than half fail the parse; a few less may be articles that an amending act quotes, and are a note.
    """
    kept = sum(unit.kind is UnitKind.ARTICLE for unit in units)
    if kept >= named:
        return []
    code = "most_articles_missed" if 2 * kept < named else "articles_missed"
    return [Problem(code=code, detail=f"the source names {named} articles, of which {kept} were kept")]


def _articles_only_in_the_text(units: Sequence[Unit], text: str) -> list[Problem]:
    """A text without articles whose lines begin with "Article 1", "Article 2", "Article 3" was misread."""
    if any(unit.kind is UnitKind.ARTICLE for unit in units):
        return []
    named = 0
    for line in _ARTICLE_LINE.finditer(text):
        named += int(line["number"]) == named + 1
    return missed_articles(named, units) if named >= _FEWEST_LINES else []


def with_expectations(health: Health, counts: Mapping[str, int], expected: Mapping[str, int]) -> Health:
    """`health` with an `expectation_failed` problem for each kind whose count differs from `expected`."""
    failed = [
        Problem(code="expectation_failed", detail=f"{kind}: expected {number}, found {counts.get(kind, 0)}")
        for kind, number in sorted(expected.items())
        if counts.get(kind, 0) != number
    ]
    return with_problems(health, failed)


def with_problems(health: Health, problems: Sequence[Problem]) -> Health:
    """`health` with further problems, and no longer ok where one of them has a failing code."""
    if not problems:
        return health
    ok = health.ok and not any(problem.code in FAILING_CODES for problem in problems)
    return health.model_copy(update={"ok": ok, "problems": health.problems + tuple(problems)})


def warning_sentences(health: Health) -> list[str]:
    """What a build should say of a parse that it goes on with: one sentence for each code of WARNING_CODES.

    The failing problems come first (a build that goes on all the same was allowed to), then the notes, each code
    with its first place and how often it occurs.
    """
    by_code: dict[str, list[Problem]] = defaultdict(list)
    for problem in (*health.failures, *health.notes):
        if problem.code in WARNING_CODES or problem.code in FAILING_CODES:
            by_code[problem.code].append(problem)
    return [_sentence(code, problems) for code, problems in by_code.items()]


def _sentence(code: str, problems: Sequence[Problem]) -> str:
    place = f" ({problems[0].unit_id})" if problems[0].unit_id else ""
    more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
    return f"{code}: {problems[0].detail}{place}{more}"


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
    series: dict[tuple[str, UnitKind], list[tuple[str, Unit]]] = defaultdict(list)
    path_from = len(units[0].act_id) if units else 0
    for unit in units:
        number = unit.number
        if number:
            unit_id = unit.id
            last_point = unit_id.rfind(".")
            scope = unit_id[:last_point] if last_point > path_from else ""
            series[scope, unit.kind].append((number, unit))
    for (_, kind), members in series.items():
        seen: set[str] = set()
        last = 0
        for number, unit in members:
            if number in seen:
                yield Problem(
                    code="duplicate_number", unit_id=unit.id, detail=f"{kind.value} {number} occurs again"
                )
            seen.add(number)
            if len(number) <= 4 and number.isascii() and number.isdecimal():
                if int(number) > last + 1 and not consolidated:
                    yield Problem(
                        code="numbering_gap",
                        unit_id=unit.id,
                        detail=f"{kind.value} {number} follows {kind.value} {last}",
                    )
                last = int(number)


__all__ = [
    "FAILING_CODES",
    "INLINE_TAGS",
    "LANDED_SHARE_MIN",
    "PROBLEM_CODES",
    "WARNING_CODES",
    "VisibleText",
    "check",
    "missed_articles",
    "visible_text",
    "visible_text_without",
    "warning_sentences",
    "with_expectations",
    "with_problems",
    "words",
    "words_in_tree",
]
