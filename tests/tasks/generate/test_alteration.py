"""False premises begin with one fact altered in code."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import AlterationKind
from claimrag.tasks.generate.alteration import (
    alterations_of,
    choose_alteration,
)
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
