"""What is asked of a context unit: the statement of each category, who asks, and in which order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import Category
from claimrag.tasks.generate.desk import Desk
from claimrag.tasks.generate.planning import Item, plan_items
from claimrag.tasks.generate.seeds import choose_persona

MakeLaw = Callable[..., ParsedAct]
MakeContexts = Callable[[ParsedAct], list[ContextUnit]]

MIXED = [
    "Each great bell of the old village tower is painted red and white in spring.",
    "The council of the village counts every bell of the tower in the spring.",
    "The ringer rings the great bell of the village tower for 3 hours each day.",
    "The ringer rests where the rope of the bell hangs loose and it is late.",
    "The rules of bells shall apply from 1 May 2091 in the territory of the northern villages.",
]


@pytest.fixture
def plan(
    make_law: MakeLaw, make_contexts: MakeContexts, make_desk: Callable[..., Desk]
) -> Callable[..., Any]:
    def planned(sentences: list[Any], language: str = "en", **settings: Any) -> dict[Category, list[Item]]:
        law = make_law([("1", "Bells", sentences)], language)
        found: dict[Category, list[Item]] = {}
        for item in plan_items(make_desk(law, **settings), make_contexts(law)[0]):
            found.setdefault(item.category, []).append(item)
        return found

    return planned


def numbers(items: list[Item]) -> list[tuple[int, ...] | None]:
    return [item.statement.numbers if item.statement else None for item in items]


def test_each_category_gets_the_statement_that_suits_it(plan: Callable[..., Any]) -> None:
    items = plan(MIXED)
    assert list(items) == list(Category)
    assert {category: numbers(each) for category, each in items.items()} == {
        Category.GENERAL_RESEARCH: [(4,)],
        Category.FACTUAL_RECALL: [(2,)],  # 3 and 5 are taken by the pickier ones
        Category.FALSE_PREMISE: [(3,)],
        Category.JURISDICTION_TIME: [(5,)],
    }
    (factual,), (false,) = items[Category.FACTUAL_RECALL], items[Category.FALSE_PREMISE]
    assert factual.detail is None
    assert (false.detail, false.false_premise.original) == (None, "3 hours")
    assert false.false_premise.sentence == 3


def test_a_quantity_is_asked_for_before_a_named_body_and_the_last_one_is_the_detail(
    plan: Callable[..., Any],
) -> None:
    quantity = "The ringer rings the bell for 3 hours each day and rests for 2 hours at home."
    (item,) = plan([MIXED[1], quantity], categories=(Category.FACTUAL_RECALL,))[Category.FACTUAL_RECALL]
    assert (numbers([item]), item.detail) == ([(2,)], "2 hours")
    (body,) = plan([MIXED[1], MIXED[0]], categories=(Category.FACTUAL_RECALL,))[Category.FACTUAL_RECALL]
    assert (numbers([body]), body.detail) == ([(1,)], None)


def test_a_category_without_a_statement_has_an_item_without_one(plan: Callable[..., Any]) -> None:
    items = plan([MIXED[0]])
    assert numbers(items[Category.FACTUAL_RECALL]) == [None]
    assert numbers(items[Category.JURISDICTION_TIME]) == [None]
    assert numbers(items[Category.FALSE_PREMISE]) == [None]
    assert items[Category.FALSE_PREMISE][0].false_premise is None
    assert numbers(items[Category.GENERAL_RESEARCH]) == [(1,)]


def test_an_alteration_of_a_lead_in_is_not_asked_about(plan: Callable[..., Any]) -> None:
    leading = ("Within 3 hours of a great storm the old ringer of towers:", ["oils ropes;", "paints bells."])
    (item,) = plan([leading], categories=(Category.FALSE_PREMISE,))[Category.FALSE_PREMISE]
    assert (item.statement, item.false_premise) == (None, None)


def test_only_the_categories_of_the_settings_are_planned_in_their_order(plan: Callable[..., Any]) -> None:
    wanted = (Category.JURISDICTION_TIME, Category.GENERAL_RESEARCH)
    assert list(plan(MIXED, categories=wanted)) == list(wanted)


def test_several_factual_questions_have_names_of_their_own(plan: Callable[..., Any]) -> None:
    hours = [f"The ringer of tower {n} rings the great bell for {n} hours each day." for n in (3, 4, 5)]
    two = plan(hours, categories=(Category.FACTUAL_RECALL,), factual_per_unit=2)[Category.FACTUAL_RECALL]
    assert [item.name.rpartition("/factual_recall")[2] for item in two] == [
        f"/{max(item.statement.numbers)}" for item in two
    ]
    assert len({item.name for item in two}) == 2
    assert all(item.detail for item in two)
    (one,) = plan(hours, categories=(Category.FACTUAL_RECALL,))[Category.FACTUAL_RECALL]
    assert one.name.endswith("/factual_recall")
    assert one.persona is choose_persona(13, one.name)


@pytest.mark.parametrize(
    ("sentences", "chosen"),
    [
        # Full points against half for words that point elsewhere, and for too few or too many words.
        (["The ringer rings such old bells for 3 hours each day.", MIXED[2]], (2,)),
        (["Ringers ring it for 3 hours.", MIXED[2]], (2,)),
        ([MIXED[2], "Ringers ring it for 3 hours."], (1,)),
        (["They ring " + "old bells " * 44 + "for 3 hours.", MIXED[2]], (2,)),
        ([MIXED[2], "The ringer rings such old bells for 3 hours each day."], (1,)),
    ],
)
def test_readable_statements_that_stand_alone_come_first(
    plan: Callable[..., Any], sentences: list[str], chosen: tuple[int, ...]
) -> None:
    for seed in range(4):
        items = plan(sentences, categories=(Category.FACTUAL_RECALL,), seed=seed)
        assert numbers(items[Category.FACTUAL_RECALL]) == [chosen]


@pytest.mark.parametrize(("words", "first"), [(7, True), (8, False), (89, False), (90, True)])
def test_nine_to_ninety_words_are_readable(plan: Callable[..., Any], words: int, first: bool) -> None:
    ill_sized = " ".join(["Bells"] * (words - 3)) + " ring 3 hours."  # and the number of the paragraph
    other = "Oh the ringer rings old bells for 4 hours there, referred to."
    chosen = {
        numbers(
            plan([ill_sized, other], categories=(Category.FACTUAL_RECALL,), seed=seed)[
                Category.FACTUAL_RECALL
            ]
        )[0]
        for seed in range(8)
    }
    # Of one rank with a statement that points elsewhere where it is ill-sized too; else before it.
    assert chosen == ({(1,), (2,)} if first else {(1,)})


def test_a_list_is_explained_as_one_statement(plan: Callable[..., Any]) -> None:
    listed = ("The ringer of the tower shall, unless it rains:", ["ring at noon each day;", "keep the key."])
    items = plan([listed], categories=(Category.GENERAL_RESEARCH,))
    assert numbers(items[Category.GENERAL_RESEARCH]) == [(1, 2, 3)]


def test_conditions_and_norms_are_explained_first(plan: Callable[..., Any]) -> None:
    plain = "Old bells of iron in the tower of the northern village, painted red."
    norm = "The old ringer of the northern village shall ring iron bells daily."
    condition = "Old bells of the northern village, unless painted red by ringers there."
    for sentences, chosen in (
        ([plain, norm], (2,)),
        ([norm, condition], (2,)),
        ([condition, plain], (1,)),
        ([norm, plain], (1,)),
    ):
        items = plan(sentences, categories=(Category.GENERAL_RESEARCH,))
        assert numbers(items[Category.GENERAL_RESEARCH]) == [chosen]


def test_the_seed_draws_among_equals(plan: Callable[..., Any]) -> None:
    hours = [f"The ringer of tower {n} rings the great bell for {n} hours each day." for n in (3, 4, 5)]
    drawn = {
        numbers(plan(hours, categories=(Category.FACTUAL_RECALL,), seed=seed)[Category.FACTUAL_RECALL])[0]
        for seed in range(20)
    }
    assert drawn == {(1,), (2,), (3,)}
