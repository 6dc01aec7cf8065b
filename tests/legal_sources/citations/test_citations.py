from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from claimrag import legal_sources
from claimrag.legal_sources.citations import Citation, CitationKind, resolve_citations
from claimrag.legal_sources.citations.parts import normal_number
from claimrag.schemas.base import UnitId
from tests.legal_sources.citations.small_act import SmallAct, found, spec

POINTS = [spec("point", letter, f"({letter}) thing;") for letter in "abcde"]


def english(text: str, **options: str) -> SmallAct:
    """Article 7(2) of a small regulation holds `text`; Articles 1 to 9, 4a among them, can be referred to."""
    return SmallAct(
        spec("recital", "1", "(1) Whereas."),
        spec(
            "chapter", "I", "",
            spec("section", "1", ""),
            spec("article", "1", "One."),
            spec("article", "2", "Terms:", spec("point", "1", "(1) one;"), spec("point", "2", "(2) two;")),
            spec(
                "article", "3", "",
                spec("paragraph", "1", "1. First:", *POINTS, spec("subparagraph", "2", "Second subparagraph.")),
                spec("paragraph", "2", "2. Second.", spec("point", "a", "(a):", spec("subpoint", "i", "(i)"),
                                                          spec("subpoint", "ii", "(ii)"))),
                spec("paragraph", "3", "3. Third."),
            ),
            spec("article", "4", "Four."),
            spec("article", "4a", "Four a."),
            spec("article", "5", "Five."),
            spec("article", "6", "Six."),
        ),
        spec(
            "chapter", "II", "",
            spec("section", "1", "", spec("article", "7", "",
                 spec("paragraph", "1", "1. Alone:", *POINTS), spec("paragraph", "2", text))),
            spec("section", "2", "", spec("article", "8", "Eight.")),
        ),
        spec("annex", "I", "List.", spec("section", "A", "", spec("point", "1", "1. one")),
             spec("section", "B", "", spec("point", "1", "1. one"), spec("point", "2", "2. two"))),
        celex=options.get("celex", "32020R0123"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "reference", "targets"),
    [
        ("under Article 3(1)(b) it", "Article 3(1)(b)", "art_3.par_1.pnt_b"),
        ("point (b) of Article 3(1) applies", "point (b) of Article 3(1)", "art_3.par_1.pnt_b"),
        (
            "Article 3(1), points (a) and (c), apply",
            "Article 3(1), points (a) and (c)",
            "art_3.par_1.pnt_a art_3.par_1.pnt_c",
        ),
        ("Articles 3 to 5 apply", "Articles 3 to 5", "art_3 art_4 art_4a art_5"),
        ("Articles 1 and 4a", "Articles 1 and 4a", "art_1 art_4a"),
        ("Article 4 or 5", "Article 4 or 5", "art_4 art_5"),
        ("Articles 1, 3 to 4 and 6", "Articles 1, 3 to 4 and 6", "art_1 art_3 art_4 art_6"),
        ("Article 3(1) and (3)", "Article 3(1) and (3)", "art_3.par_1 art_3.par_3"),
        ("Article 3(1)(a) and (b)", "Article 3(1)(a) and (b)", "art_3.par_1.pnt_a art_3.par_1.pnt_b"),
        ("Article 3(1)(a) and (2)(a)", "Article 3(1)(a) and (2)(a)", "art_3.par_1.pnt_a art_3.par_2.pnt_a"),
        (
            "Article 3(2)(a)(i) and (ii)",
            "Article 3(2)(a)(i) and (ii)",
            "art_3.par_2.pnt_a.pnt_i art_3.par_2.pnt_a.pnt_ii",
        ),
        (
            "point (ii) of point (a) of Article 3(2)",
            "point (ii) of point (a) of Article 3(2)",
            "art_3.par_2.pnt_a.pnt_ii",
        ),
        ("Article 2(2)", "Article 2(2)", "art_2.pnt_2"),
        ("Article 2, point (2)", "Article 2, point (2)", "art_2.pnt_2"),
        (
            "points (a) to (c) of paragraph 1",
            "points (a) to (c) of paragraph 1",
            "art_7.par_1.pnt_a art_7.par_1.pnt_b art_7.par_1.pnt_c",
        ),
        (
            "paragraph 1, point (b), of this Article",
            "paragraph 1, point (b), of this Article",
            "art_7.par_1.pnt_b",
        ),
        (
            "paragraph 1, points (a) and (b) of this Article",
            "paragraph 1, points (a) and (b) of this Article",
            "art_7.par_1.pnt_a art_7.par_1.pnt_b",
        ),
        ("paragraphs 1 and 2", "paragraphs 1 and 2", "art_7.par_1 art_7.par_2"),
        ("this Article", "this Article", "art_7"),
        ("this paragraph", "this paragraph", "art_7.par_2"),
        ("this Chapter", "this Chapter", "cpt_II"),
        ("second subparagraph of Article 3(1)", "second subparagraph of Article 3(1)", "art_3.par_1.sub_2"),
        (
            "Article 3(1), first subparagraph, point (d)",
            "Article 3(1), first subparagraph, point (d)",
            "art_3.par_1.pnt_d",
        ),
        (
            "point (e) of the first subparagraph of Article 3(1)",
            "point (e) of the first subparagraph of Article 3(1)",
            "art_3.par_1.pnt_e",
        ),
        ("Chapter I", "Chapter I", "cpt_I"),
        ("Section 2", "Section 2", "cpt_II.sct_2"),
        ("Section 1 of Chapter I", "Section 1 of Chapter I", "cpt_I.sct_1"),
        ("point 2 of Annex I", "point 2 of Annex I", "anx_I.sct_B.pnt_2"),
        ("Annex I, Section A, point 1", "Annex I, Section A, point 1", "anx_I.sct_A.pnt_1"),
        ("Article 3 of this Regulation", "Article 3", "art_3"),
        ("Article 3 of Regulation (EU) 2020/123", "Article 3", "art_3"),
        ("Article 3(2), first sentence, of this Regulation", "Article 3(2)", "art_3.par_2"),
        ("Article 6 and 14 days later", "Article 6", "art_6"),
    ],
)
def test_an_english_reference_leads_to_its_unit(text: str, reference: str, targets: str) -> None:
    assert found(english(f"2. As {text}.")) == [(reference, "internal", targets.split())]


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("Article 3 of Directive 95/46/EC", "Article 3 of Directive 95/46/EC"),
        (
            "point (a) of Article 3(1) of Regulation (EU) No 5/2010",
            "point (a) of Article 3(1) of Regulation (EU) No 5/2010",
        ),
        ("Article 3 of Commission Decision 2010/87/EU", "Article 3 of Commission Decision 2010/87/EU"),
        ("Article 3(1) TFEU", "Article 3(1) TFEU"),
        ("Articles 3 and 4 of the Charter", "Articles 3 and 4 of the Charter"),
        (
            "Article 2 of the Annex to Commission Recommendation 2003/361/EC",
            "Article 2 of the Annex to Commission Recommendation 2003/361/EC",
        ),
        ("Article 5 of that Directive", "Article 5 of that Directive"),
        ("Regulation (EC) No 45/2001", "Regulation (EC) No 45/2001"),
        ("Article 3 of Directive (EU) 2020/123", "Article 3 of Directive (EU) 2020/123"),
        ("the Treaty, in particular Article 3 thereof", "Article 3 thereof"),
        ("the Treaty and its Article 3", "Article 3"),
    ],
)
def test_a_reference_to_another_act_is_external(text: str, reference: str) -> None:
    assert found(english(f"2. See {text}.")) == [(reference, "external", [])]


