"""The scripted model of the flow tests plays every kind of question, so that those tests see all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
import scripted_law

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.question import AlterationKind, Category, Hop

MakeLaw = Callable[..., ParsedAct]

TOWERS = {
    "en": [
        ("1", "Towers", ["The municipality shall inspect each wooden tower within 30 days of a thunderstorm."]),
        ("2", "Ringers", ["The apprentice ringer must complete evening lessons before touching the largest bell."]),
        ("3", "Ropes", ["Hempen ropes are replaced before 1 March 2094 where strands appear frayed or discoloured."]),
        ("4", "Lamps", ["The tenant maintains brass lanterns along the staircase during winter festivals."]),
        ("5", "Visits", ["Visitors may climb the southern staircase on Saturdays with written permission."]),
    ],
    "fr": [
        ("1", "Clochers", ["La commune inspecte chaque clocher de bois dans les 30 jours qui suivent un orage."]),
        ("2", "Sonneurs", ["Le sonneur apprenti doit suivre des leçons du soir avant de toucher le bourdon."]),
        ("3", "Cordes", ["Les cordes de chanvre sont remplacées avant le 1er mars 2094 lorsque leurs brins cèdent."]),
        ("4", "Lampes", ["Le locataire entretient les lanternes de laiton dans la montée pendant les fêtes."]),
        ("5", "Visites", ["Les visiteurs peuvent gravir la montée méridionale le samedi avec une permission."]),
    ],
}  # fmt: skip


@pytest.mark.parametrize("language", ["en", "fr"])
def test_false_premises_of_every_kind_are_kept(stage: Any, make_law: MakeLaw, language: str) -> None:
    law = make_law(TOWERS[language], language)
    run = stage.run(law, scripted_law.reply, categories=(Category.FALSE_PREMISE,))
    outcome, _ = asyncio.run(run)
    assert outcome.rejected == []
    assert {question.false_premise.kind for question in outcome.kept} == set(AlterationKind)
    for question in outcome.kept:
        premise = question.false_premise
        assert premise.altered in question.question
        assert premise.original in question.answer


@pytest.mark.parametrize("language", ["en", "fr"])
def test_a_large_window_gives_a_question_that_needs_two_provisions(
    stage: Any, make_law: MakeLaw, language: str
) -> None:
    law = make_law(TOWERS[language], language)
    outcome, server = asyncio.run(stage.run(law, scripted_law.reply, "multi"))
    (question,) = outcome.kept
    assert question.hop is Hop.MULTI
    assert len({one.context_unit_id for one in question.quotations}) == 2
    names = [body["response_format"]["json_schema"]["name"] for body in server.requests]
    assert names[0] == "multi_hop"
    assert "entailment" in names


@pytest.mark.parametrize("language", ["en", "fr"])
def test_linked_rules_and_every_category_are_played(stage: Any, make_law: MakeLaw, language: str) -> None:
    law = make_law(TOWERS[language], language)
    linked, _ = asyncio.run(stage.run(law, scripted_law.reply, "multi", units_in_window=2, windows_per_act=2))
    assert linked.kept
    single, _ = asyncio.run(stage.run(law, scripted_law.reply))
    assert {question.category for question in single.kept} == set(Category)
