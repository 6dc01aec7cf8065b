"""From numbers and words back to exact quotations; the law's name in place of "this Regulation"."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.context import ContextUnit
from claimrag.tasks.generate.law_names import with_law_named
from claimrag.tasks.generate.provisions import (
    quoted,
    quoted_from_window,
    shown_alone,
    shown_together,
    window_numbers,
)
from claimrag.tasks.generate.reasons import ItemRejectedError

MakeContexts = Callable[[ParsedAct], list[ContextUnit]]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(numbers=st.lists(st.integers(1, 6), min_size=1, max_size=8))
def test_cited_numbers_become_exact_quotations_in_order(
    bells: ParsedAct, make_contexts: MakeContexts, numbers: list[int]
) -> None:
    context = make_contexts(bells)[0]
    quotations = quoted(context, numbers)
    assert [one.sentence for one in quotations] == sorted(set(numbers))
    assert all(context.text[one.start : one.end] == one.text for one in quotations)


def test_words_are_located_byte_for_byte(bells: ParsedAct, make_contexts: MakeContexts) -> None:
    context = make_contexts(bells)[0]
    (quotation,) = quoted(context, ["report a broken bell to the mayor"])
    found = context.text[quotation.start : quotation.end]
    assert found == quotation.text == "report a broken bell to the mayor"
    assert (quotation.sentence, quotation.context_unit_id) == (None, context.id)


@pytest.mark.parametrize("cited", [99, "report a broken  bell to the mayor", "Report a broken bell", " "])
def test_what_does_not_stand_in_the_law_is_refused(
    bells: ParsedAct, make_contexts: MakeContexts, cited: int | str
) -> None:
    with pytest.raises(ItemRejectedError, match="quotation_not_found"):
        quoted(make_contexts(bells)[0], [cited])


def test_a_window_numbers_sentences_by_unit(bells: ParsedAct, make_contexts: MakeContexts) -> None:
    window = make_contexts(bells)[:2]
    assert window_numbers(window) == ["1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "2.1", "2.2"]
    assert [part["sentences"][0]["number"] for part in shown_together(window, bells.text)] == ["1.1", "2.1"]
    assert shown_alone(window[0], bells.text)[0]["sentences"][0]["number"] == "1"
    quotations = quoted_from_window(window, ["2.1", "1.4"])
    assert [one.context_unit_id for one in quotations] == [window[0].id, window[1].id]
    for wrong in ("3.1", "0.1", "1.9", "1", "x.y"):
        with pytest.raises(ItemRejectedError, match="quotation_not_found"):
            quoted_from_window(window, [wrong])


@pytest.mark.parametrize(
    ("text", "law", "language", "named"),
    [
        ("Is this Regulation new?", "Village Bells Regulation", "en", "Is the Village Bells Regulation new?"),
        ("This Regulation applies.", "Regulation (EU) 2090/1", "en", "Regulation (EU) 2090/1 applies."),
        ("Does this Directive apply?", "Village Bells Regulation", "en", "Does this Directive apply?"),
        ("La présente loi vaut.", "Loi du 2 mai 2090 (fictive)", "fr", "La loi du 2 mai 2090 vaut."),
        ("Le présent règlement vaut.", "Règlement sur les cloches", "fr", "Le règlement sur les cloches vaut."),
        ("La présente loi vaut.", "Code des cloches", "fr", "La présente loi vaut."),
    ],
)  # fmt: skip
def test_the_law_is_named_where_a_text_says_this_law(text: str, law: str, language: str, named: str) -> None:
    assert with_law_named(text, law, language) == named


@pytest.mark.parametrize(
    ("text", "law", "language", "named"),
    [
        ("under this REGULATION", "Village Bells Regulation", "en", "under the Village Bells Regulation"),
        ("the present Act", "Village Bells Act", "en", "the Village Bells Act"),
        ("The present Act", "Act on bells", "en", "Act on bells"),
        (
            "this Act and this Act",
            "Village Bells Act (fictive)",
            "en",
            "the Village Bells Act and the Village Bells Act",
        ),
        ("this Acting", "Village Bells Act", "en", "this Acting"),
        ("this Act", "Village Bells Action", "en", "this Act"),
        ("cette loi", "Loi sur les cloches", "fr", "la loi sur les cloches"),
        ("Ce code", "Code des cloches", "fr", "Le code des cloches"),
        ("le présent code", "Nouveau code des cloches", "fr", "le présent code"),
        ("cet article", "Loi sur les cloches", "fr", "cet article"),
        ("la présente directive", "Directive (UE) 2090/1", "fr", "la directive (UE) 2090/1"),
    ],
)
def test_each_way_of_saying_this_law(text: str, law: str, language: str, named: str) -> None:
    assert with_law_named(text, law, language) == named


def test_the_last_character_of_a_sentence_and_of_words_is_quoted(
    bells: ParsedAct, make_contexts: MakeContexts
) -> None:
    context = make_contexts(bells)[1]
    assert [one.text for one in quoted(context, [1, 2, "fee of 40 euros"])] == [
        "1. The village shall pay the ringer a fee of 40 euros for each month.",
        "fee of 40 euros",
        "2. The fee is 20 euros where the ringer reports a broken bell later than Article 1 allows.",
    ]
    assert context.text.endswith("allows.")
    first, middle, last = quoted(context, [1, 2, "fee of 40 euros"])
    assert (first.start, last.end) == (0, len(context.text))
    assert (first.sentence, middle.sentence, last.sentence) == (1, None, 2)


def test_the_first_place_of_repeated_words_counts_and_a_span_is_quoted_once(
    bells: ParsedAct, make_contexts: MakeContexts
) -> None:
    context = make_contexts(bells)[1]
    (quotation,) = quoted(context, ["ringer", "ringer"])
    assert quotation.start == context.text.index("ringer")
    assert quoted(context, []) == ()


def test_what_cannot_be_quoted_is_named(bells: ParsedAct, make_contexts: MakeContexts) -> None:
    window = make_contexts(bells)[:2]
    with pytest.raises(ItemRejectedError) as caught:
        quoted(window[0], [99])
    assert (caught.value.detail, caught.value.raw) == ("No sentence is numbered 99.", "99")
    with pytest.raises(ItemRejectedError) as caught:
        quoted(window[0], ["no such words"])
    assert (caught.value.detail, caught.value.raw) == (
        "The quoted words do not stand in the law.",
        "no such words",
    )
    with pytest.raises(ItemRejectedError) as caught:
        quoted_from_window(window, ["3.1"])
    assert (caught.value.detail, caught.value.raw) == ("No sentence is numbered 3.1.", "3.1")


def test_provisions_are_shown_with_heading_numbers_and_words_on_one_line(
    bells: ParsedAct, make_contexts: MakeContexts
) -> None:
    first, second = make_contexts(bells)[:2]
    shown = shown_together([first, second], bells.text)
    assert [part["heading"] for part in shown] == ["Article 1: Ringers", "Article 2: Fees"]
    assert shown[1]["sentences"][1] == {
        "number": "2.2",
        "text": "2. The fee is 20 euros where the ringer reports a broken bell later than Article 1 allows.",
    }
    assert [one["number"] for one in shown_alone(second, bells.text)[0]["sentences"]] == ["1", "2"]
    assert len(shown_alone(second, bells.text)) == 1
    ordered = quoted_from_window([first, second], ["2.2", "1.1", "2.1"])
    assert [(one.context_unit_id, one.sentence) for one in ordered] == [
        (first.id, 1),
        (second.id, 1),
        (second.id, 2),
    ]