@pytest.mark.parametrize(
    "text",
    [
        "Article 99",
        "Articles 3 to 99",
        "Article 3(9)",
        "Article 3(1)(z)",
        "Article 3(2) and (7)",
        "point 1 of Annex I",
        "paragraph 1 of that Article",
        "Article 4 of Annex I",
        "Chapter IV",
        "second subparagraph",
        "the said Article 3",
        "Annexes I to III",
        "Articles 5 to 3",
        "Article 1(1)",
    ],
)
def test_what_is_not_there_exactly_once_stays_unresolved(text: str) -> None:
    assert [(kind, targets) for _, kind, targets in found(english(f"2. See {text}."))] == [("unresolved", [])]


def test_a_reference_that_may_be_of_the_act_named_after_it_is_not_led() -> None:
    assert found(english("2. Article 3 or Article 4 of Directive 95/46/EC and Article 5 apply.")) == [
        ("Article 3", "unresolved", []),
        ("Article 4 of Directive 95/46/EC", "external", []),
        ("Article 5", "internal", ["art_5"]),
    ]
    joined = "2. Article 8 of Regulation (EU) No 182/2011, in conjunction with Article 5, applies."
    assert found(english(joined))[1] == ("Article 5", "unresolved", [])


def test_an_article_that_amends_another_act_leaves_its_references_unresolved() -> None:
    text = "2. In Directive 2009/1/EC, Article 3 is replaced by the following: ‘Article 3 See Article 4.’"
    assert [kind for _, kind, _ in found(english(text))] == [
        "external",
        "unresolved",
        "unresolved",
        "unresolved",
    ]


