"""The health report: what fails a parse and what is only noted."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from lxml import etree

from claimrag.legal_sources import health
from claimrag.legal_sources.parsed import Health, Problem, own_text_start
from claimrag.schemas.base import ActId, UnitId
from claimrag.schemas.unit import Unit, UnitKind, UnitStatus


def unit(path: str, text: str, start: int = 0, kind: UnitKind = UnitKind.ARTICLE, **more: object) -> Unit:
    return Unit.model_validate(
        {
            "id": UnitId(f"eu/x#{path}"),
            "act_id": ActId("eu/x"),
            "kind": kind,
            "order": 0,
            "depth": 0,
            "start": start,
            "end": start + len(text),
            "text": text,
            **more,
        }
    )


def codes(report: Health) -> list[str]:
    return [problem.code for problem in report.problems]


def test_every_code_has_a_meaning_and_failing_codes_are_codes() -> None:
    assert set(health.PROBLEM_CODES) >= health.FAILING_CODES
    assert all(health.PROBLEM_CODES.values())


def test_every_code_that_a_parser_reports_has_a_meaning() -> None:
    folder = Path(health.__file__).parent
    reported = {
        code
        for file in folder.rglob("*.py")
        for code in re.findall(r'code="([a-z_]+)"', file.read_text("utf-8"))
    }
    reported |= {"most_articles_missed", "articles_missed"}
    assert reported == set(health.PROBLEM_CODES)
    assert health.PROBLEM_CODES.keys() >= health.WARNING_CODES
    assert not health.WARNING_CODES & health.FAILING_CODES


def test_a_build_is_given_one_sentence_for_each_code_that_matters() -> None:
    twice = [
        Problem(code="duplicate_number", unit_id=UnitId(f"eu/x#art_1_{n}"), detail="article 1 occurs again")
        for n in (2, 3)
    ]
    gap = Problem(code="numbering_gap", detail="article 3 follows article 1")
    cut = Problem(code="truncated", detail="it ends inside a tag")
    report = health.with_problems(Health(ok=True, words_in_source=1, words_landed=1), [*twice, gap, cut])
    assert not report.ok
    assert report.failures == (cut,)
    assert report.notes == (*twice, gap)
    assert health.warning_sentences(report) == [
        "truncated: it ends inside a tag",
        "duplicate_number: article 1 occurs again (eu/x#art_1_2), and 1 more",
    ]


def test_notes_alone_leave_a_healthy_parse_healthy() -> None:
    sound = Health(ok=True, words_in_source=1, words_landed=1)
    assert health.with_problems(sound, []) is sound
    assert health.with_problems(sound, [Problem(code="numbering_gap", detail="x")]).ok


def test_a_source_that_names_more_articles_than_were_kept_is_noted_or_fails() -> None:
    kept = [unit(f"art_{number}", "Loaves are bread.", number=str(number)) for number in (1, 2)]
    assert health.missed_articles(2, kept) == []
    assert [p.code for p in health.missed_articles(4, kept)] == ["articles_missed"]
    (problem,) = health.missed_articles(5, kept)
    assert problem == Problem(
        code="most_articles_missed", detail="the source names 5 articles, of which 2 were kept"
    )
    assert health.missed_articles(1, [])[0].code == "most_articles_missed"


def test_a_text_whose_lines_number_articles_and_that_has_none_was_misread() -> None:
    lines = "\n".join(f"Article {number} Scope\nLoaves are bread." for number in (1, 2, 3))
    document = unit("doc", lines, kind=UnitKind.DOCUMENT)
    assert codes(health.check([document], lines, None)) == ["most_articles_missed"]
    for sound in ("Article 3 is corrected.\nArticle 4 too.\nArticle 5 too.", "In Article 1\nArticle 2 reads"):
        assert health.check([unit("doc", sound, kind=UnitKind.DOCUMENT)], sound, None).ok


def test_nothing_is_not_healthy() -> None:
    report = health.check([], "", Counter({"bread": 3}))
    assert not report.ok
    assert codes(report) == ["no_units", "text_lost"]


def test_an_empty_article_fails_unless_it_is_abrogated() -> None:
    empty = unit("art_1", "Article 1\nLoaves", label="Article 1", heading="Loaves", number="1")
    assert codes(health.check([empty], empty.text, None)) == ["empty_article"]
    gone = empty.model_copy(update={"status": UnitStatus.ABROGATED})
    assert health.check([gone], gone.text, None).ok


def test_a_lost_word_is_forgiven_and_a_lost_sentence_is_not() -> None:
    text = " ".join(f"word{number}" for number in range(1000))
    article = unit("art_1", text)
    source = health.words(text) + Counter({"lost": 5})
    assert health.check([article], text, source).ok
    report = health.check([article], text, source + Counter({"gone": 1}))
    assert codes(report) == ["text_lost"] and "lost" in report.problems[0].detail
    assert (report.words_in_source, report.words_landed) == (1006, 1000)
    assert report.landed_share < health.LANDED_SHARE_MIN


def test_a_word_kept_twice_does_not_make_up_for_a_lost_one() -> None:
    report = health.check([unit("art_1", "rye rye")], "rye rye", Counter({"rye": 1, "salt": 1}))
    assert report.words_landed == 1


def test_gaps_and_doubles_are_noted_per_parent_and_gaps_not_in_consolidated_texts() -> None:
    units = [
        unit("art_1", "a", 0, number="1"),
        unit("art_1.par_1", "a", 0, UnitKind.PARAGRAPH, number="1"),
        unit("art_1.par_3", "a", 0, UnitKind.PARAGRAPH, number="3"),
        unit("art_2", "b", 1, number="2"),
        unit("art_2.par_1", "b", 1, UnitKind.PARAGRAPH, number="1"),
        unit("art_4a", "c", 2, number="4a"),
        unit("anx_I.art_1", "d", 3, number="1"),
        unit("art_2_2", "e", 4, number="2"),
    ]
    report = health.check(units, "abcde", None)
    assert report.ok
    assert [(problem.code, (problem.unit_id or "").partition("#")[2]) for problem in report.problems] == [
        ("duplicate_number", "art_2_2"),
        ("numbering_gap", "art_1.par_3"),
    ]
    assert codes(health.check(units, "abcde", None, consolidated=True)) == ["duplicate_number"]


def test_expectations_fail_by_kind() -> None:
    report = health.check([unit("art_1", "a")], "a", None, [Problem(code="work_unknown", detail="x")])
    assert health.with_expectations(report, {"article": 1}, {"article": 1}) == report
    failed = health.with_expectations(report, {"article": 1}, {"article": 99, "recital": 1})
    assert not failed.ok
    assert [problem.detail for problem in failed.problems[1:]] == [
        "article: expected 99, found 1",
        "recital: expected 1, found 0",
    ]


def test_words_are_counted_from_the_source_without_its_chrome() -> None:
    root = etree.fromstring(
        "<body><nav>menu <b>deep</b></nav>after<p>one</p><p>t<i>w</i>o<br/>three<!-- no -->four</p><?pi x?>five</body>"
    )
    found = health.words_in_tree(root, lambda element: element.tag == "nav")
    assert found == Counter(["after", "one", "two", "threefour", "five"])


def test_own_text_starts_after_the_printed_label_and_heading() -> None:
    article = unit("art_1", "Article 1\nLoaves\nBread.", 10, label="Article 1", heading="Loaves")
    assert own_text_start(article) == 10 + len("Article 1\nLoaves\n")
    assert own_text_start(unit("rct_1", "Bread.", 4)) == 4


def test_words_that_are_lost_as_often_are_named_in_alphabetical_order() -> None:
    source = Counter({"salt": 1, "rye": 1, "oats": 2})
    report = health.check([unit("art_1", "Bread.")], "Bread.", source)
    assert report.problems[-1].detail == "4 of 4 words did not land: oats, rye, salt"
