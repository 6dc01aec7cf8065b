"""Statements carry what they need to be understood."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.context import ContextUnit
from claimrag.tasks.generate.links import linked_statements
from claimrag.tasks.generate.statements import list_statements, sentence_statements

MakeContexts = Callable[[ParsedAct], list[ContextUnit]]


def test_a_point_comes_with_the_words_that_introduce_it(
    bells: ParsedAct, make_contexts: MakeContexts
) -> None:
    fine = sentence_statements(make_contexts(bells)[0], bells.text)
    assert [one.text(bells.text) for one in fine][1:3] == [
        "2. The ringer shall: (a) ring the great bell at noon;",
        "2. The ringer shall: (b) report a broken bell to the mayor within six hours.",
    ]
    assert [one.core for one in fine] == [(1,), (3,), (4,), (5,), (6,)]


def test_a_sentence_that_points_back_comes_with_the_one_before(
    bells: ParsedAct, make_contexts: MakeContexts
) -> None:
    last = sentence_statements(make_contexts(bells)[0], bells.text)[-1]
    assert last.numbers == (5, 6)
    assert last.text(bells.text).endswith("It is then rung the next day.")


def test_a_short_list_is_one_whole_statement(bells: ParsedAct, make_contexts: MakeContexts) -> None:
    whole = list_statements(make_contexts(bells)[0], bells.text)
    assert [one.numbers for one in whole] == [(1,), (2, 3, 4), (5, 6)]
    assert whole[1].lead_ins == {2}


def test_a_long_list_stays_in_pieces(make_law: Callable[..., ParsedAct], make_contexts: MakeContexts) -> None:
    law = make_law([("1", "Parts", [("A bell has:", [f"part number {n};" for n in range(6)])])])
    assert all(len(one.numbers) == 2 for one in list_statements(make_contexts(law)[0], law.text))


def test_what_is_cited_is_completed_by_its_lead_in(bells: ParsedAct, make_contexts: MakeContexts) -> None:
    statement = list_statements(make_contexts(bells)[0], bells.text)[1]
    assert statement.completed([4]) == [2, 4]
    assert statement.completed([2]) == [2, 3, 4]
    assert statement.completed([99]) == [2, 3, 4]


def test_linked_statements_lie_in_two_provisions_and_share_words(
    bells: ParsedAct, make_contexts: MakeContexts
) -> None:
    window = make_contexts(bells)[:2]
    (first, one), (second, other) = linked_statements(window, bells.text, 13)
    assert (first, second) == (1, 2)
    assert "broken bell" in one.text(bells.text)
    assert "broken bell" in other.text(bells.text)
    assert linked_statements(window * 2, bells.text, 13) == ()


def test_nested_points_come_with_the_last_lead_in_of_every_unit_above_them(
    make_law: Callable[..., ParsedAct], make_contexts: MakeContexts
) -> None:
    law = make_law(
        [
            ("1", "Parts", [("A bell has:", ["a rope;"]), ("A ringer needs:", ["a key;", "a lamp."])]),
            ("11", "More", ["It is rung."]),
        ]
    )
    first, second = make_contexts(law)
    assert [(one.numbers, set(one.lead_ins)) for one in sentence_statements(first, law.text)] == [
        ((1, 2), {1}),
        ((3, 4), {3}),
        ((3, 5), {3}),
    ]
    under_a_point = first.sentences[4].model_copy(update={"unit_id": f"{first.sentences[3].unit_id}.sub_1"})
    above = first.sentences[3].model_copy(
        update={"end": first.sentences[2].end, "start": first.sentences[2].start}
    )
    nested = first.model_copy(update={"sentences": (*first.sentences[:3], above, under_a_point)})
    assert [(one.numbers, set(one.lead_ins)) for one in sentence_statements(nested, law.text)] == [
        ((1, 2), {1}),
        ((3, 4, 5), {3, 4}),
    ]
    # The first sentence of a unit that points back has nothing before it.
    assert [one.numbers for one in sentence_statements(second, law.text)] == [(1,)]


def test_a_lead_in_of_another_unit_introduces_nothing(
    make_law: Callable[..., ParsedAct], make_contexts: MakeContexts
) -> None:
    law = make_law([("1", "Parts", ["A bell has:", ("A ringer needs:", ["a key;"])])])
    (context,) = make_contexts(law)
    assert [one.numbers for one in sentence_statements(context, law.text)] == [(2, 3)]
    longer = context.sentences[2].model_copy(update={"unit_id": f"{context.sentences[1].unit_id}1.pnt_a"})
    alone = context.model_copy(update={"sentences": (*context.sentences[:2], longer)})
    assert [one.numbers for one in sentence_statements(alone, law.text)] == [(3,)]


def test_a_list_of_six_sentences_is_one_statement_and_of_seven_is_not(
    make_law: Callable[..., ParsedAct], make_contexts: MakeContexts
) -> None:
    def sizes(points: int) -> list[int]:
        law = make_law([("1", "Parts", [("A bell has:", [f"part number {n};" for n in range(points)])])])
        return [len(one.numbers) for one in list_statements(make_contexts(law)[0], law.text)]

    assert sizes(5) == [6]
    assert sizes(6) == [2] * 6
    assert sizes(1) == [2]


def test_words_are_cited_as_they_are(bells: ParsedAct, make_contexts: MakeContexts) -> None:
    statement = list_statements(make_contexts(bells)[0], bells.text)[1]
    assert statement.completed(["some words", 3]) == [2, "some words", 3]
    assert statement.core == (3, 4)
    assert statement.text(bells.text).startswith("2. The ringer shall: (a) ring the great bell at noon; (b)")


def test_links_prefer_rare_words_references_and_facts(
    make_law: Callable[..., ParsedAct], make_contexts: MakeContexts
) -> None:
    def linked(first: list[str], second: list[str], seed: int = 13) -> list[tuple[int, ...]]:
        law = make_law([("1", "Bells", first), ("2", "Bells", second)])
        return [one.numbers for _, one in linked_statements(make_contexts(law), law.text, seed)]

    base = "The old ringer paints the wooden tower of this village in spring"
    other = "A young mayor visits some northern harbour with seven grey donkeys"
    assert linked(
        [f"{other}.", f"{base}."],
        [f"{base}.", "Nine farmers sell very fresh cheese on large market squares."],
    ) == [
        (2,),
        (1,),
    ]
    assert linked(["Too few words."], [f"{base}."]) == []


LANTERN = "Copper lanterns hang along every staircase of that old building during{} winter."
NO_BELLS = ["No bell."] * 3  # so that the numbers of the paragraphs, which are words too, differ


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (" under Article 2", ""),  # the first unit cites the second
        (" within 3 hours", " for 5 days"),  # both state a quantity
    ],
)
def test_a_reference_or_two_quantities_link_more_closely_than_the_same_words(
    make_law: Callable[..., ParsedAct], make_contexts: MakeContexts, first: str, second: str
) -> None:
    law = make_law(
        [
            ("1", "Bells", [LANTERN.format(""), LANTERN.format(first)]),
            ("2", "Bells", [*NO_BELLS, LANTERN.format(second), "Silver donkeys sell cheese in old squares."]),
        ]
    )
    contexts = make_contexts(law)
    for seed in range(6):
        found = linked_statements(contexts, law.text, seed)
        assert [(position, one.numbers) for position, one in found] == [(1, (2,)), (2, (4,))]


def test_the_seed_draws_among_equally_close_statements(
    make_law: Callable[..., ParsedAct], make_contexts: MakeContexts
) -> None:
    law = make_law(
        [("1", "Bells", [LANTERN.format("")] * 3), ("2", "Bells", [*NO_BELLS, LANTERN.format("")])]
    )
    contexts = make_contexts(law)
    drawn = {linked_statements(contexts, law.text, seed)[0][1].numbers for seed in range(20)}
    assert drawn == {(1,), (2,), (3,)}
    assert linked_statements(contexts, law.text, 3) == linked_statements(contexts, law.text, 3)


def test_a_word_that_few_statements_use_links_more_closely(
    make_law: Callable[..., ParsedAct], make_contexts: MakeContexts
) -> None:
    common = "The village ringer paints wooden towers there near {}."
    law = make_law(
        [
            ("1", "Bells", [common.format("harbours"), common.format("donkeys")]),
            ("2", "Bells", [*NO_BELLS, *map(common.format, ("donkeys", "cheese", "markets"))]),
        ]
    )
    for seed in range(6):
        found = linked_statements(make_contexts(law), law.text, seed)
        assert [one.numbers for _, one in found] == [(2,), (4,)]


def test_statements_without_content_words_are_linked_by_nothing(
    make_law: Callable[..., ParsedAct], make_contexts: MakeContexts
) -> None:
    law = make_law([(letter, "Bells", ["It is so and as it is we do it."]) for letter in ("a", "b")])
    contexts = []
    for context in make_contexts(law):
        (sentence,) = context.sentences
        unnumbered = sentence.model_copy(update={"start": sentence.start + len("1. ")})
        contexts.append(context.model_copy(update={"sentences": (unnumbered,)}))
    assert len(linked_statements(contexts, law.text, 13)) == 2


def test_only_windows_of_three_units_at_most_are_linked_and_only_readable_statements(
    make_law: Callable[..., ParsedAct], make_contexts: MakeContexts
) -> None:
    sentence = "The old ringer paints the wooden tower of village number {} in spring."
    law = make_law([(str(n), "Bells", [sentence.format(n)]) for n in range(1, 5)])
    contexts = make_contexts(law)
    assert len(linked_statements(contexts[:3], law.text, 13)) == 2
    assert linked_statements(contexts, law.text, 13) == ()
    assert linked_statements(contexts[:1], law.text, 13) == ()

    def count(words: int) -> int:
        text = " ".join(["Bells"] * (words - 1))  # and the number of the paragraph
        law = make_law([(str(n), "Bells", [f"{text}."]) for n in (1, 2)])
        return len(linked_statements(make_contexts(law), law.text, 13))

    assert [count(words) for words in (7, 8, 80, 81)] == [0, 2, 2, 0]