def test_thereof_takes_over_what_the_reference_before_it_names() -> None:
    text = (
        "2. Points (a) and (b) of Article 3(1) and the second subparagraph thereof; "
        "this Regulation and Chapter I thereof."
    )
    assert found(english(text)) == [
        ("Points (a) and (b) of Article 3(1)", "internal", ["art_3.par_1.pnt_a", "art_3.par_1.pnt_b"]),
        ("second subparagraph thereof", "internal", ["art_3.par_1.sub_2"]),
        ("Chapter I", "internal", ["cpt_I"]),
    ]
    text = "2. Point (a) of paragraph 1 and point (b) thereof."
    assert found(english(text))[1] == ("point (b) thereof", "internal", ["art_7.par_1.pnt_b"])


def test_printed_labels_are_no_references_and_headings_of_others_are() -> None:
    small = SmallAct(
        spec("chapter", "I", "", spec("article", "1", "Derogation from Article 2"), spec("article", "2", "x"))
    )
    assert found(small) == [("Article 2", "internal", ["art_2"])]


def test_a_paragraph_without_an_article_means_nothing_in_a_recital() -> None:
    small = SmallAct(spec("recital", "1", "(1) Under paragraph 2, see Article 1."), spec("article", "1", "x"))
    assert found(small) == [("paragraph 2", "unresolved", []), ("Article 1", "internal", ["art_1"])]


def test_two_articles_of_one_number_are_never_told_apart() -> None:
    small = SmallAct(spec("article", "1", "x"), spec("annex", "I", "", spec("article", "1", "see Article 1")))
    assert found(small) == [("Article 1", "unresolved", [])]
    twice = SmallAct(
        spec("chapter", "I", "", spec("article", "1", "x"), spec("article", "2", "see Article 1"))
    )
    assert found(twice) == [("Article 1", "internal", ["art_1"])]


def test_a_language_without_a_grammar_gives_no_citations() -> None:
    small = SmallAct(spec("article", "1", "Siehe Artikel 1"), language="de")
    assert found(small) == []


def test_numbers_have_one_spelling() -> None:
    for spellings in (
        ("1er", "premier", "Première", "1 er"),
        ("L. 234-1", "l234-1"),
        ("16 bis", "16bis"),
        ("Ier", "I"),
    ):
        assert len({normal_number(spelling) for spelling in spellings}) == 1


