"""Context units: offsets, ids that survive, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claimrag import legal_sources
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.canonical import content_id, sha256_text
from claimrag.schemas.context import ContextStrategy, ContextUnit
from claimrag.schemas.errors import SourceError
from claimrag.schemas.unit import Unit, UnitKind
from claimrag.tasks.segment import segment_act
from claimrag.tasks.store.outcome import Outcome

BELLS = [
    ("1", "Subject", ["Bells are rung under this Regulation. They are rung by hand."]),
    ("2", "Duties", [("The ringer shall:", ["keep the key;", "ring at noon."]), "No. 3 is rung on Sundays."]),
    ("3", "Fines", ["A late ringer pays EUR 5."]),
]


def count_words(text: str) -> int:
    return len(text.split())


def segment(law: ParsedAct, strategy: ContextStrategy = ContextStrategy.ARTICLE) -> Outcome[ContextUnit]:
    return segment_act(law.act, law.units, law.text, strategy, count_words)


def check_offsets(law: ParsedAct, contexts: list[ContextUnit]) -> None:
    units = {unit.id: unit for unit in law.units}
    for context in contexts:
        assert law.text[context.start : context.end] == context.text
        assert [one.number for one in context.sentences] == list(range(1, len(context.sentences) + 1))
        words = " ".join(law.text[one.start : one.end] for one in context.sentences)
        assert words.split() == context.text.split()
        for one in context.sentences:
            assert units[one.unit_id].start <= one.start <= one.end <= context.end


def test_an_article_is_one_context_unit_without_its_label_and_heading(
    make_law: Callable[..., ParsedAct],
) -> None:
    law = make_law(BELLS)
    outcome = segment(law)
    check_offsets(law, outcome.kept)
    second = outcome.kept[1]
    assert [unit.heading for unit in outcome.kept] == [
        "Article 1: Subject",
        "Article 2: Duties",
        "Article 3: Fines",
    ]
    assert [law.text[one.start : one.end] for one in second.sentences] == [
        "1. The ringer shall:",
        "(a) keep the key;",
        "(b) ring at noon.",
        "2. No. 3 is rung on Sundays.",
    ]
    assert [str(one.unit_id).split("#")[1] for one in second.sentences] == [
        "art_2.par_1",
        "art_2.par_1.pnt_a",
        "art_2.par_1.pnt_b",
        "art_2.par_2",
    ]
    assert second.unit_ids == (f"{law.act.id}#art_2",)
    assert second.tokens == count_words(second.text)


def test_ids_survive_a_new_version_and_an_article_put_before(make_law: Callable[..., ParsedAct]) -> None:
    before = segment(make_law(BELLS)).kept
    changed = [
        ("0", "New", ["A new first article."]),
        *BELLS[:2],
        ("3", "Fines", ["A late ringer pays EUR 9."]),
    ]
    after = segment(make_law(changed, version="2091-01-01")).kept
    assert [unit.id for unit in after[1:3]] == [unit.id for unit in before[:2]]
    assert after[3].id != before[2].id
    assert after[1].act_id != before[0].act_id


def test_the_same_words_twice_get_two_ids(make_law: Callable[..., ParsedAct]) -> None:
    twice = [("1", "One", ["Bells are rung."]), ("2", "Two", ["Bells are rung."])]
    kept = segment(make_law(twice)).kept
    assert kept[0].text == kept[1].text
    assert kept[0].id != kept[1].id


def test_abrogated_and_empty_articles_are_rejected_with_a_reason(make_law: Callable[..., ParsedAct]) -> None:
    law = make_law([*BELLS, ("4", "Gone", ["Abrogated."]), ("5", "Nothing", [])], abrogated=frozenset({"4"}))
    outcome = segment(law)
    assert [(row.item.split("#")[1], row.reason) for row in outcome.rejected] == [
        ("art_4", "abrogated"),
        ("art_5", "empty"),
    ]
    assert not any(row.reason.is_malfunction for row in outcome.rejected)
    assert outcome.counts.considered == 5


def test_strategy_p_packs_blocks_to_the_size_of_the_paper(make_law: Callable[..., ParsedAct]) -> None:
    paragraph = "The ringer rings the bell of the village " * 20
    law = make_law(
        [(str(n), "Ringing", [paragraph + "." for _ in range(4)]) for n in range(1, 12)], footnote="A note."
    )
    outcome = segment(law, ContextStrategy.P)
    check_offsets(law, outcome.kept)
    assert all(1100 <= unit.tokens <= 1500 for unit in outcome.kept[:-1])
    assert "".join("".join(unit.text for unit in outcome.kept).split()) == "".join(
        law.text[: law.text.index("(1) A note.")].split()
    )
    assert outcome.kept[0].unit_ids[0] == f"{law.act.id}#art_1"


def test_a_block_that_is_too_long_is_cut_at_sentence_ends(make_law: Callable[..., ParsedAct]) -> None:
    law = make_law([("1", "Long", ["The ringer rings the bell again. " * 600])])
    outcome = segment(law, ContextStrategy.P)
    check_offsets(law, outcome.kept)
    assert len(outcome.kept) == 3
    assert all(unit.text.endswith("again.") for unit in outcome.kept)


def test_units_of_another_text_are_refused(make_law: Callable[..., ParsedAct]) -> None:
    law = make_law(BELLS)
    with pytest.raises(SourceError, match="parse it again"):
        segment_act(law.act, law.units, law.text + " ", ContextStrategy.ARTICLE, count_words)
    moved = law.units[1].model_copy(update={"text": law.units[1].text[::-1]})
    with pytest.raises(SourceError, match="does not lie at its offsets"):
        segment_act(law.act, [law.units[0], moved], law.text, ContextStrategy.ARTICLE, count_words)


def test_an_act_without_units_has_no_context_units(make_law: Callable[..., ParsedAct]) -> None:
    law = make_law(BELLS)
    none: list[Unit] = []
    for strategy in ContextStrategy:
        assert segment_act(law.act, none, law.text, strategy, count_words).counts.considered == 0


def unit_at(law: ParsedAct, path: str) -> Unit:
    return next(unit for unit in law.units if unit.id.endswith(f"#{path}"))


def segment_units(
    law: ParsedAct, units: list[Unit], strategy: ContextStrategy = ContextStrategy.ARTICLE
) -> Any:
    return segment_act(law.act, units, law.text, strategy, count_words)


def test_context_units_are_numbered_in_the_order_of_the_text_whatever_the_order_of_the_units(
    make_law: Callable[..., ParsedAct],
) -> None:
    law = make_law(BELLS, footnote="A note.")
    outcome = segment_units(law, list(reversed(law.units)))
    assert outcome == segment(law)
    assert [context.order for context in outcome.kept] == [0, 1, 2]
    first = outcome.kept[0]
    assert (first.act_id, first.language, first.strategy) == (law.act.id, "en", ContextStrategy.ARTICLE)
    assert first.text == "1. Bells are rung under this Regulation. They are rung by hand."
    assert first.text_sha256 == sha256_text(first.text)
    parts = segment(law, ContextStrategy.P).kept
    assert [(part.order, part.start, part.strategy) for part in parts] == [(0, 0, ContextStrategy.P)]


def test_ids_depend_on_publisher_work_language_strategy_and_words(make_law: Callable[..., ParsedAct]) -> None:
    law = make_law(BELLS)
    text = segment(law).kept[0].text
    expected = content_id("ctx", ["eu", "32090R0001", "en", "article", text])
    assert segment(law).kept[0].id == expected
    for change in ({"publisher": "lu"}, {"work": "32090R0002"}, {"language": "fr"}):
        act = law.act.model_copy(update=change)
        other = segment_act(act, law.units, law.text, ContextStrategy.ARTICLE, count_words)
        assert other.kept[0].id != expected
        assert other.kept[0].language == act.language


def test_equal_words_are_told_apart_by_their_count_from_the_second_on(
    make_law: Callable[..., ParsedAct],
) -> None:
    law = make_law([(str(number), "Bells", ["Bells are rung."]) for number in (1, 2, 3)])
    base = ["eu", "32090R0001", "en", "article", "1. Bells are rung."]
    expected = [content_id("ctx", [*base, *more]) for more in ([], ["2"], ["3"])]
    assert [context.id for context in segment(law).kept] == expected


def test_an_article_within_an_article_is_part_of_it_and_the_next_one_is_not(
    make_law: Callable[..., ParsedAct],
) -> None:
    law = make_law(BELLS)
    paragraph = unit_at(law, "art_2.par_1").model_copy(update={"kind": UnitKind.ARTICLE})
    units = [paragraph if unit.id == paragraph.id else unit for unit in law.units]
    outcome = segment_units(law, units)
    assert [context.heading for context in outcome.kept] == [
        "Article 1: Subject",
        "Article 2: Duties",
        "Article 3: Fines",
    ]
    first, second = unit_at(law, "art_1"), unit_at(law, "art_2")
    touching = first.model_copy(update={"end": second.start, "text": law.text[first.start : second.start]})
    units = [touching if unit.id == first.id else unit for unit in law.units]
    kept = segment_units(law, units).kept
    assert [context.unit_ids for context in kept] == [(f"{law.act.id}#art_{n}",) for n in (1, 2, 3)]
    assert kept[0] == outcome.kept[0]  # the space after it is no part of it


def test_the_space_around_an_article_is_no_part_of_its_context_unit(
    make_law: Callable[..., ParsedAct],
) -> None:
    law = make_law(BELLS)
    second = unit_at(law, "art_2")
    start, end = second.start - 1, law.text.index("Article 3")
    assert law.text[start].isspace() and law.text[end - 1].isspace()
    spaced = second.model_copy(
        update={"start": start, "end": end, "text": law.text[start:end], "label": None, "heading": None}
    )
    context = segment_units(law, [spaced if unit.id == second.id else unit for unit in law.units]).kept[1]
    assert (context.start, context.text) == (second.start, second.text)
    assert context.end == second.end


def test_a_heading_is_the_label_or_the_number_or_the_kind(make_law: Callable[..., ParsedAct]) -> None:
    law = make_law(BELLS)
    article = unit_at(law, "art_1")

    def heading(**changes: str | None) -> str:
        changed = article.model_copy(update=changes)
        return (
            segment_units(law, [changed if unit.id == article.id else unit for unit in law.units])
            .kept[0]
            .heading
        )

    assert heading(label=" Art. 1er. ", heading=None) == "Art. 1er"
    assert heading(label=None, heading=None) == "1"
    assert heading(label=None, number=None) == "article: Subject"


def test_a_rejected_article_says_why_and_keeps_the_first_2000_characters(
    make_law: Callable[..., ParsedAct],
) -> None:
    law = make_law([("4", "Gone", ["Abrogated bells. " * 200]), ("5", "7", [])], abrogated=frozenset({"4"}))
    gone, empty = segment(law).rejected
    assert (gone.stage, gone.item) == ("segment", f"{law.act.id}#art_4")
    assert gone.detail == "The article has no force any more."
    assert gone.raw == unit_at(law, "art_4").text[:2000] and len(gone.raw) == 2000
    assert empty.detail == "The article has no words but its heading."
    assert empty.raw == "Article 5\n7"


def test_parts_before_any_article_bear_the_title_of_the_act_and_the_smallest_unit(
    make_law: Callable[..., ParsedAct],
) -> None:
    law = make_law(BELLS)
    units = [unit for unit in law.units if unit.kind is not UnitKind.ARTICLE]
    (part,) = segment_units(law, units, ContextStrategy.P).kept
    assert part.heading == law.act.title
    around = [unit for unit in units if unit.start <= part.start < unit.end]
    assert part.unit_ids == (min(around, key=lambda unit: (unit.end - unit.start, -unit.depth)).id,)
    assert [str(one.unit_id).split("#")[1] for one in part.sentences][-1] == "art_3.par_1"


def test_the_deeper_of_two_units_of_one_size_is_the_innermost(make_law: Callable[..., ParsedAct]) -> None:
    law = make_law(BELLS)
    paragraph = unit_at(law, "art_3.par_1")
    inner = paragraph.model_copy(update={"id": f"{paragraph.id}.al_1", "depth": paragraph.depth + 1})
    for units in ([*law.units, inner], [inner, *law.units]):
        last = segment_units(law, units).kept[-1]
        assert [one.unit_id for one in last.sentences] == [inner.id]


def test_a_place_in_no_unit_is_refused(make_law: Callable[..., ParsedAct]) -> None:
    law = make_law(BELLS)
    far = [unit_at(law, "art_1.par_1"), unit_at(law, "art_3.par_1")]
    with pytest.raises(SourceError, match="lies in no unit; parse the act again"):
        segment_units(law, far, ContextStrategy.P)


def test_units_of_another_act_are_refused(make_law: Callable[..., ParsedAct]) -> None:
    law = make_law(BELLS)
    for other in ("eu/0", "zz/9"):
        foreign = law.units[0].model_copy(update={"act_id": other})
        with pytest.raises(SourceError, match="does not lie at its offsets"):
            segment_units(law, [foreign, *law.units[1:]])


@pytest.mark.corpus
@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_gdpr_is_cut_into_its_99_articles(shared_corpus: Path, language: str) -> None:
    raw = (
        shared_corpus / "data" / "eurlex-raw" / "32016r0679" / "2016-04-27" / f"{language}.xml"
    ).read_bytes()
    law = legal_sources.parse_bytes(raw, origin=language)
    outcome = segment(law)
    check_offsets(law, outcome.kept)
    assert (len(outcome.kept), outcome.rejected) == (99, [])
    parts = segment(law, ContextStrategy.P)
    check_offsets(law, parts.kept)
    assert all(1000 <= unit.tokens <= 1500 for unit in parts.kept[:-1])


@pytest.mark.parametrize("strategy", list(ContextStrategy))
@pytest.mark.parametrize("law", ["sample-en", "sample-fr"])
def test_every_sentence_lies_in_the_unit_that_it_names(law, strategy):
    from claimrag.legal_sources.samples import read_sample

    parsed = legal_sources.parse_bytes(read_sample(law), origin=f"{law}.xhtml")
    units = {unit.id: unit for unit in parsed.units}
    cut = segment_act(parsed.act, parsed.units, parsed.text, strategy, len)
    sentences = [sentence for context in cut.kept for sentence in context.sentences]
    assert sentences
    outside = [s for s in sentences if not units[s.unit_id].start <= s.start < s.end <= units[s.unit_id].end]
    assert outside == []
