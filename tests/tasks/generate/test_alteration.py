"""False premises begin with one fact altered in code."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import AlterationKind
from claimrag.tasks.generate.alteration import (
    alterations_of,
    choose_alteration,
)
from claimrag.tasks.generate.counterparts import ADDRESSEES, MODALITIES
from claimrag.tasks.generate.quantities import quantities_in

MakeLaw = Callable[..., ParsedAct]
MakeContexts = Callable[[ParsedAct], list[ContextUnit]]

CASES = [
    ("en", "The ringer shall report a broken bell within 72 hours of noon.", AlterationKind.NUMBER, "72 hours"),
    ("en", "The ringer shall report a broken bell within six hours of noon.", AlterationKind.NUMBER, "six hours"),
    ("en", "The fine shall not exceed EUR 12 000 for each broken bell.", AlterationKind.NUMBER, "EUR 12 000"),
    ("en", "The village shall install the new great bell by 1 July 2101.", AlterationKind.DATE, "1 July 2101"),
    ("en", "The supervisory authority counts each broken bell.", AlterationKind.ADDRESSEE, "The supervisory authority"),
    ("en", "The ringer shall not leave the key in the door.", AlterationKind.MODALITY, "shall not"),
    ("en", "The ringer shall keep the key of the tower.", AlterationKind.MODALITY, "shall"),
    ("fr", "Le sonneur signale la cloche cassée dans les dix jours.", AlterationKind.NUMBER, "dix jours"),
    ("fr", "L'amende ne dépasse jamais 2 500 000 euros par cloche cassée.", AlterationKind.NUMBER, "2 500 000 euros"),
    ("fr", "La commune installe une cloche avant le 1er juillet 2101.", AlterationKind.DATE, "1er juillet 2101"),
    ("fr", "Le bailleur répare la cloche de la maison louée.", AlterationKind.ADDRESSEE, "Le bailleur"),
    ("fr", "Nul ne peut sonner la cloche pendant la nuit.", AlterationKind.MODALITY, "Nul ne peut"),
    ("fr", "Le sonneur est tenu de garder la clef du clocher.", AlterationKind.MODALITY, "est tenu"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "sentence", "kind", "original"), CASES)
def test_one_fact_is_altered_and_nothing_else(
    make_law: MakeLaw, make_contexts: MakeContexts, language: str, sentence: str, kind: str, original: str
) -> None:
    law = make_law([("1", "Bells", [sentence])], language)
    context = make_contexts(law)[0]
    found = choose_alteration(context, law.text, seed=13)
    assert found is not None
    assert (found.kind, found.original) == (kind, original)
    assert found.altered != found.original
    assert found.truth == " ".join(context.text.split())
    before, _, after = found.truth.partition(found.original)
    assert found.belief == before + found.altered + after
    assert found.sentence == 1


def test_the_choice_depends_on_content_and_seed_alone(make_law: MakeLaw, make_contexts: MakeContexts) -> None:
    sentences = [f"The ringer number {n} rings the bell within {n + 2} hours." for n in range(1, 9)]
    law = make_law([("1", "Bells", sentences)])
    context = make_contexts(law)[0]
    chosen = {choose_alteration(context, law.text, seed) for seed in range(30)}
    assert choose_alteration(context, law.text, 5) == choose_alteration(context, law.text, 5)
    assert len(chosen) > 3


def test_numbers_of_articles_and_short_sentences_are_left_alone(
    make_law: MakeLaw, make_contexts: MakeContexts
) -> None:
    law = make_law(
        [
            (
                "1",
                "Bells",
                ["Article 12 and point 3 of Article 40 apply to the great bell.", "It lasts 3 days."],
            )
        ]
    )
    assert alterations_of(make_contexts(law)[0], law.text, 13) == []


def test_a_singular_unit_becomes_plural(make_law: MakeLaw, make_contexts: MakeContexts) -> None:
    law = make_law([("1", "Cloches", ["Le sonneur répond dans un délai qui dure un an au plus."])], "fr")
    found = choose_alteration(make_contexts(law)[0], law.text, 13)
    assert found is not None
    assert found.altered in ("trois ans", "deux ans")


def test_quantities_in_are_numbers_with_units_and_dates_in_order() -> None:
    text = "By 1 May 2090 the village pays EUR 40 within six months under Article 7."
    assert quantities_in(text, "en") == ["1 May 2090", "EUR 40", "six months"]
    assert quantities_in("Avant le 1er mai 2090, 15 pour cent sont dus.", "fr") == [
        "1er mai 2090",
        "15 pour cent",
    ]


def found_in(
    make_law: MakeLaw, make_contexts: MakeContexts, language: str, *sentences: str, seed: int = 13
) -> list[tuple[str, int, str, str]]:
    law = make_law([("1", "Bells", list(sentences))], language)
    found = alterations_of(make_contexts(law)[0], law.text, seed)
    for one in found:
        assert one.truth.replace(one.original, one.altered, 1) == one.belief
    return [(one.kind.value, one.sentence, one.original, one.altered) for one in found]


@pytest.mark.parametrize(
    ("language", "sentences", "expected"),
    [
        (
            "en",
            [
                "The Controller shall pay EUR 12 000 and 5 % within six months before 1 July 2101.",
                "The buyer may not ask the seller and must ring within 10 days.",
            ],
            [
                ("number", 1, "5 %", "7 %"),
                ("number", 1, "six months", "twelve months"),
                ("number", 1, "EUR 12 000", "EUR 24 000"),
                ("date", 1, "1 July 2101", "1 July 2103"),
                ("addressee", 1, "The Controller", "The processor"),
                ("modality", 1, "shall", "need not"),
                ("number", 2, "10 days", "5 days"),
                ("modality", 2, "may not", "may"),
            ],
        ),
        (
            "fr",
            [
                "Le Bailleur ne doit pas payer 2 500 euros dans un an avant le 1er juillet 2101.",
                "Sont interdites les cloches, et le preneur est tenue de vingt et un jours francs.",
            ],
            [
                ("number", 1, "2 500 euros", "5 000 euros"),
                ("number", 1, "un an", "deux ans"),
                ("date", 1, "1er juillet 2101", "1er juillet 2102"),
                ("addressee", 1, "Le Bailleur", "Le locataire"),
                ("modality", 1, "ne doit pas", "doit"),
                ("number", 2, "vingt et un jours francs", "vingt-cinq jours francs"),
                ("addressee", 2, "le preneur", "le bailleur"),
                ("modality", 2, "Sont interdites", "Sont permises"),
            ],
        ),
    ],
)
def test_everything_that_can_be_altered_is_found_in_order(
    make_law: MakeLaw, make_contexts: MakeContexts, language: str, sentences: list[str], expected: list[tuple]
) -> None:
    assert found_in(make_law, make_contexts, language, *sentences) == expected


def test_a_date_is_altered_by_one_to_three_years(make_law: MakeLaw, make_contexts: MakeContexts) -> None:
    text = "The village installs the new great bell by 1 July 2101."
    altered = {found_in(make_law, make_contexts, "en", text, seed=seed)[0][3] for seed in range(40)}
    assert altered == {f"1 July {year}" for year in (2099, 2100, 2102, 2103, 2104)}


@pytest.mark.parametrize(
    ("text", "altered"),
    [
        ("4 days", {"8 days", "6 days", "2 days"}),
        ("3 days", {"6 days", "4 days"}),
        ("2 days", {"4 days", "3 days"}),
        ("10 days", {"20 days", "15 days", "5 days"}),
        ("12 000 euros", {"24 000 euros", "18 000 euros", "6 000 euros"}),
        ("1,000 euros", {"2,000 euros", "1,500 euros", "500 euros"}),
        ("2.500 euros", {"5.000 euros", "3.750 euros", "1.250 euros"}),
        ("one month", {"three months", "two months"}),
        ("Two months", {"Four months", "Three months"}),
        ("123456789012 euros", {"246913578024 euros", "185185183518 euros", "61728394506 euros"}),
        ("1 day", set()),
        ("0 days", set()),
        ("1234567890123 euros", set()),
    ],
)
def test_a_number_is_altered_to_a_likely_other_one(
    make_law: MakeLaw, make_contexts: MakeContexts, text: str, altered: set[str]
) -> None:
    sentence = f"A bell that hangs there rings for {text} of each season."
    found = [found_in(make_law, make_contexts, "en", sentence, seed=seed) for seed in range(40)]
    assert {one[3] for each in found for one in each} == altered
    assert {one[2] for each in found for one in each} <= {text}


@pytest.mark.parametrize(
    ("text", "altered"),
    [
        ("un an", {"trois ans", "deux ans"}),
        ("une année", {"trois années", "deux années"}),
        ("un mois", {"trois mois", "deux mois"}),
        ("un pour cent", {"trois pour cent", "deux pour cent"}),
    ],
)
def test_french_units_follow_their_number(
    make_law: MakeLaw, make_contexts: MakeContexts, text: str, altered: set[str]
) -> None:
    sentence = f"La cloche de la place sonne {text} de suite."
    found = [found_in(make_law, make_contexts, "fr", sentence, seed=seed)[0] for seed in range(20)]
    assert {one[3] for one in found} == altered


def test_sentences_of_6_to_75_words_are_altered(make_law: MakeLaw, make_contexts: MakeContexts) -> None:
    def count(words: int) -> int:
        sentence = " ".join(["Bells"] * (words - 3) + ["ring 9 days"]) + "."
        law = make_law([("1", "Bells", [sentence])])
        (context,) = make_contexts(law)
        assert len(context.text.split()) == words + 1  # and the paragraph's number
        return len(alterations_of(context, law.text, 13))

    assert [count(words) for words in (4, 5, 74, 75)] == [0, 1, 1, 0]


def test_the_strongest_kind_is_chosen_and_among_equals_the_seed_draws(
    make_law: MakeLaw, make_contexts: MakeContexts
) -> None:
    weaker = "The ringer shall ring the great bell at noon."
    law = make_law([("1", "Bells", [weaker, "The seller keeps bells that hang there.", weaker])])
    (context,) = make_contexts(law)
    chosen = [choose_alteration(context, law.text, seed) for seed in range(9)]
    assert {one.kind for one in chosen if one} == {AlterationKind.ADDRESSEE}
    plain = make_law([("1", "Bells", ["Great bells of old villages hang there in silence."])])
    assert choose_alteration(make_contexts(plain)[0], plain.text, 13) is None


def test_an_addressee_is_left_alone_where_its_counterpart_is_named_too(
    make_law: MakeLaw, make_contexts: MakeContexts
) -> None:
    both = "The SELLER hands the bell over to the Buyer there."
    assert found_in(make_law, make_contexts, "en", both) == []


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_counterpart_differs_from_what_it_stands_for(language: str) -> None:
    for pattern, other in ADDRESSEES[language]:
        assert not pattern.fullmatch(other)
        assert other.strip() == other != ""
    for pattern, other in MODALITIES[language]:
        assert pattern.flags & re.IGNORECASE
        assert other