def test_targets_belong_to_internal_citations_only() -> None:
    with pytest.raises(ValidationError, match="only an internal reference"):
        Citation(start=0, end=1, text="x", source_unit_id=UnitId("u"), kind=CitationKind.INTERNAL)
    with pytest.raises(ValidationError, match="do not measure"):
        Citation(start=0, end=2, text="x", source_unit_id=UnitId("u"), kind=CitationKind.EXTERNAL)


WORDS = [
    "Article",
    "Articles",
    "paragraph",
    "point",
    "points",
    "first subparagraph",
    "3",
    "4a",
    "(1)",
    "(a)",
    "(b)",
    ",",
    "and",
    "to",
    "of",
    "this Article",
    "Directive 95/46/EC",
    "thereof",
    "Annex",
    "I",
    "TFEU",
    "99",
]


@given(words=st.lists(st.sampled_from(WORDS), max_size=14))
def test_any_string_of_reference_words_keeps_the_promises(words: list[str]) -> None:
    small = english(f"2. {' '.join(words)}")
    citations = resolve_citations(small.act, small.units, small.text)
    ids = {unit.id for unit in small.units}
    by_id = {unit.id: unit for unit in small.units}
    end = 0
    for citation in citations:
        assert citation.start >= end
        end = citation.end
        assert small.text[citation.start : citation.end] == citation.text
        source = by_id[citation.source_unit_id]
        assert source.start <= citation.start < citation.end <= source.end
        assert set(citation.target_unit_ids) <= ids


@pytest.mark.corpus
def test_the_labelled_references_of_the_gdpr_are_found_and_led(shared_corpus: Path) -> None:
    labels = json.loads((Path(__file__).parent / "gdpr_references.json").read_bytes())["references"]
    parsed = legal_sources.parse_file(shared_corpus / "data/eurlex-raw/32016r0679/2016-04-27/en.xml")
    units = {local(unit.id): unit for unit in parsed.units}
    scope = {label["unit"] for label in labels}
    given = {
        (local(c.source_unit_id), c.start - units[local(c.source_unit_id)].start): c
        for c in resolve_citations(parsed.act, parsed.units, parsed.text)
        if local(c.source_unit_id) in scope
    }
    right = 0
    for label in labels:
        citation = given.get((label["unit"], label["start"]))
        if citation is None:
            continue
        targets = [local(target) for target in citation.target_unit_ids]
        length = len(citation.text) if citation.kind is CitationKind.INTERNAL else label["length"]
        right += (citation.kind.value, targets, length) == (label["kind"], label["targets"], label["length"])
    assert len(labels) >= 100
    assert right / len(given) >= 0.99
    assert right / len(labels) >= 0.95


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("act", "agreeing"),
    [("32016r0679/2016-04-27", 1.0), ("32022r2065/2022-10-19", 0.99), ("32022r2554/2022-12-14", 0.99)],
)
def test_both_languages_of_an_act_lead_to_the_same_units(
    shared_corpus: Path, act: str, agreeing: float
) -> None:
    led: list[dict[str, Counter[str]]] = []
    for language in ("en", "fr"):
        parsed = legal_sources.parse_file(shared_corpus / "data/eurlex-raw" / act / f"{language}.xml")
        targets: dict[str, Counter[str]] = {local(unit.id): Counter() for unit in parsed.units}
        for citation in resolve_citations(parsed.act, parsed.units, parsed.text):
            targets[local(citation.source_unit_id)].update(local(t) for t in citation.target_unit_ids)
        led.append({unit: counts for unit, counts in targets.items() if counts})
    units = set(led[0]) | set(led[1])
    same = sum(led[0].get(unit) == led[1].get(unit) for unit in units)
    assert len(units) > 200
    assert same / len(units) >= agreeing


def local(unit_id: str) -> str:
    return unit_id.split("#")[1]
